package sched

import (
	"context"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// conversation is one trajectory being played. Only its user's goroutine touches it.
type conversation struct {
	run     *run
	user    *user
	member  *member
	plan    *plan
	record  sample.Conversation
	warm    bool              // one of those that a warm-up by count waits for
	turns   []trajectory.Turn // of the plan; a live one's grow
	texts   texts             // the messages of each turn, salted
	shells  []*chat.Shell     // each turn's
	headers []chat.Header
	history *chat.History
	state   []byte        // live: what the next step gets
	scribe  *scribe       // writes the messages of later turns anew, and those of further ones; nil until there are some
	own     bool          // live: the lists above are no longer the plan's
	over    bool          // live: the agent said that it ends
	free    sample.Offset // when all that the next turn waits for was complete
}

// breakOff is why a conversation does not go on.
type breakOff struct {
	from  int    // the first turn that is not sent
	cause string // of not sending it
	state sample.State
	why   string
}

// newConversation begins a conversation: from here on each of its planned turns ends in one sample.
func newConversation(u *user, s *slot, arrival sample.Offset) *conversation {
	r := u.run
	c := &conversation{run: r, user: u, member: s.member, plan: s.plan, free: u.free, warm: s.item.Number < r.config.Warmup.Conversations}
	c.record = sample.Conversation{
		ID: sample.ID{
			Workload: s.member.Workload, Index: s.item.Index, Repeat: s.item.Repeat, Attempt: r.config.Attempt, User: u.number,
		},
		Phase: r.phases.current(), Arrival: arrival, Start: r.now(), End: sample.Unset,
	}
	if t := s.plan.trajectory; t != nil {
		c.turns, c.state, c.texts, c.shells = t.Turns, t.State, s.texts, s.plan.shells
		c.record.Trajectory, c.record.Domain, c.record.Labels, c.record.Planned = t.ID, t.Domain, t.Labels, len(t.Turns)
		c.history = chat.NewHistory(r.config.Thinking)
		if r.config.RequireContent {
			c.history.RequireContent()
		}
		if !s.texts.translated {
			c.history.Speak(r.config.Wire.API)
		}
		id := routed(s.member.id(t.ID), s.item.Repeat)
		for _, name := range r.headers {
			c.headers = append(c.headers, chat.Header{Name: name, Value: id})
		}
	}
	r.progress.started.Add(1)
	r.progress.users.Add(1)
	r.progress.planned.Add(int64(len(c.turns)))
	started := c.record
	r.need.Recorder.Started(&started)
	return c
}

// play plays the turns in order and ends the conversation.
func (c *conversation) play(ctx context.Context) {
	for i := 0; i < len(c.turns); i++ {
		if c.over {
			c.rest(i, sample.CauseAgentEnded)
			break
		}
		if off := c.turn(ctx, i); off != nil {
			c.rest(off.from, off.cause)
			c.end(off)
			return
		}
	}
	c.end(&breakOff{state: sample.Complete})
}

// rest gives every turn from i on its sample: it is not sent.
func (c *conversation) rest(i int, cause string) {
	r := c.run
	for ; i < len(c.turns); i++ {
		s := &sample.Sample{ID: c.id(i), Phase: r.phases.current()}
		s.Outcome, s.Cause, s.Timing = sample.NotSent, cause, sample.NoTiming()
		r.progress.notSent.Add(1)
		r.need.Recorder.Sampled(s)
	}
}

// end ends the conversation: at the last answer, or now where it was broken off between two turns.
func (c *conversation) end(off *breakOff) {
	r := c.run
	ended := c.record
	ended.Planned, ended.State, ended.Cause = len(c.turns), off.state, off.why
	switch off.state {
	case sample.Complete, sample.Failed, sample.Overflow:
		ended.End = c.free
	default:
		ended.End = r.now()
	}
	if off.state == sample.Broken {
		r.progress.broken.Add(1)
	}
	r.progress.users.Add(-1)
	r.progress.ended.Add(1)
	r.need.Recorder.Ended(&ended)
	r.ended(c, ended.End)
}

// ended looks what the end of a conversation means for the run.
func (r *run) ended(c *conversation, at sample.Offset) {
	if c.warm && r.warming.Add(-1) == 0 {
		r.measure(at)
	}
	r.mu.Lock()
	r.result.End = max(r.result.End, at)
	r.mu.Unlock()
	if !r.queue.nothingLeft() {
		return
	}
	r.phases.enter(sample.Drain, at)
	if r.config.StopOnFirstIdle {
		r.stop(ReasonComplete, "")
	}
}

func (c *conversation) id(i int) sample.ID {
	id := c.record.ID
	id.Turn, id.Branch = c.turns[i].Index, c.turns[i].Branch
	return id
}
