package judge

import (
	"encoding/json"
	"fmt"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// scene is one conversation rebuilt: what was planned, and what each turn's request carried.
type scene struct {
	key        conversation
	trajectory *trajectory.Trajectory
	turns      map[uint32]*scenedTurn
}

// scenedTurn is one turn of a scene. Messages are shared between turns.
type scenedTurn struct {
	*trajectory.Turn
	history  [][]byte // nil where it cannot be told: a live answer before it is missing
	known    bool     // history is told
	appended [][]byte
}

// scene rebuilds the conversation whose samples stand at [from, to) of the judging order.
func (m *Material) scene(from, to int) (*scene, error) {
	id := &m.sample(from).ID
	plan := m.plans.Find(*id)
	if plan == nil {
		return nil, fmt.Errorf("trajectory %q: the journal holds no plan of it", id.Trajectory)
	}
	t, err := journal.DecodeTrajectory(m.c.Run.Content, plan.Content)
	if err != nil {
		return nil, err
	}
	s := &scene{key: of(id), trajectory: t, turns: map[uint32]*scenedTurn{}}
	turns := t.Turns
	for _, l := range m.lives[s.key] {
		step, err := journal.DecodeStep(m.c.Run.Content, l.Step)
		if err != nil {
			return nil, fmt.Errorf("trajectory %q, step after turn %d: %w", id.Trajectory, l.Turn, err)
		}
		turns = append(turns, step.Turns...)
	}
	if features := trajectory.UnplayableTurns(turns, 0); len(features) > 0 {
		return nil, &trajectory.UnplayableError{Trajectory: t.ID, Features: features}
	}
	answers := map[uint32]*sample.Sample{}
	for place := from; place < to; place++ {
		answers[m.sample(place).Turn] = m.sample(place)
	}
	return s, m.replay(s, turns, answers, id.Repeat)
}

// replay goes through the turns as the run did: each turn's messages join the history, then its answer does.
func (m *Material) replay(s *scene, turns []trajectory.Turn, answers map[uint32]*sample.Sample, repeat uint32) error {
	rule := m.c.of(s.key.workload).History
	made := m.messages(s, rule, repeat)
	h, known := chat.NewHistory(m.c.Thinking), !made.exact()
	id := sample.Qualified(s.key.workload, s.trajectory.ID, m.c.mixed())
	if m.c.RequireContent {
		h.RequireContent()
	}
	for i := range turns {
		turn := &scenedTurn{Turn: &turns[i]}
		s.turns[turn.Index] = turn
		list, recorded, err := made.turn(turn.Turn)
		if err != nil {
			return fmt.Errorf("trajectory %q, turn %d: %w", s.trajectory.ID, turn.Index, err)
		}
		if i == 0 && m.c.Salter != nil && !filler.OwnSalt(turns) && !made.exact() {
			at, salted, err := m.c.Salter.Salt(list, id, repeat)
			if err != nil {
				return err
			}
			if at >= 0 {
				list[at] = salted
			}
		}
		if !known {
			for _, message := range list {
				turn.appended = append(turn.appended, message)
			}
			continue
		}
		before := h.Messages()
		if _, err := h.Append(list...); err != nil {
			return fmt.Errorf("trajectory %q, turn %d: %w", s.trajectory.ID, turn.Index, err)
		}
		turn.history, turn.known, turn.appended = before, true, h.Messages()[len(before):]
		made.told(turn.Turn, answers[turn.Index])
		if known, err = answer(h, rule, recorded, answers[turn.Index]); err != nil {
			return fmt.Errorf("trajectory %q, turn %d: %w", s.trajectory.ID, turn.Index, err)
		}
	}
	return nil
}

// answer lets the answer of a turn join the history, and reports false where there is none, so that no later request can
// be told.
func answer(h *chat.History, rule chat.HistoryRule, recorded []json.RawMessage, x *sample.Sample) (bool, error) {
	if rule == chat.Recorded { // without an answer, the next turn's messages follow at once
		for _, message := range recorded {
			return true, h.Recorded(message)
		}
		return true, nil
	}
	if x == nil || x.Outcome != sample.OK {
		return false, nil
	}
	return true, h.Live(x.Answer)
}

// array writes JSON values as an array, each as it is.
func array(values [][]byte) []byte {
	size := 2
	for _, v := range values {
		size += len(v) + 1
	}
	b := append(make([]byte, 0, size), '[')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}
