package sched

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
)

// Notes of turns whose tool results did not fit the calls of the live answer before them; see chat.Pairing.
const (
	NoteResultFilled = "tool_result_filled" // a call without a result got an empty one
	NoteResultMoved  = "tool_result_moved"  // a result without a call went as a user message
)

// turn plays turn i; nil: the conversation goes on. The request is made while the tool delay runs.
func (c *conversation) turn(ctx context.Context, i int) *breakOff {
	r := c.run
	s := c.sample(i)
	s.Planned = c.planned(i)
	due := c.free + sample.Offset(r.delay(s, c.turns[i].Delay))
	req, pairing, off := c.request(i, c.history)
	if off != nil {
		return off
	}
	if !c.user.wait(due) {
		return &breakOff{from: i, cause: sample.CauseRunEnded, state: sample.Ended}
	}
	c.free = c.issue(ctx, req, s, due)
	noteResults(s, pairing)
	if s.Outcome == sample.OK {
		off = c.answered(ctx, i, s)
	} else {
		off = c.failed(i, s)
	}
	r.progress.turn(s)
	r.need.Recorder.Sampled(s)
	return off
}

func (c *conversation) sample(i int) *sample.Sample {
	s := &sample.Sample{ID: c.id(i)}
	s.Timing = sample.NoTiming()
	return s
}

// delay returns the tool time that is waited before a turn, and notes how much of the planned one the limit took away.
func (r *run) delay(s *sample.Sample, planned time.Duration) time.Duration {
	if r.config.NoDelays {
		return 0
	}
	if limit := r.config.MaxDelay; limit > 0 && planned > limit {
		s.DelayCut = planned - limit
		return limit
	}
	return planned
}

// request lets turn i's messages join a history and makes its request.
func (c *conversation) request(i int, h *chat.History) (*chat.Request, chat.Pairing, *breakOff) {
	var req *chat.Request
	var pairing chat.Pairing
	err := c.follow(i)
	if err == nil {
		pairing, err = c.text(i).join(h, c.inside)
	}
	if err == nil {
		req, err = c.body(i, h)
	}
	if err != nil {
		why := fmt.Sprintf("turn %d: %v", c.turns[i].Index, err)
		return nil, pairing, &breakOff{from: i, cause: sample.CausePlugin, state: sample.Broken, why: why}
	}
	req.Headers = c.headers
	return req, pairing, nil
}

// body puts a history so far into the body of turn i.
func (c *conversation) body(i int, h *chat.History) (*chat.Request, error) {
	if c.run.exact() {
		return c.shells[i].Tokens(h.Messages())
	}
	return c.shells[i].Body(h.Messages()), nil
}

// text is what turn i says.
func (c *conversation) text(i int) *text {
	if c.salted != nil {
		if k, found := c.opening(i); found {
			return &c.salted[k]
		}
	}
	return &c.texts[i]
}

// opening finds turn i among the plan's openings.
func (c *conversation) opening(i int) (at int, found bool) {
	return slices.BinarySearchFunc(c.plan.openings, i, func(o opening, i int) int { return o.turn - i })
}

// inside is the text of a live answer that a message holds.
func (c *conversation) inside(turn uint32) []byte {
	return chat.AnswerInside(c.answers[turn], c.run.config.Thinking)
}

// issue sends a request and returns when its answer was complete.
func (c *conversation) issue(ctx context.Context, req *chat.Request, s *sample.Sample, due sample.Offset) sample.Offset {
	r := c.run
	ctx, cancel := context.WithTimeout(ctx, r.config.TurnTimeout)
	defer cancel()
	s.Phase, s.RequestBytes, s.Timing.Due = r.phases.current(), req.Size, due
	r.progress.sent.Add(1)
	r.progress.inFlight.Add(1)
	r.need.Recorder.Sent(s.ID, r.now(), req.Size)
	c.issuer.Issue(ctx, req, &s.Exchange)
	r.progress.inFlight.Add(-1)
	s.Timing.Due = due // whatever the issuer made of it
	if s.Timing.Done.Set() {
		return s.Timing.Done
	}
	return r.now()
}

func noteResults(s *sample.Sample, p chat.Pairing) {
	s.Rewrites = p.Rewrites
	if p.Filled > 0 {
		note(s, NoteResultFilled)
	}
	if p.Moved > 0 {
		note(s, NoteResultMoved)
	}
}

// note adds to the notes of a turn, which are sorted.
func note(s *sample.Sample, text string) {
	notes := append(slices.Clone(s.Notes), text)
	slices.Sort(notes)
	s.Notes = notes
}

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
	if c.member.Info.Live || c.graph != nil && c.graph.Forked(i) {
		if c.forks == nil {
			c.forks = map[int]*chat.History{}
		}
		c.forks[i] = h.Fork()
	}
	return nil
}

func (c *conversation) add(i int, h *chat.History, s *sample.Sample) *breakOff {
	var err error
	switch {
	case c.member.History == chat.Recorded:
		err = c.texts[i].answer(h)
	case c.run.exact():
		if c.joinTokens(i, h, s.Answer) {
			note(s, NoteAnswerReplaced)
		}
	default:
		c.told(i, s.Answer)
		err = h.Live(s.Answer)
	}
	if err != nil {
		why := fmt.Sprintf("turn %d: %v", s.Turn, err)
		return &breakOff{from: i + 1, cause: sample.CausePriorFailure, state: sample.Failed, why: why}
	}
	if c.member.History == chat.Live && s.Answer != nil && (c.member.Info.Live || c.plan.kept[s.Turn]) {
		if c.answers == nil {
			c.answers = map[uint32]json.RawMessage{}
		}
		c.answers[s.Turn] = s.Answer.Message
	}
	return nil
}

// failed ends a conversation whose turn i did not succeed.
func (c *conversation) failed(i int, s *sample.Sample) *breakOff {
	if s.Outcome == sample.Cancelled {
		return &breakOff{from: i + 1, cause: sample.CauseRunEnded, state: sample.Ended}
	}
	why := fmt.Sprintf("turn %d: %s", c.turns[i].Index, s.Outcome)
	off := &breakOff{from: i + 1, cause: sample.CausePriorFailure, state: sample.Failed, why: why}
	if s.Outcome == sample.ContextOverflow {
		off.state = sample.Overflow
	}
	return off
}
