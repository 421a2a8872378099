package sched

import (
	"context"
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
	s := &sample.Sample{ID: c.id(i)}
	s.Timing, s.Planned = sample.NoTiming(), c.texts.planned(i, &c.turns[i])
	var delay time.Duration
	delay, s.DelayCut = r.delay(c.turns[i].Delay)
	due := c.free + sample.Offset(delay)
	pairing, err := c.append(i)
	if err != nil {
		why := fmt.Sprintf("turn %d: %v", c.turns[i].Index, err)
		return &breakOff{from: i, cause: sample.CausePlugin, state: sample.Broken, why: why}
	}
	req, err := c.request(i)
	if err != nil {
		why := fmt.Sprintf("turn %d: %v", c.turns[i].Index, err)
		return &breakOff{from: i, cause: sample.CausePlugin, state: sample.Broken, why: why}
	}
	req.Headers = c.headers
	if !c.user.wait(due) {
		return &breakOff{from: i, cause: sample.CauseRunEnded, state: sample.Ended}
	}
	c.issue(ctx, req, s, due)
	s.Rewrites = pairing.Rewrites
	noteResults(s, pairing)
	var off *breakOff
	if s.Outcome == sample.OK {
		off = c.answered(ctx, i, s)
	} else {
		off = c.failed(i, s)
	}
	r.progress.turn(s)
	r.need.Recorder.Sampled(s)
	return off
}

// append adds what turn i appends to the history.
func (c *conversation) append(i int) (chat.Pairing, error) {
	if err := c.follow(i); err != nil {
		return chat.Pairing{}, err
	}
	if i == 0 || c.texts.translated {
		c.history.Begin(c.texts.appends[i]...)
		return chat.Pairing{}, nil
	}
	return c.history.Append(c.texts.appends[i]...)
}

// delay returns the tool time that is waited, and how much of the planned one the limit took away.
func (r *run) delay(planned time.Duration) (wait, cut time.Duration) {
	if r.config.NoDelays {
		return 0, 0
	}
	if limit := r.config.MaxDelay; limit > 0 && planned > limit {
		return limit, planned - limit
	}
	return planned, 0
}

func (c *conversation) issue(ctx context.Context, req *chat.Request, s *sample.Sample, due sample.Offset) {
	r := c.run
	ctx, cancel := context.WithTimeout(ctx, r.config.TurnTimeout)
	defer cancel()
	s.Phase, s.RequestBytes, s.Timing.Due = r.phases.current(), req.Size, due
	r.progress.sent.Add(1)
	r.progress.inFlight.Add(1)
	r.need.Recorder.Sent(s.ID, r.now(), req.Size)
	r.need.Issuer.Issue(ctx, req, &s.Exchange)
	r.progress.inFlight.Add(-1)
	s.Timing.Due = due // whatever the issuer made of it
	if c.free = s.Timing.Done; !c.free.Set() {
		c.free = r.now()
	}
}

func noteResults(s *sample.Sample, p chat.Pairing) {
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
	turn := &c.turns[i]
	var err error
	switch {
	case !c.member.Info.Live && i == len(c.turns)-1:
		return nil // nothing reads the history any more
	case c.member.History == chat.Recorded:
		err = c.recorded(i)
	case c.run.exact():
		if c.joinTokens(i, s.Answer) {
			note(s, NoteAnswerReplaced)
		}
	default:
		c.told(i, s.Answer)
		err = c.history.Live(s.Answer)
	}
	if err != nil {
		why := fmt.Sprintf("turn %d: %v", turn.Index, err)
		return &breakOff{from: i + 1, cause: sample.CausePriorFailure, state: sample.Failed, why: why}
	}
	if c.member.Info.Live {
		return c.step(ctx, i, s)
	}
	return nil
}

// recorded adds the recorded answer of turn i, if there is one: recordings may hold two client rows in a row, e.g. a tool's
// result and then the user.
func (c *conversation) recorded(i int) error {
	switch recorded := c.turns[i].Recorded; {
	case recorded == nil:
	case c.texts.recorded != nil:
		c.history.Begin(c.texts.recorded[i]...)
	default:
		return c.history.Recorded(recorded.JSON)
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
