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

// planned is what the trajectory wants of turn i.
func (c *conversation) planned(i int) sample.Planned {
	return sample.Planned{Prompt: max(c.texts[i].prompt-c.plan.leftOut(i), 0), Output: c.turns[i].ExactTokens}
}

// ids are those of turn i's answer in a prompt of token ids: as the target told them, else filler of that length.
func (c *conversation) ids(i int, a *chat.Answer) (ids []json.RawMessage, replaced bool) {
	if a != nil && len(a.TokenIDs) > 0 {
		return []json.RawMessage{chat.TokenFragment(a.TokenIDs)}, false
	}
	n := uint64(c.turns[i].ExactTokens)
	if a != nil && a.Usage.Reported {
		n = a.Usage.CompletionTokens
	}
	ids, _ = chat.Fragments(c.run.composer.StandIn(c.owner(), c.turns[i].Index, n))
	return ids, true
}

// joined are token ids in one piece, as is a message by itself.
func joined(ids []json.RawMessage) json.RawMessage {
	if len(ids) == 1 {
		return ids[0]
	}
	var all json.RawMessage
	for i, f := range ids {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, f...)
	}
	return all
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
