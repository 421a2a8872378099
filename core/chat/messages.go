package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Beginnings of the fragments that APIMessages does not send as messages of their own: a system text is a block of "system"
// at the start and of a user message later, and the results of tools that follow one another are blocks of one user message.
const (
	systemBlock = `{"type":"text"`
	resultBlock = `{"type":"tool_result"`
)

var (
	systemOpen    = []byte(`,"system":[`)
	messagesOpen  = []byte(`],"messages":[`)
	messagesFirst = []byte(`,"messages":[`)
	blocksOpen    = []byte(`{"role":"user","content":[`)
	blocksClose   = []byte(`]}`)
)

// turns adds the system texts at the start, then the messages; blocks that follow one another are one user message.
func (r *Request) turns(messages [][]byte) {
	rest := messages
	if n := leading(messages); n > 0 {
		r.add(systemOpen)
		r.list(messages[:n])
		r.add(messagesOpen)
		rest = messages[n:]
	} else {
		r.add(messagesFirst)
	}
	inBlocks := false
	for i, m := range rest {
		switch {
		case len(m) == 0:
			continue
		case i > 0 && len(rest[i-1]) == 0: // goes on with the one before
			r.add(m)
			continue
		}
		block := isBlock(m)
		if inBlocks && !block {
			r.add(blocksClose)
		}
		if i > 0 {
			r.add(comma)
		}
		if block && !inBlocks {
			r.add(blocksOpen)
		}
		r.add(m)
		inBlocks = block
	}
	if inBlocks {
		r.add(blocksClose)
	}
}

func isBlock(m []byte) bool {
	return bytes.HasPrefix(m, []byte(systemBlock)) || bytes.HasPrefix(m, []byte(resultBlock))
}

// leading returns how many fragments the system texts at the start have.
func leading(messages [][]byte) int {
	for i, m := range messages {
		goesOn := len(m) == 0 || i > 0 && len(messages[i-1]) == 0
		if !goesOn && !bytes.HasPrefix(m, []byte(systemBlock)) {
			return i
		}
	}
	return len(messages)
}

// turn writes a message of APIMessages, or one of the blocks above.
func (w *writer) turn(m *message) error {
	switch m.role {
	case "system", "developer":
		return w.block(systemBlock+`,"text":`, m)
	case "tool":
		return w.block(resultBlock+`,"tool_use_id":"`+string(m.callID)+`","content":`, m)
	case "assistant":
	default:
		if m.plain && m.role == "user" {
			w.share(m.raw)
			return nil
		}
	}
	w.put(`{"role":`, string(AppendQuoted(nil, m.role)), `,"content":`)
	if len(m.calls) == 0 && !m.content.isList {
		w.quoted(m.content.inside)
		w.put(`}`)
		return nil
	}
	w.put(`[`)
	if err := w.blocks(m); err != nil {
		return err
	}
	w.put(`]}`)
	return nil
}

func (w *writer) block(begin string, m *message) error {
	texts, err := m.content.texts()
	if err != nil {
		return err
	}
	w.put(begin)
	w.quoted(texts...)
	w.put(`}`)
	return nil
}

// blocks writes the content and the calls of a message.
func (w *writer) blocks(m *message) error {
	separator := ""
	parts := m.content.parts
	if len(m.content.inside) > 0 {
		parts = []part{{inside: m.content.inside}}
	}
	for _, p := range parts {
		w.put(separator)
		if p.image != nil {
			if err := w.image(p.image); err != nil {
				return err
			}
		} else {
			w.put(systemBlock, `,"text":`)
			w.quoted(p.inside)
			w.put(`}`)
		}
		separator = ","
	}
	for _, c := range m.calls {
		w.put(separator, `{"type":"tool_use","id":"`, string(c.id), `","name":"`, string(c.name), `","input":`)
		w.put(string(toolInput(c.arguments)), `}`)
		separator = ","
	}
	return nil
}

