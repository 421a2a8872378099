package sched

import (
	"encoding/json"
	"fmt"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/trajectory"
)

// NoteAnswerReplaced marks a turn whose answer joined a history of token ids as filler of its length, since the target told
// no ids of it.
const NoteAnswerReplaced = "answer_replaced"

// texts are the messages of a trajectory's turns, made.
type texts struct {
	appends  [][]json.RawMessage // what each turn adds
	recorded [][]json.RawMessage // each turn's recorded answer; empty: none
	prompts  []int64             // how many tokens each request is to have; 0: nobody says
}

func (t *texts) add(m filler.Made) {
	t.appends = append(t.appends, filler.Fragments(m.Append))
	t.recorded = append(t.recorded, filler.Fragments(m.Recorded))
	t.prompts = append(t.prompts, m.Prompt)
}

// clip lets what is added later go into lists of its own.
func (t texts) clip() texts {
	n := len(t.appends)
	return texts{t.appends[:n:n], t.recorded[:n:n], t.prompts[:n:n]}
}

// exact reports whether prompts are token ids.
func (r *run) exact() bool { return r.composer.Lengths().Mode == filler.Exact }

// script makes the messages of a trajectory's conversations of one pass.
func (r *run) script(m *member, trajectory string, repeat uint32) *filler.Script {
	if r.config.Salt.Template == "" {
		repeat = 0
	}
	return r.composer.Begin(filler.Owner{Workload: m.Workload, Trajectory: trajectory, Repeat: repeat}, m.History == chat.Live)
}

// compose makes the messages of a plan for one pass, without salts.
func (r *run) compose(m *member, t *trajectory.Trajectory, repeat uint32) (texts, error) {
	script := r.script(m, t.ID, repeat)
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
		c.history.Recorded(chat.TokenFragment(a.TokenIDs))
		return false
	}
	n := c.turns[i].ExactTokens
	if a != nil && a.Usage.Reported {
		n = uint32(a.Usage.CompletionTokens)
	}
	c.history.Recorded(filler.Fragments(c.run.composer.StandIn(c.owner(), c.turns[i].Index, n))...)
	return true
}
