package chat

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ToolResults says how the results of several tool calls of one answer are sent.
type ToolResults string

// Rules for the results of parallel calls.
const (
	// Apart sends one tool message for each call, as the trajectory has them.
	Apart ToolResults = "apart"
	// Merged makes one call of parallel calls, and one result of their results: the texts one behind the other, so that the
	// lengths add up. Applied Compute's traces are made by this rule.
	Merged ToolResults = "merged"
)

// MergeResults returns messages by the rule Merged: the calls of each assistant message become one, see MergeCalls, and tool
// messages that stand together become one, with the id of the first.
func MergeResults(list []Draft) ([]Draft, error) {
	merged := make([]Draft, 0, len(list))
	last := "" // role of the message before
	for _, d := range list {
		role, err := d.role()
		if err != nil {
			return nil, err
		}
		if role == "tool" && last == "tool" {
			end := len(merged) - 1
			if merged[end], err = joinResults(merged[end], d); err != nil {
				return nil, err
			}
			continue
		}
		last = role
		if role == "assistant" && d.JSON != nil {
			if d.JSON, err = MergeCalls(d.JSON); err != nil {
				return nil, err
			}
		}
		merged = append(merged, d)
	}
	return merged, nil
}

func (d *Draft) role() (string, error) {
	if d.JSON == nil {
		return d.Role, nil
	}
	list, err := members(d.JSON)
	if err != nil {
		return "", fmt.Errorf("read role: %w", err)
	}
	role, _ := text(d.JSON, list, "role")
	return role, nil
}

// joinResults puts the text of one tool message behind that of another.
func joinResults(a, b Draft) (Draft, error) {
	a, err := composed(a)
	if err != nil {
		return a, err
	}
	b, err = composed(b)
	a.Pieces = slices.Concat(a.Pieces, b.Pieces)
	return a, err
}

var errNoText = errors.New("merge tool results: one holds more than text")

// composed returns a whole tool message as a composed one. It must hold nothing but text.
func composed(d Draft) (Draft, error) {
	if d.JSON == nil {
		return d, nil
	}
	list, err := members(d.JSON)
	if err != nil {
		return d, fmt.Errorf("merge tool results: %w", err)
	}
	if m, ok := find(list, "content"); ok && d.JSON[m.from] == '[' && !onlyText(d.JSON[m.from:m.to]) {
		return d, errNoText
	}
	id, _ := text(d.JSON, list, "tool_call_id")
	return Draft{Role: "tool", ToolCallID: id, Pieces: []Piece{{Inside: contentInside(d.JSON, list)}}}, nil
}

// onlyText reports whether every part of a list of contents is text.
func onlyText(array []byte) bool {
	parts, err := elements(array)
	return err == nil && !slices.ContainsFunc(parts, func(p member) bool {
		list, err := members(array[p.from:p.to])
		_, ok := find(list, "text")
		return err != nil || !ok
	})
}

// MergeCalls returns an assistant message with one tool call in place of several: the id and name of the first, and as
// arguments an object of those of all, by their names. The n-th call has n behind its name where the name was there before. A
// message with at most one call is returned as it is.
func MergeCalls(message json.RawMessage) (json.RawMessage, error) {
	list, err := members(message)
	if err != nil {
		return nil, fmt.Errorf("merge tool calls: %w", err)
	}
	m, ok := find(list, "tool_calls")
	if !ok || message[m.from] != '[' {
		return message, nil
	}
	array := message[m.from:m.to]
	items, err := elements(array)
	if err != nil {
		return nil, fmt.Errorf("merge tool calls: %w", err)
	}
	if len(items) < 2 {
		return message, nil
	}
	head, separator := "", "{"
	var all []byte
	names := map[string]bool{}
	for i, item := range items {
		id, name, arguments, err := callParts(array[item.from:item.to])
		if err != nil {
			return nil, fmt.Errorf("merge tool calls: call %d: %w", i, err)
		}
		if i == 0 {
			head = `[{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":`
		}
		for base, n := name, i+1; names[name]; n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		names[name] = true
		all = append(append(all, separator+`"`+name+`":`...), arguments...)
		separator = ","
	}
	call := append(AppendQuoted([]byte(head), string(all)+"}"), "}}]"...)
	return slices.Concat(message[:m.from], call, message[m.to:]), nil
}

// callParts returns the insides of a call's id and name, and its arguments as JSON.
func callParts(call []byte) (id, name string, arguments []byte, err error) {
	list, err := members(call)
	if err != nil {
		return "", "", nil, err
	}
	var fn []byte
	var fields []member
	if m, ok := find(list, "function"); ok && call[m.from] == '{' {
		fn = call[m.from:m.to]
		if fields, err = members(fn); err != nil {
			return "", "", nil, err
		}
	}
	var raw []byte
	if m, ok := find(fields, "arguments"); ok {
		raw = fn[m.from:m.to]
	}
	s, err := unquote(Arguments(raw))
	return inside(call, list, "id", ""), inside(fn, fields, "name", ""), []byte(s), err
}
