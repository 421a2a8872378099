// Command quiz is an example of a scorer that evaluates: it asks the target sums, a few in each step, through the runner's
// relay, and scores the share of right answers. It knows neither the target's address nor its key.
package main

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"paceline/sdk"
	"paceline/sdk/native"
)

var plugin = sdk.Plugin{Name: "quiz", Version: "1.0.0", Components: []sdk.Component{{
	Name:    "exam",
	Summary: "share of sums that the target gets right",
	ConfigSchema: []byte(`{"type":"object","additionalProperties":false,"properties":{` +
		`"questions":{"type":"integer","minimum":1,"maximum":1000,"description":"How many sums."},` +
		`"step":{"type":"integer","minimum":1,"maximum":100,"description":"How many in one step."}}}`),
	Capabilities: []sdk.Capability{sdk.CapabilityTarget},
	Unit:         sdk.UnitConversation,
	Evaluator:    open,
}}}

func main() { native.Serve(&plugin) }

// exam is the opened component: its configuration and nothing else, so that any process can take the next step.
type exam struct {
	Questions uint64 `json:"questions"`
	Step      uint64 `json:"step"`
}

func open(o *sdk.Opening) (sdk.Evaluator, error) {
	e := exam{Questions: 8, Step: 4}
	if err := json.Unmarshal(o.Config, &e); err != nil {
		return nil, sdk.Faults{{Code: "bad-config", Message: err.Error()}}
	}
	if e.Questions < 1 || e.Questions > 1000 || e.Step < 1 || e.Step > 100 {
		return nil, sdk.Faults{{Code: "bad-config", Message: "questions is 1 to 1000, step 1 to 100"}}
	}
	if !o.Has(sdk.CapabilityTarget) {
		return nil, sdk.Errorf(sdk.CodeFailedPrecondition, "the target is not granted")
	}
	return e, nil
}

// state is what travels from step to step.
type state struct {
	Asked uint64 `json:"asked"`
	Right uint64 `json:"right"`
}

// Evaluate implements sdk.Evaluator.
func (e exam) Evaluate(q *sdk.EvaluateRequest) (*sdk.EvaluateResponse, error) {
	var s state
	if len(q.State) > 0 {
		if err := json.Unmarshal(q.State, &s); err != nil {
			return nil, sdk.Errorf(sdk.CodeInvalidArgument, "state: %v", err)
		}
	}
	if q.Cancel {
		return e.reply(s, nil, true)
	}
	var items []sdk.ItemScore
	for n := s.Asked; n < min(s.Asked+e.Step, e.Questions); n++ {
		question, want := sum(n)
		answer, err := ask(q.Target, "sum-"+strconv.FormatUint(n, 10), question)
		if err != nil {
			return nil, err
		}
		item := sdk.ItemScore{Trajectory: "sum-" + strconv.FormatUint(n, 10), Scored: true}
		if strings.TrimSpace(answer) == want {
			item.Micro = 1_000_000
			s.Right++
		}
		items = append(items, item)
	}
	s.Asked += uint64(len(items))
	return e.reply(s, items, s.Asked == e.Questions)
}

func sum(n uint64) (question, want string) {
	a, b := n+2, 3*n+1
	return fmt.Sprintf("What is %d + %d? Answer with the number alone.", a, b), strconv.FormatUint(a+b, 10)
}

func (e exam) reply(s state, items []sdk.ItemScore, done bool) (*sdk.EvaluateResponse, error) {
	text, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	r := &sdk.EvaluateResponse{State: text, Done: done, ItemsDone: s.Asked, ItemsTotal: e.Questions, Items: items,
		Status: fmt.Sprintf("%d right", s.Right)}
	if done {
		score := &sdk.ConcludeScoreResponse{HigherIsBetter: true, Scored: s.Asked, Missing: e.Questions - s.Asked,
			Complete: s.Asked == e.Questions, Passed: s.Asked == e.Questions}
		if s.Asked > 0 {
			score.Score = &sdk.Value{Name: "right", Micro: int64(s.Right * 1_000_000 / s.Asked), Unit: "share"}
		}
		r.Score = score
	}
	return r, nil
}
