package filler

import (
	"encoding/json"

	"paceline/core/chat"
)

// Message is one message, made: JSON or a fragment of token ids as it is, or text in pieces.
type Message struct {
	JSON       json.RawMessage // nil: the fields below
	Role       string
	ToolCallID string // empty: none
	Pieces     []Piece
}

// Piece is a part of a message's text: the inside of a JSON string. Long ones are shared and never written to.
type Piece struct{ Inside []byte }

// sharedSize is the least length of a piece that is shared: smaller ones cost more by themselves than their copy does.
const sharedSize = 128

// Fragments writes messages as the fragments of a history: an empty one between any two that are of the same message. A
// message without a long piece is one fragment.
func Fragments(list []Message) []json.RawMessage {
	out := make([]json.RawMessage, 0, len(list))
	for i := range list {
		out = list[i].fragments(out)
	}
	return out
}

const closing = `"}`

func (m *Message) fragments(out []json.RawMessage) []json.RawMessage {
	if m.JSON != nil {
		return append(out, m.JSON)
	}
	small := m.head()
	for _, p := range m.Pieces {
		if len(p.Inside) < sharedSize {
			small = append(small, p.Inside...)
			continue
		}
		if len(small) > 0 {
			out = append(out, small, json.RawMessage{})
		}
		out, small = append(out, p.Inside, json.RawMessage{}), nil
	}
	if small == nil {
		return append(out, json.RawMessage(closing))
	}
	return append(out, append(small, closing...))
}

// Whole returns the message in one piece.
func (m *Message) Whole() json.RawMessage {
	if m.JSON != nil {
		return m.JSON
	}
	b := m.head()
	for _, p := range m.Pieces {
		b = append(b, p.Inside...)
	}
	return append(b, closing...)
}

// head is the message up to its text.
func (m *Message) head() json.RawMessage {
	b := chat.AppendQuoted(json.RawMessage(`{"role":`), m.Role)
	if m.ToolCallID != "" {
		b = chat.AppendQuoted(append(b, `,"tool_call_id":`...), m.ToolCallID)
	}
	return append(b, `,"content":"`...)
}
