package sim

import "fmt"

// readSystem reads the system texts of Anthropic's messages: a text, or a list of
// blocks, each of which is one. They go before the messages.
func (r *Request) readSystem(s *scanner) error {
	var list []Message
	if s.space() == '"' {
		text, err := s.text()
		if err != nil {
			return err
		}
		list = append(list, Message{Role: "system", Content: text})
	} else if err := s.elements(func() error {
		b, err := readBlock(s)
		list = append(list, Message{Role: "system", Content: b.text})
		return err
	}); err != nil {
		return err
	}
	r.system = list
	return nil
}

// said is a block of content.
type said struct {
	kind, text, id, name, input string
}

func readBlock(s *scanner) (b said, err error) {
	err = s.members(func(key string) (err error) {
		switch key {
		case "type":
			b.kind, err = s.text()
		case "text":
			b.text, err = s.text()
		case "content": // of a result
			b.text, err = readContent(s)
		case "id", "tool_use_id":
			b.id, err = s.text()
		case "name":
			b.name, err = s.text()
		case "input":
			var raw []byte
			raw, err = s.skip()
			b.input = string(raw)
		default:
			_, err = s.skip()
		}
		return err
	})
	return b, err
}

// readTurns reads the messages. A result of a tool is a message of its own.
func (r *Request) readTurns(s *scanner) error {
	n := 0
	return s.elements(func() error {
		if err := r.readTurn(s); err != nil {
			return fmt.Errorf("messages[%d]: %w", n, err)
		}
		n++
		return nil
	})
}

func (r *Request) readTurn(s *scanner) error {
	var m Message
	var blocks []said
	plain := false
	err := s.members(func(key string) (err error) {
		switch key {
		case "role":
			m.Role, err = s.text()
		case "content":
			if plain = s.space() == '"'; plain {
				m.Content, err = s.text()
				return err
			}
			return s.elements(func() error {
				b, err := readBlock(s)
				blocks = append(blocks, b)
				return err
			})
		default:
			_, err = s.skip()
		}
		return err
	})
	if err == nil {
		err = checkRole(m.Role, "system", "developer", "tool")
	}
	if err != nil {
		return err
	}
	told := plain
	for _, b := range blocks {
		switch b.kind {
		case "text":
			m.Content, told = m.Content+b.text, true
		case "tool_use":
			m.ToolCalls, told = append(m.ToolCalls, ToolCall{b.id, b.name, b.input}), true
		case "tool_result":
			r.Messages = append(r.Messages, Message{Role: "tool", Content: b.text, ToolCallID: b.id})
		case "image", "thinking", "redacted_thinking":
			told = true
		default:
			return fmt.Errorf("a block of the type %q is not known", b.kind)
		}
	}
	if told {
		r.Messages = append(r.Messages, m)
	}
	return nil
}
