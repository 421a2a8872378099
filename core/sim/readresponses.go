package sim

import (
	"encoding/json"
	"fmt"
	"strings"
)

// readInput reads the input of OpenAI's responses: a text, which is the user's, or
// a list of items. A call joins the assistant's message before it.
func (r *Request) readInput(s *scanner) error {
	if s.space() == '"' {
		text, err := s.text()
		r.Messages = append(r.Messages, Message{Role: "user", Content: text})
		return err
	}
	n := 0
	return s.elements(func() error {
		if err := r.readItem(s); err != nil {
			return fmt.Errorf("input[%d]: %w", n, err)
		}
		n++
		return nil
	})
}

func (r *Request) readItem(s *scanner) error {
	var m Message
	var kind, name, arguments, callID string
	err := s.members(func(key string) (err error) {
		switch key {
		case "type":
			kind, err = s.text()
		case "role":
			m.Role, err = s.text()
		case "content", "output":
			m.Content, err = readContent(s)
		case "call_id":
			callID, err = s.text()
		case "name":
			name, err = s.text()
		case "arguments":
			arguments, err = s.text()
		default:
			_, err = s.skip()
		}
		return err
	})
	if err != nil {
		return err
	}
	switch kind {
	case "function_call":
		r.joinCall(ToolCall{callID, name, arguments})
		return nil
	case "function_call_output":
		m.Role, m.ToolCallID = "tool", callID
	case "reasoning":
		return nil
	case "", "message":
		if err := checkRole(m.Role, "tool"); err != nil {
			return err
		}
	default:
		return fmt.Errorf("an item of the type %q is not known", kind)
	}
	r.Messages = append(r.Messages, m)
	return nil
}

func (r *Request) joinCall(c ToolCall) {
	if n := len(r.Messages); n == 0 || r.Messages[n-1].Role != "assistant" {
		r.Messages = append(r.Messages, Message{Role: "assistant"})
	}
	m := &r.Messages[len(r.Messages)-1]
	m.ToolCalls = append(m.ToolCalls, c)
}

// checkRole refuses roles that no message has, and those that the API has another
// way for.
func checkRole(role string, not ...string) error {
	for _, n := range not {
		if role == n {
			return fmt.Errorf("role %q is not taken here", role)
		}
	}
	switch role {
	case "system", "developer", "user", "assistant", "tool":
		return nil
	}
	return fmt.Errorf("role %q is not known", role)
}

// chatTools writes tools as chat completions have them. The order of their members
// stays, so that equal tools are equal tokens.
func chatTools(raw json.RawMessage, schema string) (json.RawMessage, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var b strings.Builder
	separator := "["
	s := &scanner{b: raw}
	err := s.elements(func() error {
		b.WriteString(separator + `{"type":"function","function":{`)
		separator = ","
		comma := ""
		err := s.members(func(key string) error {
			value, err := s.skip()
			switch key {
			case "type":
				return err
			case schema:
				key = "parameters"
			}
			fmt.Fprintf(&b, `%s%q:%s`, comma, key, value)
			comma = ","
			return err
		})
		b.WriteString("}}")
		return err
	})
	if separator == "[" {
		return nil, err
	}
	return json.RawMessage(b.String() + "]"), err
}
