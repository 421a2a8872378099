package coretest

import (
	"encoding/json"
	"fmt"
	"time"

	"paceline/core/trajectory"
)

// Trace is one line of a length-only trace, as the trie format has it: lengths in tokens and waits in seconds.
type Trace struct {
	Turns   int       `json:"num_turns"`
	Input   uint32    `json:"input_prompt_length"`
	Answers []uint32  `json:"assistant_response_length"`
	Tools   []uint32  `json:"tool_call_output_length"`
	Waits   []float64 `json:"tool_call_latency"`
	Final   uint32    `json:"final_assistant_response_length"`
}

// ReadTrace reads one line.
func ReadTrace(line []byte) (Trace, error) {
	var t Trace
	err := json.Unmarshal(line, &t)
	if err == nil && (len(t.Answers) != t.Turns || len(t.Tools) != t.Turns || len(t.Waits) != t.Turns) {
		err = fmt.Errorf("lists of %d, %d and %d for %d turns", len(t.Answers), len(t.Tools), len(t.Waits), t.Turns)
	}
	return t, err
}

// Trajectory plans the trace: all its text is filler of its own, that of recorded answers too, and answers have exact lengths.
func (t *Trace) Trajectory(id string) *trajectory.Trajectory {
	filler := func(role string, tokens uint32, key string) trajectory.Message {
		piece := trajectory.Piece{Filler: &trajectory.Filler{Tokens: tokens, Key: []byte(key), Scope: trajectory.ScopeTrajectory}}
		return trajectory.Message{Composed: &trajectory.Composed{Role: role, Pieces: []trajectory.Piece{piece}}}
	}
	plan := &trajectory.Trajectory{ID: id}
	for i := range t.Turns + 1 {
		turn := trajectory.Turn{Index: uint32(i), ExactTokens: t.Final, Final: i == t.Turns}
		input := t.Input
		if i > 0 {
			input, turn.Delay = t.Tools[i-1], time.Duration(t.Waits[i-1]*float64(time.Second))
		}
		if i < t.Turns {
			turn.ExactTokens = t.Answers[i]
		}
		answer := filler("assistant", turn.ExactTokens, fmt.Sprint("answer ", i))
		turn.Append, turn.Recorded = []trajectory.Message{filler("user", input, fmt.Sprint("input ", i))}, &answer
		plan.Turns = append(plan.Turns, turn)
	}
	return plan
}

// Contexts lists how many tokens each request of the trace has.
func (t *Trace) Contexts() []uint64 {
	list := []uint64{uint64(t.Input)}
	for i := range t.Turns {
		list = append(list, list[i]+uint64(t.Answers[i])+uint64(t.Tools[i]))
	}
	return list
}

// Outputs lists how many tokens each answer of the trace has.
func (t *Trace) Outputs() []uint64 {
	var list []uint64
	for _, n := range append(t.Answers[:t.Turns:t.Turns], t.Final) {
		list = append(list, uint64(n))
	}
	return list
}
