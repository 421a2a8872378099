package filler

import (
	"fmt"

	"paceline/core/chat"
	"paceline/core/trajectory"
)

// Script makes the messages of one conversation, turn after turn. It is not safe for concurrent use.
type Script struct {
	c     *Composer
	owner Owner
	live  bool
	lines map[uint32]*line // by branch
	wrote map[uint32]int64 // by turn: the tokens of its answer, where they are known
	after map[uint32]line  // by turn: where a branch goes on that forks there
}

// line is how far one branch of a conversation has come.
type line struct {
	wanted  int64 // tokens that the trajectory says there are
	micro   int64 // millionths of tokens that there will be
	begun   bool  // it has a message
	asked   bool  // one of them is neither the system's nor an answer
	answer  bool  // the last one is an answer
	unknown bool  // it has something whose tokens nobody said

	// Of the newest answer, where the target told of it: how many tokens it counted, for how many millionths they were taken in
	// micro, what micro was when the request behind it was made, and whether that has something whose tokens nobody said.
	wrote, newest, sent int64
	blind               bool

	least bool // see Made
}

// maxPrompt bounds the tokens of a prompt, and of what stands for an answer: they come from strangers.
const maxPrompt = 1 << 24

// Begin starts a conversation; live says that the target's answers join its history, and not the recorded ones.
func (c *Composer) Begin(o Owner, live bool) *Script {
	return &Script{c: c, owner: o, live: live, lines: map[uint32]*line{}, wrote: map[uint32]int64{}, after: map[uint32]line{}}
}

// Exact reports whether the messages are token ids.
func (s *Script) Exact() bool { return s.c.lengths.Mode == Exact }

// Turn makes the next turn. A turn comes behind the one before it in its branch, and behind the one that its branch forks from.
func (s *Script) Turn(t *trajectory.Turn) (Made, error) {
	l := s.line(t)
	l.least = false
	var m Made
	for i := range t.Append {
		made, err := s.message(l, &t.Append[i])
		if err != nil {
			return m, fmt.Errorf("message %d: %w", i, err)
		}
		m.Append = append(m.Append, made...)
	}
	if l.wanted > maxPrompt {
		return m, fmt.Errorf("it asks for a prompt of %d tokens, and %d are the most", l.wanted, maxPrompt)
	}
	if !l.unknown {
		m.Prompt = l.wanted
	}
	l.sent, m.Least = l.micro, l.least
	err := s.answered(l, t, &m)
	s.after[t.Index] = *l
	return m, err
}

// line is the branch of a turn, as far as it has come before it.
func (s *Script) line(t *trajectory.Turn) *line {
	l := s.lines[t.Branch]
	if l == nil {
		l = new(line)
		if t.ForkOf != nil {
			*l = s.after[*t.ForkOf]
		}
		s.lines[t.Branch] = l
	}
	return l
}

// answered lets the turn's answer join the line: the target's own, of which only a forced length is known, or the recorded one.
func (s *Script) answered(l *line, t *trajectory.Turn, m *Made) (err error) {
	if s.live {
		s.wrote[t.Index] = int64(t.ExactTokens)
		l.wanted += int64(t.ExactTokens)
		l.micro += int64(t.ExactTokens) * s.c.lengths.answer()
		l.unknown = l.unknown || t.ExactTokens == 0
		l.answer = true
		return nil
	}
	if t.Recorded == nil {
		return nil
	}
	before := l.wanted
	if m.Recorded, err = s.message(l, t.Recorded); err != nil {
		return fmt.Errorf("recorded answer: %w", err)
	}
	l.answer = true
	s.wrote[t.Index] = l.wanted - before
	return nil
}

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
