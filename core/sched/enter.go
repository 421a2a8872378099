package sched

import (
	"encoding/json"
	"fmt"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
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
	c.bind(s.target)
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
		err := c.follow(i, new(sample.Sample))
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
		c.keep(t.Index, fragments)
		return nil
	}
	c.keep(t.Index, chat.Joined(fragments))
	return h.Recorded(fragments...)
}

// stands is the recorded answer where it has words, else filler of the planned length.
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
