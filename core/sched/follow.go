package sched

import (
	"context"
	"slices"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// followed is a conversation whose lengths follow what the target tells of the turns before: its plan has taken answers for as
// long as they are to be.
type followed struct {
	writer *writer
	newest []byte // the newest answer's text, where it joined as nothing else; nil: it is not to be counted
	of     int    // its turn
}

// beginLengths readies a conversation whose lengths follow.
func (c *conversation) beginLengths() {
	r := c.run
	if c.member.Info.Live || !r.lengths.Follows(c.member.History == chat.Live) || !composed(c.turns) {
		return
	}
	w := r.writer(c.member, c.turns)
	w.Made, w.asks = make([]trajectory.Made, len(c.turns)), make([]int64, len(c.turns))
	c.follows, c.script, c.texts = &followed{writer: &w}, r.composer.Begin(c.owner(), true), slices.Clone(c.texts)
}

// told lets later turns make up for lengths that came otherwise.
func (c *conversation) told(i int, a *chat.Answer) {
	f := c.follows
	if f == nil {
		return
	}
	f.newest = nil
	if a == nil || !a.Usage.Reported {
		return
	}
	c.script.Told(&c.turns[i], a.Usage.PromptTokens+uint64(c.plan.leftOut(i)), a.Usage.CompletionTokens)
	if rule := c.run.config.Thinking; c.asked.Tokenizer != nil && chat.OnlyText(a.Message, rule) {
		f.newest, f.of = chat.AnswerInside(a.Message, rule), i
	}
}

// Bounds of asking the target's tokenizer about an answer.
const (
	countText  = 256 << 10 // bytes of it
	countTime  = 2 * time.Second
	countSpare = 10 * time.Millisecond // before the next turn is due, so that its request is ready in time
)

// count asks the target's tokenizer about the newest answer while the delay before the next turn runs. What does not come in
// time is left to the expectation.
func (c *conversation) count(ctx context.Context, s *sample.Sample, due sample.Offset) {
	f, r := c.follows, c.run
	if f == nil || len(f.newest) == 0 || len(f.newest) > countText {
		return
	}
	text := f.newest
	f.newest = nil
	left := min(time.Duration(due-r.now())-countSpare, countTime)
	if left < countSpare || r.isStopped() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	s.Basis = &sample.Basis{Asked: true}
	if tokens, err := c.asked.Tokenizer.Tokens(ctx, text); err == nil {
		s.Basis.Counted = true
		c.script.Counted(&c.turns[f.of], tokens)
	}
}

// follow makes the messages of turn i anew where lengths follow what the target told.
func (c *conversation) follow(i int, s *sample.Sample) error {
	if c.follows == nil {
		return nil
	}
	w := c.follows.writer
	basis := s.Followed()
	basis.MicroTokens = c.script.Basis(&c.turns[i])
	if err := w.turn(c.script, i); err != nil {
		return err
	}
	if basis.Least = w.least; basis != (sample.Basis{}) {
		s.Basis = &basis
	}
	if _, opens := c.opening(i); opens { // nothing was told that it could follow
		return nil
	}
	prompt := c.texts[i].prompt
	said, err := w.text(i)
	c.texts[i], c.texts[i].prompt = said, prompt
	return err
}
