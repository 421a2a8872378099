package chat

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// Parts collects an assistant message out of received pieces. Texts are the insides of JSON strings exactly as the target
// wrote them, so that nothing is decoded and encoded again on the way, and a surrogate pair that was cut between two events
// is whole again once its halves stand side by side.
type Parts struct {
	Content      []byte
	GotContent   bool // content came as a string, perhaps an empty one
	NullContent  bool // content came as null
	Reasoning    []byte
	GotReasoning bool
	Calls        []CallParts // in the order of their index
}

// CallParts is one tool call out of received pieces, texts as in Parts.
type CallParts struct {
	Index     int
	ID        []byte
	Type      []byte
	Name      []byte
	Arguments []byte
}

// Reset empties p and keeps its memory.
func (p *Parts) Reset() {
	calls := p.Calls[:cap(p.Calls)]
	for i := range calls {
		c := &calls[i]
		*c = CallParts{ID: c.ID[:0], Type: c.Type[:0], Name: c.Name[:0], Arguments: c.Arguments[:0]}
	}
	*p = Parts{Content: p.Content[:0], Reasoning: p.Reasoning[:0], Calls: calls[:0]}
}

// Call returns the call with that index; a new one is put at its place in the order of indices.
func (p *Parts) Call(index int) *CallParts {
	at := len(p.Calls)
	for i := range p.Calls {
		if p.Calls[i].Index == index {
			return &p.Calls[i]
		}
		if p.Calls[i].Index > index {
			at = i
			break
		}
	}
	if len(p.Calls) < cap(p.Calls) {
		p.Calls = p.Calls[:len(p.Calls)+1]
	} else {
		p.Calls = append(p.Calls, CallParts{})
	}
	fresh := p.Calls[len(p.Calls)-1]
	copy(p.Calls[at+1:], p.Calls[at:])
	fresh.Index = index
	p.Calls[at] = fresh
	return &p.Calls[at]
}

// Empty reports whether no text of any kind came.
func (p *Parts) Empty() bool {
	return len(p.Content) == 0 && len(p.Reasoning) == 0 && len(p.Calls) == 0
}

// Message returns the assistant message as JSON. Fields that never came are left out, except the role.
func (p *Parts) Message() json.RawMessage {
	size := len(p.Content) + len(p.Reasoning) + 64
	for i := range p.Calls {
		size += len(p.Calls[i].Arguments) + len(p.Calls[i].Name) + len(p.Calls[i].ID) + 96
	}
	b := append(make([]byte, 0, size), `{"role":"assistant"`...)
	switch {
	case p.GotContent:
		b = appendField(b, "content", p.Content)
	case p.NullContent:
		b = append(b, `,"content":null`...)
	}
	if p.GotReasoning {
		b = appendField(b, "reasoning_content", p.Reasoning)
	}
	if len(p.Calls) > 0 {
		b = append(b, `,"tool_calls":[`...)
		for i := range p.Calls {
			if i > 0 {
				b = append(b, ',')
			}
			b = p.Calls[i].append(b)
		}
		b = append(b, ']')
	}
	b = append(b, '}')
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
	}
	return b
}

func (c *CallParts) append(b []byte) []byte {
	b = append(b, '{')
	if len(c.ID) > 0 {
		b = append(b, `"id":"`...)
		b = append(append(b, c.ID...), `",`...)
	}
	b = append(b, `"type":"`...)
	if len(c.Type) > 0 {
		b = append(b, c.Type...)
	} else {
		b = append(b, "function"...)
	}
	b = append(b, `","function":{"name":"`...)
	b = append(b, c.Name...)
	b = appendField(append(b, '"'), "arguments", c.Arguments)
	return append(b, "}}"...)
}

// appendField appends a further member whose value is the string with the given inside.
func appendField(b []byte, key string, inside []byte) []byte {
	b = append(b, `,"`...)
	b = append(b, key...)
	b = append(b, `":"`...)
	b = append(b, inside...)
	return append(b, '"')
}
