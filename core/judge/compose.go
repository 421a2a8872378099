package judge

import (
	"paceline/core/chat"
	"paceline/core/filler"
)

// composed makes the messages of one conversation as the run made them. Prompts of token ids are no messages: of those a
// judge gets none, and no history.
type composed struct {
	script  *filler.Script // nil: none is made by the host
	follows bool           // its lengths followed what the target told
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
	follows := l.Follows(rule == chat.Live) && !m.c.of(s.key.workload).Info.Live
	return composed{m.c.Composer.Begin(o, rule == chat.Live), follows, o}
}

// exact reports whether the run's prompts were token ids.
func (c composed) exact() bool { return c.script != nil && c.script.Exact() }

// make makes what turn i appends, and its recorded answer.
func (r *replayed) make(i int) error {
	if r.script == nil || r.exact() {
		return nil
	}
	t := &r.drafts.Turns[i]
	if x := r.answers[t.Index]; x != nil && x.Basis != nil { // the run set it right by what the target told
		r.script.Follow(t, x.Basis.MicroTokens)
	}
	made, err := r.script.Turn(t)
	r.drafts.Made[i] = made.Made
	return err
}
