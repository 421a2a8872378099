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

// StandIn makes what stands for the answer of the turn that was made last in its branch, which the target was not asked for,
// and sets the script right by how long that came out. It is for live histories.
func (s *Script) StandIn(t *trajectory.Turn, tokens uint64) []chat.Draft {
	l := s.lines[t.Branch]
	drafts, made := s.c.standIn(s.owner, t.Index, tokens)
	l.micro += made - int64(t.ExactTokens)*s.c.lengths.answer()
	s.after[t.Index] = *l
	return drafts
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
