package cache

import (
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/journal"
	"paceline/core/trajectory"
)

// saltings make the prompts of one run or another: by its salts, and by its seed, which is in all filler.
type saltings struct {
	*chat.Salter
	seed uint64
}

// opening is the first turn of a trajectory, where the host makes its messages.
type opening struct {
	turns   []trajectory.Turn
	owner   filler.Owner
	lengths filler.Lengths
}

// composed returns the first turn where any of its messages is made by the host; nil where none is.
func composed(t *trajectory.Trajectory, workload string, repeat uint32, c *journal.RunConfig) *opening {
	if !slices.ContainsFunc(t.Turns[0].Append, func(m trajectory.Message) bool { return m.Composed != nil }) {
		return nil
	}
	o := &opening{turns: t.Turns[:1], owner: filler.Owner{Workload: workload, Trajectory: t.ID, Repeat: repeat}, lengths: filler.Default(filler.Text)}
	if c.Lengths != nil {
		o.lengths = *c.Lengths
	}
	return o
}

// holdsAnswer reports whether one of the messages holds another turn's answer.
func holdsAnswer(list []trajectory.Message) bool {
	return slices.ContainsFunc(list, func(m trajectory.Message) bool {
		return m.Composed != nil && slices.ContainsFunc(m.Composed.Pieces, func(p trajectory.Piece) bool { return p.AnswerOfTurn != nil })
	})
}

// messages makes the first messages as a run with these salts does.
func (o *opening) messages(s *saltings) ([]json.RawMessage, error) {
	c, err := filler.New(s.seed, o.lengths)
	if err != nil {
		return nil, err
	}
	owner := o.owner
	if s.Scheme().Template == "" {
		owner.Repeat = 0
	}
	made, err := c.Begin(owner, false).Turn(&o.turns[0])
	if err != nil {
		return nil, fmt.Errorf("trajectory %q: %w", owner.Trajectory, err)
	}
	list := make([]json.RawMessage, len(made.Append))
	for i := range made.Append {
		list[i], _ = made.Append[i].Whole()
	}
	return list, nil
}

// exact reports whether the messages are token ids.
func (o *opening) exact() bool { return o != nil && o.lengths.Mode == filler.Exact }
