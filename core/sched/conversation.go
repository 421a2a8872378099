package sched

import (
	"context"
	"encoding/json"

	"paceline/core/chat"
	"paceline/core/filler"
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
	asked   Asked             // its target
	warm    bool              // one of those that a warm-up by count waits for
	turns   []trajectory.Turn // of the plan; a live one's grow
	texts   []text            // what each turn says
	salted  []text            // the plan's openings; nil: not salted
	shells  []*chat.Shell     // each turn's
	graph   *trajectory.Graph // nil: the turns follow one another
	headers []chat.Header
	history *chat.History              // of the main line
	answers map[uint32]json.RawMessage // live history: those that other turns' messages hold
	state   []byte                     // live: what the next step gets
	forks   map[int]*chat.History      // the history after turns that branches go on from; live: after each
	own     bool                       // live: the lists above are no longer the plan's
	script  *filler.Script             // live: makes further turns; nil: none was made yet
	follows *followed                  // turns are written anew that make up for lengths; nil: the plan's are sent
	over    bool                       // live: the agent said that it ends
	free    sample.Offset              // when all that the next turn waits for was complete
	from    int                        // the first turn that is played, by position
	stories map[uint32]*chat.History   // of a conversation that begins inside a branching trajectory: the branches' histories so far
	marks   []int                      // where older turns are left out: how long the history was with what each turn appends
	left    int                        // how many are left out
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
	c := u.prepared(s)
	c.user, c.free = u, u.free
	c.record.User, c.record.Phase, c.record.Arrival, c.record.Start, c.record.End = u.number, r.phases.current(), arrival, r.now(), sample.Unset
	r.progress.started.Add(1)
	r.progress.users.Add(1)
	r.progress.planned.Add(int64(c.record.Planned))
	started := c.record
	r.need.Recorder.Started(&started)
	return c
}

func (r *run) newHistory(m *member) *chat.History {
	h := chat.NewHistory(r.config.Thinking)
	if r.config.RequireContent {
		h.RequireContent()
	}
	if r.config.ToolResults == chat.Merged {
		h.MergeCalls()
	}
	if !r.config.translated(m) {
		h.Speak(r.config.Wire.API)
	}
	return h
}

// play plays the turns and ends the conversation: in order, until a branch asks for more.
func (c *conversation) play(ctx context.Context) {
	for i := c.from; i < len(c.turns); i++ {
		if c.graph != nil {
			newFan(c, i).play(ctx)
			return
		}
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
	for ; i < len(c.turns); i++ {
		c.notSent(i, cause)
	}
}

func (c *conversation) notSent(i int, cause string) {
	s := c.sample(i)
	s.Phase, s.Outcome, s.Cause = c.run.phases.current(), sample.NotSent, cause
	c.run.progress.notSent.Add(1)
	c.run.need.Recorder.Sampled(s)
}

// end ends the conversation: at the last answer, or now where it was broken off between two turns.
func (c *conversation) end(off *breakOff) {
	r := c.run
	ended := c.record
	ended.Planned, ended.State, ended.Cause = len(c.turns)-c.from, off.state, off.why
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
