package judge

import (
	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// composed makes the messages of one conversation as the run made them. Prompts of token ids are no messages: of those a
// judge gets none, and no history.
type composed struct {
	script  *filler.Script // nil: none is made by the host
	follows bool
	owner   filler.Owner
}

func (m *Material) composed(s *scene, rule chat.HistoryRule, repeat uint32) composed {
	if m.c.Composer == nil {
		return composed{}
	}
	if m.c.Salter == nil || m.c.Salter.Scheme().Template == "" {
		repeat = 0
	}
	o := filler.Owner{Workload: s.key.workload, Trajectory: s.trajectory.ID, Repeat: repeat}
	l := m.c.Composer.Lengths()
	return composed{m.c.Composer.Begin(o, rule == chat.Live), l.Follows(rule == chat.Live) && !m.c.of(s.key.workload).Info.Live, o}
}

// exact reports whether the run's prompts were token ids.
func (c composed) exact() bool { return c.script != nil && c.script.Exact() }

// make makes what turn i appends, and its recorded answer.
func (r *replayed) make(i int) error {
	if r.script == nil || r.exact() {
		return nil
	}
	made, err := r.script.Turn(&r.drafts.Turns[i])
	r.drafts.Made[i], r.asks[i] = made.Made, made.Prompt
	return err
}

// told is what the target told of a turn, by which the run set later ones right; see filler.Script.Told. left is how many
// tokens of older turns its request left out.
func (c composed) told(t *trajectory.Turn, x *sample.Sample, left int64) {
	if c.follows && x != nil && x.Answer != nil && x.Answer.Usage.Reported {
		c.script.Told(t, x.Answer.Usage.PromptTokens+uint64(left), x.Answer.Usage.CompletionTokens)
	}
}
