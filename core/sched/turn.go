package sched

import (
	"context"
	"fmt"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
)

// turn plays turn i; nil: the conversation goes on. The request is made while the tool delay runs.
func (c *conversation) turn(ctx context.Context, i int) *breakOff {
	r := c.run
	s := c.sample(i)
	s.Planned = c.planned(i)
	due := c.free + sample.Offset(c.delay(s, i))
	c.count(ctx, s, due)
	req, pairing, off := c.request(i, c.history, s)
	if off != nil {
		return off
	}
	if !c.user.wait(due) {
		return &breakOff{from: i, cause: sample.CauseRunEnded, state: sample.Ended}
	}
	c.free = c.issue(ctx, req, s, due)
	noteResults(s, pairing)
	c.noteReach(s, i)
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

// delay is what is waited before turn i: of the first turn that is played, what is left of its delay.
func (c *conversation) delay(s *sample.Sample, i int) time.Duration {
	if c.from > 0 && i == c.from {
		return c.record.Part.Wait
	}
	return c.run.delay(s, c.turns[i].Delay)
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

// issue sends a request and returns when its answer was complete.
func (c *conversation) issue(ctx context.Context, req *chat.Request, s *sample.Sample, due sample.Offset) sample.Offset {
	r := c.run
	ctx, cancel := context.WithTimeout(ctx, r.config.TurnTimeout)
	defer cancel()
	s.Phase, s.RequestBytes, s.Timing.Due = r.phases.current(), req.Size, due
	r.progress.sent.Add(1)
	r.progress.inFlight.Add(1)
	r.need.Recorder.Sent(s.ID, r.now(), req.Size)
	c.asked.Issuer.Issue(ctx, req, &s.Exchange)
	r.progress.inFlight.Add(-1)
	s.Timing.Due = due // whatever the issuer made of it
	if s.Timing.Done.Set() {
		return s.Timing.Done
	}
	return r.now()
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
