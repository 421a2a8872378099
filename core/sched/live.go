package sched

import (
	"context"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// maxTurns is the most turns of one conversation, as it is of one trajectory.
const maxTurns = 100_000

// step asks a live agent what follows its turn i; nil: the conversation goes on, or is over in order.
func (c *conversation) step(ctx context.Context, i int, s *sample.Sample) *breakOff {
	r := c.run
	s.Timing.NextStart = r.now()
	step, err := c.member.Folder.Next(ctx, c.state, s.Turn, &s.Exchange)
	s.Timing.NextDone = r.now()
	c.free = max(c.free, s.Timing.NextDone)
	off := &breakOff{from: i + 1, cause: sample.CausePlugin, state: sample.Broken}
	switch {
	case err != nil && ctx.Err() != nil:
		off.cause, off.state = sample.CauseRunEnded, sample.Ended
		return off
	case err != nil:
		off.why = fmt.Sprintf("step after turn %d: %v", s.Turn, err)
		return off
	}
	if err := c.extend(step.Turns); err != nil { // its turns are not recorded as planned: they never will have samples
		off.why = fmt.Sprintf("step after turn %d: %v", s.Turn, err)
		return off
	}
	r.need.Recorder.Stepped(s.ID, &step, s.Timing.NextStart, s.Timing.NextDone)
	c.state = step.State
	if step.End != nil {
		c.over = true
		c.record.Outcome, c.record.Result = step.End.Outcome, step.End.Result
	}
	return nil
}

// stuck ends a live conversation whose agent, after all its turns, neither went on nor ended it.
func (c *conversation) stuck(turn uint32) *breakOff {
	why := fmt.Sprintf("step after turn %d: the agent gave neither turns nor an end", turn)
	return &breakOff{from: len(c.turns), cause: sample.CausePlugin, state: sample.Broken, why: why}
}

// extend adds turns to the conversation. Where they cannot be played they are not added.
func (c *conversation) extend(turns []trajectory.Turn) error {
	if len(turns) == 0 {
		return nil
	}
	t, from := c.plan.trajectory, len(c.turns)
	if !c.own { // the plan's own lists are shared
		c.turns, c.texts, c.shells = slices.Clip(c.turns), slices.Clip(c.texts), slices.Clip(c.shells)
		c.own = true
	}
	all := append(c.turns, turns...)
	if len(all) > maxTurns {
		return fmt.Errorf("more than %d turns", maxTurns)
	}
	if err := trajectory.CheckTurns(t.ID, all, from); err != nil {
		return err
	}
	if features := trajectory.UnplayableTurns(all, from); len(features) > 0 {
		return &trajectory.UnplayableError{Trajectory: t.ID, Features: features}
	}
	texts, shells := c.texts, c.shells
	w := c.run.writer(c.member, all)
	if err := c.further(&w, from); err != nil {
		return err
	}
	begin := openings(all, from)
	for i := from; i < len(all); i++ {
		said, err := w.text(i)
		if err == nil && slices.Contains(begin, i) {
			err = c.open(&w, &said, i)
		}
		if err != nil {
			return fmt.Errorf("turn %d: %w", all[i].Index, err)
		}
		shell, err := c.shell(all, shells, i)
		if err != nil {
			return fmt.Errorf("turn %d: %w", all[i].Index, err)
		}
		shells, texts = append(shells, shell), append(texts, said)
	}
	c.turns, c.texts, c.shells = all, texts, shells
	if c.graph != nil || trajectory.Branches(all, from) {
		c.graph = trajectory.NewGraph(all)
	}
	return nil
}

// further has the messages made that a live conversation's further turns are composed of.
func (c *conversation) further(w *writer, from int) error {
	if !w.ids && !composed(w.Turns[from:]) {
		return nil
	}
	first := from
	if c.script == nil { // it has to know the turns before
		c.script, first = c.run.composer.Begin(c.owner(), c.member.History == chat.Live), 0
	}
	w.Made, w.asks = make([]trajectory.Made, len(w.Turns)), make([]int64, len(w.Turns))
	for i := first; i < len(w.Turns); i++ {
		if err := w.turn(c.script, i); err != nil {
			return fmt.Errorf("turn %d: %w", w.Turns[i].Index, err)
		}
	}
	return nil
}

// open readies and salts the text of a turn that begins a history.
func (c *conversation) open(w *writer, t *text, i int) error {
	drafts, err := w.open(t, i)
	if err != nil || w.ids || filler.OwnSalt(w.Turns[i:]) {
		return err
	}
	return c.run.salt(t, drafts, c.member.id(c.plan.trajectory.ID), &w.Turns[i], c.record.Repeat)
}

// shell returns what surrounds the messages of turn i: that of the turn before it where both say the same.
func (c *conversation) shell(turns []trajectory.Turn, before []*chat.Shell, i int) (*chat.Shell, error) {
	turn, last := &turns[i], &turns[i-1]
	if turn.Params == nil && last.Params == nil && turn.MaxTokens == last.MaxTokens && turn.ExactTokens == last.ExactTokens {
		return before[i-1], nil
	}
	return c.member.shell(&c.run.config, c.plan.trajectory, turn)
}
