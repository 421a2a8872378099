package history

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/rawjson"
)

// Chat reads a chat message as OpenAI's API has it: role, content, name, tool_calls, tool_call_id and reasoning_content are
// kept as they stand, but arguments of tool calls that are an object become their text. at is where the message lies in
// the record.
func Chat(r *frame.Record, at string, v rawjson.Value) (m sdk.Message, role string, err error) {
	if v.Kind() != rawjson.Object {
		return m, "", r.Fault(at, "message", "an object with a role", "the message is %s", frame.Clip(v))
	}
	m, ok := ChatOf(v)
	if !ok {
		return m, "", r.Fault(at+"/role", "role", "system, user, assistant or tool", "the message has no role")
	}
	role, _ = v.Get("role").Text()
	return m, role, nil
}

// ChatOf is Chat for messages that lie in no record as such; ok is false for what has no role.
func ChatOf(v rawjson.Value) (m sdk.Message, ok bool) {
	role, _ := v.Get("role").Text()
	if role == "" {
		return m, false
	}
	out := append([]byte(nil), `{"role":`...)
	out = rawjson.AppendString(out, role)
	v.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "content", "name", "tool_call_id", "reasoning_content", "function_call":
			if !v.Missing() {
				out = append(append(append(out, `,"`...), key...), `":`...)
				out = rawjson.AppendCompact(out, v)
			}
		case "tool_calls":
			out = appendCalls(out, v)
		}
	})
	return sdk.Message{Json: append(out, '}')}, true
}

func appendCalls(out []byte, list rawjson.Value) []byte {
	if list.Kind() != rawjson.Array || list.Empty() {
		return out
	}
	out = append(out, `,"tool_calls":[`...)
	list.Each(func(i int, call rawjson.Value) bool {
		if i > 0 {
			out = append(out, ',')
		}
		c := chatCall(call)
		out = c.append(out)
		return true
	})
	return append(out, ']')
}

func chatCall(v rawjson.Value) ToolCall {
	f := v.Get("function")
	id, _ := v.Get("id").Text()
	name, _ := f.Get("name").Text()
	return ToolCall{ID: id, Name: name, Arguments: f.Get("arguments")}
}

// Kind tells of a client message's role whether a tool or the user made the request necessary.
func Kind(role string) string {
	if role == "tool" || role == "function" {
		return "tool"
	}
	return "user"
}

// KindOf is the Kind of the last of some messages.
func KindOf(list []sdk.Message) string {
	if n := len(list); n > 0 {
		return Kind(roleOf(&list[n-1]))
	}
	return "user"
}

// Tool gives the definition of a tool as OpenAI's API wants it, {"type":"function","function":{...}}, where the function's
// fields may stand beside the type.
func Tool(v rawjson.Value) rawjson.Value {
	if v.Get("function") != nil || v.Get("name") == nil {
		return rawjson.AppendCompact(nil, v)
	}
	var f rawjson.Value
	v.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "type":
		case "input_schema", "inputSchema":
			f = WithMember(f, "parameters", v)
		default:
			f = WithMember(f, string(key), v)
		}
	})
	return WithMember([]byte(`{"type":"function"}`), "function", f)
}

// Tools gives a list of definitions as OpenAI's API wants them.
func Tools(list rawjson.Value) []byte {
	out := []byte{'['}
	list.Each(func(i int, tool rawjson.Value) bool {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, Tool(tool)...)
		return true
	})
	return append(out, ']')
}

// Parts counts the parts of a message's content that are no text.
func Parts(content rawjson.Value) int {
	_, other := Content(content)
	return other
}

// List makes turns of a list of chat messages in which times gives the instant of each, where it is not nil. The messages
// after the last answer become a request without an answer on record.
func List(r *frame.Record, at string, messages rawjson.Value, time func(rawjson.Value) int64) (*Linear, error) {
	var l Linear
	var err error
	messages.Each(func(i int, v rawjson.Value) bool {
		var m sdk.Message
		var role string
		if m, role, err = Chat(r, frame.Pointer(at, i), v); err != nil {
			return false
		}
		when := int64(frame.NoTime)
		if time != nil {
			when = time(v)
		}
		if role == "assistant" {
			l.Answer(m, when)
		} else {
			l.Client(m, Kind(role), when)
		}
		return true
	})
	return &l, err
}
