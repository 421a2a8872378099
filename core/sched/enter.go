package sched

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// tokenTime is how long a token of an answer is taken to last when a position in a trajectory is drawn: fifty a second.
const tokenTime = 20 * time.Millisecond

// Bounds of what a position is drawn from, so that a sum over a stranger's turns stays inside of 64 bits.
const (
	maxDrawn  = 12 * time.Hour
	maxTokens = 1 << 21
)

// part is what conversations play of a plan; nil: all of it.
func (r *run) part(p *plan) *sample.Part {
	part := sample.Part{From: p.from, To: p.to, Of: len(p.trajectory.Turns)}
	if r.config.Reach.Last {
		part.Entered = sample.EnteredLast
	}
	if part.To < part.Of {
		part.Cut = sample.CutContext
	}
	if part.Whole() && part.Entered == "" {
		return nil
	}
	return &part
}

// spread is what a user's first conversation plays of a plan: from a drawn position on.
//
// Positions are spread evenly over the planned time of the trajectory: the tool delays as they will be waited, and the answers
// at fifty tokens a second. So the user is at any turn as often as it would be in the middle of a long run. Where the position
// falls into a delay, what is left of that is waited; where it falls into an answer, its request is sent at once.
func (r *run) spread(m *member, p *plan, user uint32) *sample.Part {
	part := &sample.Part{To: p.to, Of: len(p.trajectory.Turns), Entered: sample.EnteredSpread}
	if p.to < part.Of {
		part.Cut = sample.CutContext
	}
	if m.Info.Live {
		part.Stayed = sample.StayedLive
		return part
	}
	drawn, wait := r.draw(p, user)
	part.From = p.entry(drawn)
	if unanswered(m, p.trajectory.Turns[:part.From]) >= 0 {
		part.From, part.Stayed = 0, sample.StayedAnswers
	}
	if part.From == drawn && drawn > 0 {
		part.Wait = wait
	}
	return part
}

// draw draws a turn, and what is left of its delay.
func (r *run) draw(p *plan, user uint32) (turn int, wait time.Duration) {
	turns := p.turns()
	spans, sum := r.spans(p)
	at, _ := bits.Mul64(positions(r.config.Seed, user).position, sum)
	for i := range turns {
		if at >= spans[i] {
			at -= spans[i]
			continue
		}
		return i, max(r.delayed(turns[i].Delay)-time.Duration(at), 0)
	}
	return len(turns) - 1, 0
}

// spans are the planned times of a plan's turns, and their sum.
func (r *run) spans(p *plan) (spans []uint64, sum uint64) {
	turns := p.turns()
	spans = make([]uint64, len(turns))
	for i := range turns {
		spans[i] = uint64(r.delayed(turns[i].Delay)) + uint64(tokens(p, i))*uint64(tokenTime)
		sum += spans[i] // each below 2^47
	}
	return spans, sum
}

// delayed is the tool delay that a drawn position may fall into.
func (r *run) delayed(planned time.Duration) time.Duration {
	return min(r.delay(&sample.Sample{}, planned), maxDrawn)
}

// tokens are those that turn i's answer is taken to have when a position is drawn: at least one.
func tokens(p *plan, i int) int64 {
	n := int64(trajectory.AnswerLength(&p.trajectory.Turns[i]))
	if n == 0 {
		n = estimates([][]json.RawMessage{p.texts[i].recorded})[0]
	}
	return min(max(n, 1), maxTokens)
}

