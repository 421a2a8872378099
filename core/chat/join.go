package chat

import (
	"encoding/json"
	"fmt"
	"slices"
)

// joinAnswer writes an answer as the assistant message that goes into the history, and returns the insides of the ids of
// its calls. number is the answer's place in the conversation, for ids that have to be made.
func joinAnswer(message json.RawMessage, rule Thinking, number int) ([]byte, []string, error) {
	if len(message) == 0 {
		message = []byte("{}")
	}
	list, err := members(message)
	if err != nil {
		return nil, nil, err
	}
	calls, ids, err := joinCalls(message, list, number)
	if err != nil {
		return nil, nil, err
	}
	b := append(make([]byte, 0, len(message)+64), `{"role":"assistant","content":`...)
	b = append(b, joinContent(message, list, rule, len(ids) > 0)...)
	if m, ok := find(list, "reasoning_content"); ok && rule != Strip && message[m.from] == '"' {
		b = appendMember(b, "reasoning_content", message[m.from:m.to])
	}
	if len(ids) > 0 {
		b = appendMember(b, "tool_calls", calls)
	}
	return append(b, '}'), ids, nil
}

func joinContent(message []byte, list []member, rule Thinking, calls bool) []byte {
	m, ok := find(list, "content")
	if !ok || string(message[m.from:m.to]) == "null" {
		if calls {
			return []byte("null")
		}
		return []byte(`""`)
	}
	raw := message[m.from:m.to]
	if rule != Strip {
		return raw
	}
	if s, ok := text(message, list, "content"); ok {
		if stripped := StripThinking(s); len(stripped) != len(s) {
			return AppendQuoted(nil, stripped)
		}
	}
	return raw
}

func joinCalls(message []byte, list []member, number int) (calls []byte, ids []string, err error) {
	m, ok := find(list, "tool_calls")
	if !ok || message[m.from] != '[' {
		return nil, nil, nil
	}
	array := message[m.from:m.to]
	items, err := elements(array)
	if err != nil {
		return nil, nil, fmt.Errorf("tool_calls: %w", err)
	}
	calls = []byte{'['}
	for i, item := range items {
		if i > 0 {
			calls = append(calls, ',')
		}
		call, id, err := joinCall(array[item.from:item.to], fmt.Sprintf("call_%d_%d", number, i+1))
		if err != nil {
			return nil, nil, fmt.Errorf("tool_calls[%d]: %w", i, err)
		}
		calls, ids = append(calls, call...), append(ids, id)
	}
	return append(calls, ']'), ids, nil
}

// joinCall writes one call anew: only its id, type, name and arguments, so that what some servers add beside them is not
// sent back.
func joinCall(call []byte, madeID string) (joined []byte, id string, err error) {
	list, err := members(call)
	if err != nil {
		return nil, "", err
	}
	id = inside(call, list, "id", madeID)
	joined = append([]byte(`{"id":"`+id+`","type":"`), inside(call, list, "type", "function")...)
	var fn []byte
	var fields []member
	if m, ok := find(list, "function"); ok && call[m.from] == '{' {
		fn = call[m.from:m.to]
		if fields, err = members(fn); err != nil {
			return nil, "", err
		}
	}
	joined = append(joined, `","function":{"name":"`+inside(fn, fields, "name", "")+`","arguments":`...)
	var arguments []byte
	if m, ok := find(fields, "arguments"); ok {
		arguments = fn[m.from:m.to]
	}
	return append(append(joined, Arguments(arguments)...), "}}"...), id, nil
}

// inside returns the inside of a string member, or other where it is no string or empty.
func inside(object []byte, list []member, key, other string) string {
	m, ok := find(list, key)
	if !ok || object[m.from] != '"' || m.to-m.from <= 2 {
		return other
	}
	return string(object[m.from+1 : m.to-1])
}

// Arguments returns the arguments of a tool call in the form that goes back to a target: a JSON string whose text is JSON.
// A string that is JSON stays byte for byte. An object or another value becomes its own text. Nothing, null and the empty
// string become "{}". A string that is no JSON, as a model may write it, is wrapped as {"malformed":<the string>}: servers
// parse the arguments of earlier calls and would refuse the whole request.
func Arguments(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" || string(raw) == `""` {
		return json.RawMessage(`"{}"`)
	}
	if raw[0] != '"' {
		return AppendQuoted(nil, string(raw))
	}
	s, err := unquote(raw)
	if err == nil && json.Valid([]byte(s)) {
		return raw
	}
	return AppendQuoted(nil, `{"malformed":`+string(raw)+`}`)
}

// withContent returns an assistant message that has a content, the message itself where it has one already.
func withContent(message []byte) []byte {
	list, err := members(message)
	if err != nil {
		return message
	}
	if m, ok := find(list, "content"); ok {
		if string(message[m.from:m.to]) != "null" {
			return message
		}
		return slices.Concat(message[:m.from], []byte(`""`), message[m.to:])
	}
	at := skipSpace(message, 0) + 1
	added := []byte(`"content":""`)
	if len(list) > 0 {
		added = append(added, ',')
	}
	return slices.Concat(message[:at], added, message[at:])
}