// image writes an image by its URL, which may hold the image itself.
func (w *writer) image(url []byte) error {
	rest, ok := bytes.CutPrefix(url, []byte("data:"))
	if !ok {
		w.put(`{"type":"image","source":{"type":"url","url":`)
		w.quoted(url)
		w.put(`}}`)
		return nil
	}
	kind, data, ok := bytes.Cut(rest, []byte(";base64,"))
	if !ok {
		return errors.New("an image inside its URL must be in base64")
	}
	w.put(`{"type":"image","source":{"type":"base64","media_type":"`, string(kind), `","data":`)
	w.quoted(data)
	w.put(`}}`)
	return nil
}

// toolInput returns the arguments of a call as the object that APIMessages has them: the text of the arguments where that is
// an object, and else {"malformed":<the text as a string>}.
func toolInput(arguments json.RawMessage) []byte {
	quoted := Arguments(arguments)
	s, err := unquote(quoted)
	if err == nil && json.Valid([]byte(s)) {
		if i := skipSpace([]byte(s), 0); s[i] == '{' {
			return []byte(s)
		}
	}
	return slices.Concat([]byte(`{"malformed":`), quoted, []byte{'}'})
}

// refusedByMessages are parameters of chat completions without a counterpart.
var refusedByMessages = []string{
	"n", "seed", "presence_penalty", "frequency_penalty", "logit_bias", "logprobs", "top_logprobs", "response_format",
	"reasoning_effort", "chat_template", "audio", "modalities", "prediction",
}

var errNoLimit = fmt.Errorf("the API %s needs a limit on generated tokens: give max_tokens", APIMessages)

// messageParams renames and reshapes parameters; what is not named here passes as it is.
func messageParams(p Params) (Params, error) {
	var out Params
	serial := string(p.Get("parallel_tool_calls")) == "false"
	if serial && p.Get("tool_choice") == nil {
		p.list = insert(p.list, "tool_choice", []byte(`"auto"`))
	}
	for _, m := range p.list {
		var err error
		switch {
		case m.key == "n" && string(m.value) == "1", m.key == "parallel_tool_calls":
			continue
		case m.key == "system", slices.Contains(refusedByMessages, m.key):
			return Params{}, refused(APIMessages, m.key)
		case m.key == "stop":
			if m.key = "stop_sequences"; m.value[0] == '"' {
				m.value = slices.Concat([]byte{'['}, m.value, []byte{']'})
			}
		case m.key == "user":
			m.key, m.value = "metadata", slices.Concat([]byte(`{"user_id":`), m.value, []byte{'}'})
		case m.key == "tools":
			m.value, err = messageTools(m.value)
		case m.key == "tool_choice":
			m.value, err = messageChoice(m.value, serial)
		}
		if err != nil {
			return Params{}, fmt.Errorf("the API %s: %w", APIMessages, err)
		}
		out.list = append(out.list, m)
	}
	return out, nil
}

func messageTools(raw json.RawMessage) (json.RawMessage, error) {
	return eachTool(raw, func(b []byte, fields []param) []byte {
		b = append(b, '{')
		schema := false
		for _, f := range fields {
			switch f.key {
			case "name", "description":
				b = appendMember(b, f.key, f.value)
			case "parameters":
				b, schema = appendMember(b, "input_schema", f.value), true
			}
		}
		if !schema {
			b = appendMember(b, "input_schema", []byte(`{"type":"object","properties":{}}`))
		}
		return append(b, '}')
	})
}

func messageChoice(choice json.RawMessage, serial bool) (json.RawMessage, error) {
	var b []byte
	name := chosen(choice)
	switch {
	case name != nil:
		b = append(append([]byte(`{"type":"tool","name":"`), name...), '"')
	case string(choice) == `"auto"`:
		b = []byte(`{"type":"auto"`)
	case string(choice) == `"none"`:
		return json.RawMessage(`{"type":"none"}`), nil
	case string(choice) == `"required"`:
		b = []byte(`{"type":"any"`)
	default:
		return nil, fmt.Errorf("tool_choice %s has no form there", choice)
	}
	if serial {
		b = append(b, `,"disable_parallel_tool_use":true`...)
	}
	return append(b, '}'), nil
}
