package sched

import (
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// NoteAnswerReplaced marks a turn whose answer joined a history of token ids as filler of its length, since the target told
// no ids of it.
const NoteAnswerReplaced = "answer_replaced"

// texts are the messages of a trajectory's turns, made. Where no message is made by the host they are the trajectory's own,
// and the lists after the first are nil.
type texts struct {
	appends  [][]json.RawMessage // what each turn adds
	recorded [][]json.RawMessage // each turn's recorded answer; empty: none
	prompts  []int64             // how many tokens each request is to have; 0: nobody says
}

// planned is what the trajectory wants of turn i.
func (t *texts) planned(i int, turn *trajectory.Turn) sample.Planned {
	p := sample.Planned{Output: turn.ExactTokens}
	if t.prompts != nil {
		p.Prompt = t.prompts[i]
	}
	return p
}

func (t *texts) add(m filler.Made) {
	t.appends = append(t.appends, filler.Fragments(m.Append))
	t.recorded = append(t.recorded, filler.Fragments(m.Recorded))
	t.prompts = append(t.prompts, m.Prompt)
}

// clip lets what is added later go into lists of its own.
func (t texts) clip() texts {
	return texts{slices.Clip(t.appends), slices.Clip(t.recorded), slices.Clip(t.prompts)}
}

// exact reports whether prompts are token ids.
func (r *run) exact() bool { return r.composer.Lengths().Mode == filler.Exact }

// owner is whose messages a trajectory's conversations of one pass have.
func (r *run) owner(m *member, trajectory string, repeat uint32) filler.Owner {
	if r.config.Salt.Template == "" {
		repeat = 0
	}
	return filler.Owner{Workload: m.Workload, Trajectory: trajectory, Repeat: repeat}
}

// compose makes the messages of a plan for one pass, without salts.
func (r *run) compose(m *member, t *trajectory.Trajectory, repeat uint32) (texts, error) {
	if !r.exact() && !composed(t.Turns) {
		return texts{appends: raws(t.Turns)}, nil
	}
	script := r.composer.Begin(r.owner(m, t.ID, repeat), m.History == chat.Live)
	var all texts
	for i := range t.Turns {
		made, err := script.Turn(&t.Turns[i])
		if err != nil {
			return texts{}, fmt.Errorf("trajectory %q, turn %d: %w", t.ID, t.Turns[i].Index, err)
		}
		all.add(made)
	}
	return all, nil
}

// raws are the messages of turns as they are.
func raws(turns []trajectory.Turn) [][]json.RawMessage {
	all := make([][]json.RawMessage, len(turns))
	for i := range turns {
		all[i] = make([]json.RawMessage, len(turns[i].Append))
		for k := range turns[i].Append {
			all[i][k] = turns[i].Append[k].JSON
		}
	}
	return all
}

// composed reports whether any message of the turns is made by the host.
func composed(turns []trajectory.Turn) bool {
	for i := range turns {
		for k := range turns[i].Append {
			if turns[i].Append[k].Composed != nil {
				return true
			}
		}
		if turns[i].Recorded != nil && turns[i].Recorded.Composed != nil {
			return true
		}
	}
	return false
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

// joinRecorded lets the recorded answer of turn i join the history.
func (c *conversation) joinRecorded(i int) {
	if c.texts.recorded == nil {
		c.history.Recorded(c.turns[i].Recorded.JSON)
		return
	}
	c.history.Recorded(c.texts.recorded[i]...)
}

// joinTokens lets an answer join a history of token ids: as the ids that the target told, else as filler of that length.
func (c *conversation) joinTokens(i int, a *chat.Answer) (replaced bool) {
	if a != nil && len(a.TokenIDs) > 0 {
		c.history.Recorded(chat.TokenFragment(a.TokenIDs))
		return false
	}
	n := uint64(c.turns[i].ExactTokens)
	if a != nil && a.Usage.Reported {
		n = a.Usage.CompletionTokens
	}
	c.history.Recorded(filler.Fragments(c.run.composer.StandIn(c.owner(), c.turns[i].Index, n))...)
	return true
}

// further makes the messages of turns that a live conversation got behind its first ones.
func (c *conversation) further(all []trajectory.Turn, from int) (texts, error) {
	t := c.texts.clip()
	if t.prompts == nil && !c.run.exact() && !composed(all[from:]) {
		t.appends = append(t.appends, raws(all[from:])...)
		return t, nil
	}
	if c.script == nil {
		c.script = c.run.composer.Begin(c.owner(), c.member.History == chat.Live)
		t.recorded, t.prompts = nil, nil
		for i := range from {
			made, err := c.script.Turn(&all[i])
			if err != nil {
				return t, fmt.Errorf("turn %d: %w", all[i].Index, err)
			}
			t.recorded, t.prompts = append(t.recorded, filler.Fragments(made.Recorded)), append(t.prompts, made.Prompt)
		}
	}
	for i := from; i < len(all); i++ {
		made, err := c.script.Turn(&all[i])
		if err != nil {
			return t, fmt.Errorf("turn %d: %w", all[i].Index, err)
		}
		t.add(made)
	}
	return t, nil
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
	if turn.ExactTokens == 0 || !c.ForceOutput || c.OverrideMaxTokens > 0 {
		return nil
	}
	params, _ := c.Engine.ForceLength(turn.ExactTokens)
	return params
}
