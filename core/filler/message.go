package filler

import (
	"fmt"

	"paceline/core/chat"
	"paceline/core/trajectory"
)

// message makes one message; one of token ids comes as several, and an empty one as none.
func (s *Script) message(l *line, m *trajectory.Message) ([]chat.Draft, error) {
	if m.Composed == nil {
		l.unknown, l.blind, l.begun, l.asked, l.answer = true, true, true, true, false
		if s.Exact() {
			return nil, errNoIDs
		}
		return []chat.Draft{{JSON: m.JSON}}, nil
	}
	l.micro += s.around(l, m.Composed.Role) * micro
	l.begun, l.answer, l.asked = true, false, l.asked || m.Composed.Role != "system"
	var pieces []chat.Piece
	for i := range m.Composed.Pieces {
		made, err := s.piece(l, &m.Composed.Pieces[i], i == 0)
		if err != nil {
			return nil, fmt.Errorf("piece %d: %w", i, err)
		}
		pieces = append(pieces, made...)
	}
	if !s.Exact() {
		return []chat.Draft{{Role: m.Composed.Role, ToolCallID: m.Composed.ToolCallID, Pieces: pieces}}, nil
	}
	return s.fragments(pieces), nil
}

// fragments are pieces of token ids as messages.
func (s *Script) fragments(pieces []chat.Piece) []chat.Draft {
	list := make([]chat.Draft, len(pieces))
	for i, p := range pieces {
		list[i].JSON, list[i].Answer = p.Inside, p.AnswerOf
	}
	return list
}

// piece makes one piece of a message.
func (s *Script) piece(l *line, p *trajectory.Piece, first bool) ([]chat.Piece, error) {
	if p.Filler != nil {
		return s.filler(l, p.Filler, first), nil
	}
	if p.AnswerOfTurn != nil {
		s.inserted(l, *p.AnswerOfTurn)
		return []chat.Piece{{AnswerOf: p.AnswerOfTurn}}, nil
	}
	l.unknown, l.blind = true, true
	if s.Exact() {
		return nil, errNoIDs
	}
	return []chat.Piece{{Inside: chat.AppendEscaped(nil, string(p.Text))}}, nil
}

// inserted takes in the answer of another turn that a message holds. That of a turn without an exact length has any.
func (s *Script) inserted(l *line, turn uint32) {
	n := s.wrote[turn]
	l.wanted += n
	l.micro += n * s.c.lengths.answer()
	l.unknown, l.blind = l.unknown || n == 0, true
}

// around is what the target's template puts around a message, in tokens.
func (s *Script) around(l *line, role string) int64 {
	o := &s.c.lengths.Overhead
	switch {
	case s.Exact() && l.begun:
		return 0
	case s.Exact():
		return s.c.lengths.Added
	case role == "assistant":
		return 0 // counted with the message behind it
	case role == "system" && !l.asked:
		return o.System
	case !l.asked:
		return o.Prompt
	case l.answer:
		return o.Turn
	}
	return o.Turn / 2 // two of the client's in a row: nothing was measured for that
}

// filler makes so much filler that the line has the tokens that it is to have, but at least a word. first says that the
// message begins with it.
func (s *Script) filler(l *line, f *trajectory.Filler, first bool) []chat.Piece {
	if f.Tokens == 0 {
		return nil
	}
	unit := int64(micro)
	if !s.Exact() {
		unit = s.c.lengths.Word
	}
	l.wanted += int64(f.Tokens)
	if l.wanted > maxPrompt {
		return nil // the turn is refused
	}
	n := (l.wanted*micro - l.micro + unit/2) / unit
	l.least = n < 1
	n = max(n, 1)
	l.micro += n * unit
	mark, rest := s.c.made().slice(s.seedOf(f), int(n))
	if first && !s.Exact() {
		mark = mark[1:] // templates trim messages
	}
	pieces := []chat.Piece{{Inside: mark}}
	for _, r := range rest {
		pieces = append(pieces, chat.Piece{Inside: r})
	}
	if s.Exact() { // their commas stand in the body
		for i := range pieces {
			pieces[i].Inside = pieces[i].Inside[:len(pieces[i].Inside)-1]
		}
	}
	return pieces
}
