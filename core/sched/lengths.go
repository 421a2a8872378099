package sched

import (
	"encoding/json"
	"slices"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// NoteAnswerReplaced marks a turn whose answer joined a history of token ids as filler of its length, since the target told
// no ids of it.
const NoteAnswerReplaced = "answer_replaced"

// planned is what the trajectory wants of turn i.
func (t *texts) planned(i int, turn *trajectory.Turn) sample.Planned {
	p := sample.Planned{Output: turn.ExactTokens}
	if t.prompts != nil {
		p.Prompt = t.prompts[i]
	}
	return p
}

// exact reports whether prompts are token ids.
func (r *run) exact() bool { return r.lengths.Mode == filler.Exact }

// owner is whose messages a trajectory's conversations of one pass have.
func (r *run) owner(m *member, trajectory string, repeat uint32) filler.Owner {
	if r.config.Salt.Template == "" {
		repeat = 0
	}
	return filler.Owner{Workload: m.Workload, Trajectory: trajectory, Repeat: repeat}
}

// owner is whose messages the conversation has.
func (c *conversation) owner() filler.Owner {
	return c.run.owner(c.member, c.plan.trajectory.ID, c.record.Repeat)
}

// request puts the history so far into the body of turn i.
func (c *conversation) request(i int) (*chat.Request, error) {
	if c.run.exact() {
		return c.shells[i].Tokens(c.history.Messages())
	}
	return c.shells[i].Body(c.history.Messages()), nil
}

// joinTokens lets an answer join a history of token ids: as the ids that the target told, else as filler of that length.
func (c *conversation) joinTokens(i int, a *chat.Answer) (replaced bool) {
	if a != nil && len(a.TokenIDs) > 0 {
		c.history.Begin(chat.TokenFragment(a.TokenIDs))
		return false
	}
	n := uint64(c.turns[i].ExactTokens)
	if a != nil && a.Usage.Reported {
		n = a.Usage.CompletionTokens
	}
	c.history.Begin(filler.Fragments(c.run.composer.StandIn(c.owner(), c.turns[i].Index, n))...)
	return true
}

// follow makes the messages of turn i anew where the lengths of a live conversation follow what the target told of the turns
// before it: the plan has taken answers for as long as they are to be.
func (c *conversation) follow(i int) error {
	if c.texts.prompts == nil || c.member.Info.Live || !c.run.lengths.Follows(c.member.History == chat.Live) {
		return nil
	}
	if i == 0 {
		c.scribe, c.texts = c.run.scribe(c.member, c.plan.trajectory, c.record.Repeat, true), c.texts.own()
	}
	made, err := c.scribe.script.Turn(&c.turns[i])
	if err == nil && i > 0 {
		c.texts.appends[i], err = c.scribe.form(made.Append, false)
	}
	return err
}

// told lets later turns make up for lengths that came otherwise.
func (c *conversation) told(i int, a *chat.Answer) {
	if c.scribe != nil && !c.member.Info.Live && a != nil && a.Usage.Reported {
		c.scribe.script.Told(&c.turns[i], a.Usage.PromptTokens, a.Usage.CompletionTokens)
	}
}

// Live reports whether live answers join the history of any workload.
func (c *Config) Live() bool {
	return slices.ContainsFunc(c.members(), func(m Member) bool { return m.History == chat.Live })
}

// lengths are the run's, or those of a run that says nothing of them.
func (c *Config) lengths() filler.Lengths {
	if c.Lengths.Mode == "" {
		return filler.Default(filler.Text)
	}
	return c.Lengths
}

// forced are the parameters that make an answer as long as the turn wants it exactly; nil: it does not, or the engine is not
// asked to.
func (c *Config) forced(turn *trajectory.Turn) json.RawMessage {
	if turn.ExactTokens == 0 || !c.Lengths.Forced || c.OverrideMaxTokens > 0 {
		return nil
	}
	params, _ := c.Lengths.Engine.ForceLength(turn.ExactTokens)
	return params
}
