package chat

import (
	"encoding/json"
	"slices"
)

// Draft is one message as a plan has it: a whole one, or one whose text is put together from pieces.
type Draft struct {
	JSON       json.RawMessage // the whole message; nil: the fields below
	Role       string
	ToolCallID string // empty: none
	Pieces     []Piece
	// Answer is, in a prompt of token ids, the turn whose answer stands here by its ids; then there are no other fields.
	Answer *uint32
}

// Piece is one part of a composed text: Inside, or the answer of a turn.
type Piece struct {
	// Inside is the inside of a JSON string, as AppendEscaped writes it. Long ones are shared, not copied, and never written to.
	Inside   []byte
	AnswerOf *uint32 // the turn whose answer stands here
}

// Hole is a place in a list of fragments that the answer of a turn fills.
type Hole struct {
	At   int
	Turn uint32
}

// Fragments writes drafts as the fragments that History.Append takes: between any two fragments of one message stands an
// empty one. A hole's fragment is empty until Fill.
func Fragments(list []Draft) ([]json.RawMessage, []Hole) {
	out := make([]json.RawMessage, 0, len(list))
	var holes []Hole
	for i := range list {
		out, holes = list[i].appendTo(out, holes)
	}
	return out, holes
}

// Fill returns the fragments with each hole filled by an answer's inside, see AnswerInside.
func Fill(fragments []json.RawMessage, holes []Hole, answer func(turn uint32) []byte) []json.RawMessage {
	if len(holes) == 0 {
		return fragments
	}
	filled := slices.Clone(fragments)
	for _, h := range holes {
		filled[h.At] = answer(h.Turn)
	}
	return filled
}

// Joined returns messages in one piece each that may have come in several, see Fragments.
func Joined(fragments []json.RawMessage) []json.RawMessage {
	if !slices.ContainsFunc(fragments, func(f json.RawMessage) bool { return len(f) == 0 }) {
		return fragments
	}
	var list []json.RawMessage
	goes := false // the last one goes on
	for _, f := range fragments {
		switch {
		case len(f) == 0:
			goes = true
		case goes:
			last := len(list) - 1
			list[last], goes = slices.Concat(list[last], f), false
		default:
			list = append(list, f)
		}
	}
	return list
}

// closing ends a composed message, whose last member is its content.
const closing = `"}`

func (d *Draft) appendTo(out []json.RawMessage, holes []Hole) ([]json.RawMessage, []Hole) {
	if d.JSON != nil {
		return append(out, d.JSON), holes
	}
	if d.Answer != nil {
		return append(out, nil), append(holes, Hole{At: len(out), Turn: *d.Answer})
	}
	for i, p := range d.parts() {
		if i > 0 {
			out = append(out, json.RawMessage{})
		}
		if p.AnswerOf != nil {
			holes = append(holes, Hole{At: len(out), Turn: *p.AnswerOf})
		}
		out = append(out, p.Inside)
	}
	return out, holes
}

// parts cuts a composed message into its fragments: small parts are joined, large ones and holes stay by themselves.
func (d *Draft) parts() []Piece {
	var list []Piece
	small := d.head()
	flush := func() {
		if len(small) > 0 {
			list = append(list, Piece{Inside: small})
		}
		small = nil
	}
	for _, p := range d.Pieces {
		if p.AnswerOf == nil && len(p.Inside) < sharedSize {
			small = append(small, p.Inside...)
			continue
		}
		flush()
		list = append(list, p)
	}
	small = append(small, closing...)
	flush()
	return list
}

// head is a composed message up to its text.
func (d *Draft) head() []byte {
	b := append([]byte(`{"role":`), AppendQuoted(nil, d.Role)...)
	if d.ToolCallID != "" {
		b = append(append(b, `,"tool_call_id":`...), AppendQuoted(nil, d.ToolCallID)...)
	}
	return append(b, `,"content":"`...)
}

// Whole returns the message in one piece; false where it holds the answer of a turn.
func (d *Draft) Whole() (json.RawMessage, bool) {
	if d.JSON != nil {
		return d.JSON, true
	}
	b := d.head()
	for _, p := range d.Pieces {
		if p.AnswerOf != nil {
			return nil, false
		}
		b = append(b, p.Inside...)
	}
	return append(b, closing...), true
}

// Text returns the text of the draft of an assistant message as AnswerInside gives it. It must have no holes.
func (d *Draft) Text(rule Thinking) []byte {
	if d.JSON != nil {
		return AnswerInside(d.JSON, rule)
	}
	var inside []byte
	for _, p := range d.Pieces {
		inside = append(inside, p.Inside...)
	}
	return inside
}

// AnswerInside returns the text of an assistant message as the inside of a JSON string: its content, "" where it has none;
// with Strip without the thinking at its start. Calls and reasoning in a field of its own are no part of it.
func AnswerInside(message json.RawMessage, rule Thinking) []byte {
	list, err := members(message)
	if err != nil {
		return nil
	}
	inside := contentInside(message, list)
	if rule != Strip {
		return inside
	}
	s, err := unquote(slices.Concat([]byte{'"'}, inside, []byte{'"'}))
	if err != nil {
		return inside
	}
	if stripped := StripThinking(s); len(stripped) != len(s) {
		return AppendEscaped(nil, stripped)
	}
	return inside
}

// OnlyText reports whether an answer joins a history as its text alone: AnswerInside is all of it.
func OnlyText(message json.RawMessage, rule Thinking) bool {
	list, err := members(message)
	if err != nil {
		return false
	}
	calls, called := find(list, "tool_calls")
	_, reasons := find(list, "reasoning_content")
	return (!called || message[calls.from] != '[') && (!reasons || rule == Strip)
}

// contentInside returns the inside of a message's content; the texts of a list of parts are joined.
func contentInside(message []byte, list []member) []byte {
	m, ok := find(list, "content")
	switch {
	case !ok:
		return nil
	case message[m.from] == '"':
		return message[m.from+1 : m.to-1]
	}
	array := message[m.from:m.to]
	parts, err := elements(array)
	if err != nil {
		return nil
	}
	var inside []byte
	for _, p := range parts {
		part := array[p.from:p.to]
		fields, err := members(part)
		if err != nil {
			continue
		}
		if t, ok := find(fields, "text"); ok && part[t.from] == '"' {
			inside = append(inside, part[t.from+1:t.to-1]...)
		}
	}
	return inside
}
