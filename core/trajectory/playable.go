package trajectory

import (
	"fmt"
	"strings"
)

// Features that a well formed trajectory may ask for and that this runner does not play yet.
const (
	FeatureAnswerOfTurn = "answer_of_turn" // another turn's answer inside a recorded answer
)

// Feature is one thing that a trajectory asks for and that is not played, at the first turn that asks for it.
type Feature struct {
	Name string
	Turn uint32
}

// UnplayableError refuses a trajectory by the names of what it asks for.
type UnplayableError struct {
	Trajectory string
	Features   []Feature // at least one
}

// Error tells every feature and the first turn that asks for it.
func (e *UnplayableError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "trajectory %q asks for what this runner does not play yet:", e.Trajectory)
	for i, f := range e.Features {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s (turn %d)", f.Name, f.Turn)
	}
	return b.String()
}

// Unplayable returns what the trajectory asks for and this runner does not play, each feature once, in the order of turns;
// none means that it can be played.
func (t *Trajectory) Unplayable() []Feature { return UnplayableTurns(t.Turns, 0) }

// UnplayableTurns is Unplayable for turns[from:], which a live conversation got after those before.
func UnplayableTurns(turns []Turn, from int) []Feature {
	var list []Feature
	add := func(turn uint32, name string, asked bool) {
		if !asked {
			return
		}
		for _, f := range list {
			if f.Name == name {
				return
			}
		}
		list = append(list, Feature{Name: name, Turn: turn})
	}
	for i := from; i < len(turns); i++ {
		t := &turns[i]
		if t.Recorded != nil {
			for range answers([]Message{*t.Recorded}) {
				add(t.Index, FeatureAnswerOfTurn, true)
			}
		}
	}
	return list
}

// Size returns about how many bytes the trajectory holds: its texts and documents, without the structs around them.
func (t *Trajectory) Size() int64 {
	n := int64(len(t.ID) + len(t.Params) + len(t.Tools) + len(t.State) + len(t.Truth))
	for i := range t.Turns {
		turn := &t.Turns[i]
		n += int64(len(turn.Params) + len(turn.Truth))
		for k := range turn.Append {
			n += turn.Append[k].Size()
		}
		if turn.Recorded != nil {
			n += turn.Recorded.Size()
		}
	}
	return n
}

// Size returns about how many bytes the message holds.
func (m *Message) Size() int64 {
	n := int64(len(m.JSON))
	if m.Composed != nil {
		for _, p := range m.Composed.Pieces {
			n += int64(len(p.Text))
		}
	}
	return n
}
