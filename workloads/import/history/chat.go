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
	role, _ = v.Get("role").Text()
	if role == "" {
		return m, "", r.Fault(at+"/role", "role", "system, user, assistant or tool", "the message has no role")
	}
	out := append([]byte(nil), `{"role":`...)
	out = rawjson.AppendString(out, role)
	v.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "content":
			if v.Kind() == rawjson.Null {
				return
			}
		case "tool_calls":
			if v.Missing() || v.Empty() {
				return
			}
			out = append(out, `,"tool_calls":[`...)
			v.Each(func(i int, call rawjson.Value) bool {
				if i > 0 {
					out = append(out, ',')
				}
				c := chatCall(call)
				out = c.append(out)
				return true
			})
			out = append(out, ']')
			return
		case "name", "tool_call_id", "reasoning_content", "function_call":
			if v.Missing() {
				return
			}
		default:
			return
		}
		out = append(out, `,"`...)
		out = append(out, key...)
		out = append(out, `":`...)
		out = rawjson.AppendCompact(out, v)
	})
	return sdk.Message{Json: append(out, '}')}, role, nil
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
