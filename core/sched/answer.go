package sched

import (
	"context"
	"encoding/json"
	"fmt"

	"paceline/core/chat"
	"paceline/core/sample"
)

// answered takes a good answer into the history, and asks a live agent what it does next.
func (c *conversation) answered(ctx context.Context, i int, s *sample.Sample) *breakOff {
	if !c.member.Info.Live && i == len(c.turns)-1 {
		return nil // nothing reads the history any more
	}
	if off := c.join(i, c.history, s); off != nil || !c.member.Info.Live {
		return off
	}
	if off := c.step(ctx, i, s); off != nil {
		return off
	}
	if !c.over && i == len(c.turns)-1 {
		return c.stuck(s.Turn)
	}
	return nil
}

// join takes turn i's good answer into a history.
func (c *conversation) join(i int, h *chat.History, s *sample.Sample) *breakOff {
	if off := c.add(i, h, s); off != nil {
		return off
	}
	c.keepFork(i, h)
	return nil
}

// keepFork keeps the history after turn i where a branch goes on from it, or may.
func (c *conversation) keepFork(i int, h *chat.History) {
	if !c.member.Info.Live && (c.graph == nil || !c.graph.Forked(i)) {
		return
	}
	if c.forks == nil {
		c.forks = map[int]*chat.History{}
	}
	c.forks[i] = h.Fork()
}

// keepAnswer keeps an answer that other turns' messages hold.
func (c *conversation) keepAnswer(turn uint32, message json.RawMessage) {
	if c.answers == nil {
		c.answers = map[uint32]json.RawMessage{}
	}
	c.answers[turn] = message
}

func (c *conversation) add(i int, h *chat.History, s *sample.Sample) *breakOff {
	var err error
	switch {
	case c.member.History == chat.Recorded:
		err = c.texts[i].answer(h)
	case c.run.exact():
		ids, replaced := c.ids(i, s.Answer)
		if replaced {
			note(s, NoteAnswerReplaced)
		}
		h.Begin(ids...)
		c.keep(s.Turn, ids)
	default:
		c.told(i, s.Answer)
		err = h.Live(s.Answer)
		if s.Answer != nil {
			c.keep(s.Turn, []json.RawMessage{s.Answer.Message})
		}
	}
	if err != nil {
		why := fmt.Sprintf("turn %d: %v", s.Turn, err)
		return &breakOff{from: i + 1, cause: sample.CausePriorFailure, state: sample.Failed, why: why}
	}
	return nil
}

// keep keeps a live answer that messages of other turns hold, or may come to hold.
func (c *conversation) keep(turn uint32, answer []json.RawMessage) {
	if c.member.Info.Live || c.plan.kept[turn] {
		c.keepAnswer(turn, joined(answer))
	}
}