// conversation makes the conversation of a slot, with all that its history holds before its first request. Nobody has begun it.
func (r *run) conversation(s *slot, part *sample.Part) (*conversation, error) {
	c := &conversation{run: r, member: s.member, plan: s.plan, warm: s.item.Number < r.config.Warmup.Conversations}
	c.record = sample.Conversation{
		ID: sample.ID{Workload: s.member.Workload, Index: s.item.Index, Repeat: s.item.Repeat, Attempt: r.config.Attempt}, Part: part,
	}
	t := s.plan.trajectory
	if t == nil {
		return c, nil
	}
	c.turns, c.state, c.texts, c.salted, c.shells, c.graph = s.plan.turns(), t.State, s.texts, s.salted, s.plan.shells, s.plan.graph
	if part != nil {
		c.from = part.From
	}
	c.record.Trajectory, c.record.Domain, c.record.Labels, c.record.Planned = t.ID, t.Domain, t.Labels, len(c.turns)-c.from
	c.history = r.newHistory(s.member)
	c.beginLengths()
	id := routed(s.member.id(t.ID), s.item.Repeat)
	for _, name := range r.headers {
		c.headers = append(c.headers, chat.Header{Name: name, Value: id})
	}
	return c, c.enter()
}

// enter goes through the turns before the first that is played, as if they had been: what each appended joins its history, and
// then what stands for its answer.
func (c *conversation) enter() error {
	if c.from == 0 {
		return nil
	}
	c.stories = map[uint32]*chat.History{0: c.history}
	for _, i := range c.plan.order() {
		if i >= c.from {
			continue
		}
		h := c.story(i)
		err := c.follow(i)
		if err == nil {
			_, err = c.text(i).join(h, c.inside)
		}
		if err == nil {
			c.trim(i, h)
			err = c.standIn(i, h)
		}
		if err != nil {
			return fmt.Errorf("history before its first request, turn %d: %w", c.turns[i].Index, err)
		}
		c.keepFork(i, h)
	}
	return nil
}

// story is the history of turn i's branch.
func (c *conversation) story(i int) *chat.History {
	branch := c.turns[i].Branch
	h := c.stories[branch]
	if h == nil {
		if from := c.graph.Fork[i]; from >= 0 {
			h = c.forks[from].Fork()
		} else {
			h = c.run.newHistory(c.member)
		}
		c.stories[branch] = h
	}
	return h
}

// standIn lets what stands for turn i's answer join a history: the recorded one, or filler of the planned length.
func (c *conversation) standIn(i int, h *chat.History) error {
	if c.member.History == chat.Recorded {
		return c.texts[i].answer(h)
	}
	t := &c.turns[i]
	fragments, err := c.stands(i, t)
	if err != nil {
		return err
	}
	if c.run.exact() {
		h.Begin(fragments...)
		return nil
	}
	if c.plan.kept[t.Index] {
		c.keepAnswer(t.Index, chat.Joined(fragments)[0])
	}
	return h.Recorded(fragments...)
}

func (c *conversation) stands(i int, t *trajectory.Turn) ([]json.RawMessage, error) {
	if trajectory.Spoken(t.Recorded) && !c.run.exact() {
		if t.Recorded.Composed == nil {
			return c.texts[i].recorded, nil
		}
		drafts, err := trajectory.Drafts([]trajectory.Message{*t.Recorded})
		fragments, _ := chat.Fragments(drafts)
		return fragments, err
	}
	drafts := c.standIns(t)
	fragments, _ := chat.Fragments(drafts)
	return fragments, nil
}

// standIns is filler in place of an answer.
func (c *conversation) standIns(t *trajectory.Turn) []chat.Draft {
	if c.follows != nil {
		return c.script.StandIn(t, trajectory.AnswerLength(t))
	}
	return c.run.composer.StandIn(c.owner(), t.Index, trajectory.AnswerLength(t))
}

// trim leaves older turns out of a history that holds what turn i appends, where the plan wants that.
func (c *conversation) trim(i int, h *chat.History) {
	if c.plan.left == nil {
		return
	}
	c.marks = append(c.marks, h.Len())
	d := c.plan.left[i]
	if d == c.left {
		return
	}
	gone := c.marks[d] - c.marks[0]
	h.Drop(c.marks[0], c.marks[d])
	for k := range c.marks {
		if k >= d {
			c.marks[k] -= gone
		}
	}
	c.left = d
}
