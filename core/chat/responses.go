package chat

import (
	"encoding/json"
	"fmt"
	"slices"
)

// item writes a message as items of APIResponses: a message of any role but tool, then one item for each call. What a tool
// gave is an item of its own.
func (w *writer) item(m *message) error {
	if m.role == "tool" {
		return w.callOutput(m)
	}
	switch {
	case len(m.calls) > 0 && m.content.empty():
	case m.plain:
		w.share(m.raw)
		w.end()
	default:
		w.put(`{"role":`)
		w.put(string(AppendQuoted(nil, m.role)), `,"content":`)
		if err := w.itemContent(m); err != nil {
			return err
		}
		w.put(`}`)
		w.end()
	}
	for _, c := range m.calls {
		w.put(`{"type":"function_call","call_id":"`, string(c.id), `","name":"`, string(c.name), `","arguments":`)
		w.share(c.text())
		w.put(`}`)
		w.end()
	}
	return nil
}

func (w *writer) callOutput(m *message) error {
	texts, err := m.content.texts()
	if err != nil {
		return err
	}
	w.put(`{"type":"function_call_output","call_id":"`, string(m.callID), `","output":`)
	w.quoted(texts...)
	w.put(`}`)
	return nil
}

func (w *writer) itemContent(m *message) error {
	if !m.content.isList {
		w.quoted(m.content.inside)
		return nil
	}
	kind := "input_text"
	if m.role == "assistant" {
		kind = "output_text"
	}
	w.put(`[`)
	for i, p := range m.content.parts {
		if i > 0 {
			w.put(`,`)
		}
		if p.image != nil {
			w.put(`{"type":"input_image","image_url":`)
			w.quoted(p.image)
		} else {
			w.put(`{"type":"`, kind, `","text":`)
			w.quoted(p.inside)
		}
		w.put(`}`)
	}
	w.put(`]`)
	return nil
}

// refusedByResponses are parameters of chat completions without a counterpart.
var refusedByResponses = []string{"n", "logprobs", "chat_template", "audio", "modalities", "prediction"}

// responseParams renames and reshapes parameters; what is not named here passes as it is.
func responseParams(p Params) (Params, error) {
	var out Params
	for _, m := range p.list {
		var err error
		switch {
		case m.key == "n" && string(m.value) == "1":
			continue
		case slices.Contains(refusedByResponses, m.key):
			return Params{}, refused(APIResponses, m.key)
		case m.key == "tools":
			m.value, err = responseTools(m.value)
		case m.key == "tool_choice":
			m.value = responseChoice(m.value)
		case m.key == "reasoning_effort":
			m.key, m.value = "reasoning", slices.Concat([]byte(`{"effort":`), m.value, []byte{'}'})
		case m.key == "response_format":
			m.key, m.value = "text", slices.Concat([]byte(`{"format":`), responseFormat(m.value), []byte{'}'})
		}
		if err != nil {
			return Params{}, fmt.Errorf("the API %s: %w", APIResponses, err)
		}
		out.list = append(out.list, m)
	}
	if out.Get("store") == nil { // else some servers keep every answer
		out.list = append(out.list, param{"store", []byte("false")})
	}
	return out, nil
}

// responseTools lifts what chat completions have inside "function" into the tool itself.
func responseTools(raw json.RawMessage) (json.RawMessage, error) {
	return eachTool(raw, func(b []byte, fields []param) []byte {
		b = append(b, `{"type":"function"`...)
		for _, f := range fields {
			b = appendMember(b, f.key, f.value)
		}
		return append(b, '}')
	})
}

// eachTool writes each function of a list of tools by its members.
func eachTool(raw json.RawMessage, write func(b []byte, fields []param) []byte) (json.RawMessage, error) {
	items, err := elements(raw)
	if err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	b := []byte{'['}
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		fn, err := functionOf(raw[item.from:item.to])
		if err != nil {
			return nil, fmt.Errorf("tools[%d]: %w", i, err)
		}
		b = write(b, fn)
	}
	return append(b, ']'), nil
}

func functionOf(tool []byte) ([]param, error) {
	list, err := members(tool)
	if err != nil {
		return nil, err
	}
	m, ok := find(list, "function")
	if !ok {
		kind, _ := text(tool, list, "type")
		return nil, fmt.Errorf("a tool of the type %q is no function", kind)
	}
	return split(tool[m.from:m.to])
}

// chosen returns the name of the function that a tool_choice asks for, nil where it asks for none.
func chosen(choice json.RawMessage) []byte {
	list, err := members(choice)
	if err != nil {
		return nil
	}
	m, ok := find(list, "function")
	if !ok {
		return nil
	}
	fn := choice[m.from:m.to]
	fields, err := members(fn)
	if err != nil {
		return nil
	}
	return insideOf(fn, fields, "name")
}

func responseChoice(choice json.RawMessage) json.RawMessage {
	if name := chosen(choice); name != nil {
		return slices.Concat([]byte(`{"type":"function","name":"`), name, []byte(`"}`))
	}
	return choice
}

// responseFormat lifts what is inside "json_schema" into the format itself.
func responseFormat(format json.RawMessage) json.RawMessage {
	list, err := split(format)
	if err != nil {
		return format
	}
	b := []byte{'{'}
	for _, m := range list {
		inner, err := split(m.value)
		if m.key != "json_schema" || err != nil {
			b = appendMember(b, m.key, m.value)
			continue
		}
		for _, f := range inner {
			b = appendMember(b, f.key, f.value)
		}
	}
	return append(b, '}')
}
