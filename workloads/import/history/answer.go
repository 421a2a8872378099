package history

import (
	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// ToolCall is one call of a tool in an answer.
type ToolCall struct {
	ID, Name  string
	Arguments rawjson.Value // an object, or a string that holds its text
}

// Answer is an assistant message in parts.
type Answer struct {
	Text      string
	Reasoning string
	Calls     []ToolCall
}

// Add adds the parts of a further piece of the same answer.
func (a *Answer) Add(b Answer) {
	a.Text += b.Text
	a.Reasoning += b.Reasoning
	a.Calls = append(a.Calls, b.Calls...)
}

// Message gives the answer as a chat message. Arguments that are no text become the text of their JSON, as the wire wants.
func (a *Answer) Message() sdk.Message {
	out := append([]byte(nil), `{"role":"assistant"`...)
	if a.Text != "" || len(a.Calls) == 0 {
		out = append(out, `,"content":`...)
		out = rawjson.AppendString(out, a.Text)
	}
	for i, call := range a.Calls {
		if i == 0 {
			out = append(out, `,"tool_calls":[`...)
		} else {
			out = append(out, ',')
		}
		out = call.append(out)
	}
	if len(a.Calls) > 0 {
		out = append(out, ']')
	}
	if a.Reasoning != "" {
		out = append(out, `,"reasoning_content":`...)
		out = rawjson.AppendString(out, a.Reasoning)
	}
	return sdk.Message{Json: append(out, '}')}
}

func (c *ToolCall) append(out []byte) []byte {
	out = append(out, `{"id":`...)
	out = rawjson.AppendString(out, c.ID)
	out = append(out, `,"type":"function","function":{"name":`...)
	out = rawjson.AppendString(out, c.Name)
	out = append(out, `,"arguments":`...)
	switch {
	case c.Arguments.Missing():
		out = append(out, `"{}"`...)
	case c.Arguments.Kind() == rawjson.String:
		out = append(out, c.Arguments...)
	default:
		out = rawjson.AppendString(out, rawjson.AppendCompact(nil, c.Arguments))
	}
	return append(out, `}}`...)
}

// Result is the message with the result of a tool call.
func Result(id, text string) sdk.Message {
	out := append([]byte(nil), `{"role":"tool","content":`...)
	out = rawjson.AppendString(out, text)
	out = append(out, `,"tool_call_id":`...)
	out = rawjson.AppendString(out, id)
	return sdk.Message{Json: append(out, '}')}
}

// Content gives the text of a value that is a text or a list of parts {"text": ...}; other counts the parts that are no
// text. What is neither is written as JSON.
func Content(v rawjson.Value) (text string, other int) {
	switch v.Kind() {
	case rawjson.Absent, rawjson.Null:
		return "", 0
	case rawjson.String:
		text, _ = v.Text()
		return text, 0
	case rawjson.Array:
		v.Each(func(_ int, part rawjson.Value) bool {
			if s, ok := part.Text(); ok {
				text += s
			} else if s, ok := part.Get("text").Text(); ok {
				text += s
			} else {
				other++
			}
			return true
		})
		return text, other
	default:
		return string(rawjson.AppendCompact(nil, v)), 0
	}
}
