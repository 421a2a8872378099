package agentic

import (
	"paceline/sdk"
	"paceline/workloads/mlperf/dataset"
	"paceline/workloads/rawjson"
)

// message gives a user or assistant row as the chat message that goes over the wire: role, content, name, tool_calls,
// reasoning_content, without those that are missing or null.
func (c calls) message(row *dataset.Row) sdk.Message {
	out := append([]byte(nil), `{"role":`...)
	out = append(out, row.Role...)
	out = appendField(out, "content", row.Content)
	out = appendField(out, "name", row.Name)
	if row.HasCalls() {
		out = append(out, `,"tool_calls":`...)
		out = c.append(out, row.ToolCalls)
	}
	out = appendField(out, "reasoning_content", row.Reasoning)
	return sdk.Message{Json: append(out, '}')}
}

// systemMessage gives the system prompt as a chat message.
func systemMessage(text rawjson.Value) sdk.Message {
	out := append([]byte(nil), `{"role":"system"`...)
	out = appendField(out, "content", text)
	return sdk.Message{Json: append(out, '}')}
}

// resultMessages gives the results of a tool row, one message each.
func resultMessages(row *dataset.Row) []sdk.Message {
	var messages []sdk.Message
	row.ToolResults.Each(func(_ int, result rawjson.Value) bool {
		out := append([]byte(nil), `{"role":"tool"`...)
		out = appendField(out, "content", result.Get("content"))
		out = appendField(out, "tool_call_id", result.Get("tool_call_id"))
		messages = append(messages, sdk.Message{Json: append(out, '}')})
		return true
	})
	return messages
}

func appendField(dst []byte, name string, v rawjson.Value) []byte {
	if v.Missing() {
		return dst
	}
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	dst = append(dst, `":`...)
	return rawjson.AppendCompact(dst, v)
}

// calls says how recorded tool calls are sent: as they stand in the file, but unless recorded is set, arguments that are an
// object become the text of that object. The wire wants a text; key order and numbers are the file's on every turn.
type calls struct{ recorded bool }

func (c calls) append(dst []byte, list rawjson.Value) []byte {
	if c.recorded {
		return rawjson.AppendCompact(dst, list)
	}
	dst = append(dst, '[')
	list.Each(func(i int, call rawjson.Value) bool {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendObject(dst, call, func(dst []byte, key []byte, v rawjson.Value) []byte {
			if string(key) != "function" {
				return rawjson.AppendCompact(dst, v)
			}
			return appendObject(dst, v, appendFunctionField)
		})
		return true
	})
	return append(dst, ']')
}

func appendFunctionField(dst []byte, key []byte, v rawjson.Value) []byte {
	if string(key) != "arguments" || v.Kind() != rawjson.Object {
		return rawjson.AppendCompact(dst, v)
	}
	return rawjson.AppendString(dst, rawjson.AppendCompact(nil, v))
}

// appendObject appends an object member by member; value writes the values.
func appendObject(dst []byte, v rawjson.Value, value func(dst []byte, key []byte, v rawjson.Value) []byte) []byte {
	if v.Kind() != rawjson.Object {
		return rawjson.AppendCompact(dst, v)
	}
	dst = append(dst, '{')
	first := true
	v.Fields(func(key []byte, member rawjson.Value) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = rawjson.AppendString(dst, key)
		dst = append(dst, ':')
		dst = value(dst, key, member)
	})
	return append(dst, '}')
}
