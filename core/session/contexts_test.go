package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/load"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// words counts the words of answers.
type words struct{ fails bool }

func (words) About() verdict.About { return verdict.About{Name: "test/words", Kind: "counter"} }

func (w words) Count(_ context.Context, batch []judge.Item) ([]verdict.Count, error) {
	if w.fails {
		return nil, errors.New("it counts nothing")
	}
	counts := make([]verdict.Count, len(batch))
	for i := range batch {
		var m struct{ Content string }
		if err := json.Unmarshal(batch[i].Answer.Message, &m); err != nil {
			return nil, err
		}
		n := uint64(len(strings.Fields(m.Content)))
		counts[i].Output = &n
	}
	return counts, nil
}

// TestContexts counts what exceeds the longest context: by the plan, by a counter, and by an estimate where a counter cannot.
func TestContexts(t *testing.T) {
	for name, tt := range map[string]struct {
		list    source
		history chat.HistoryRule
		counter judge.Counter
		by      string
		longest int64
	}{
		// 900 + 20 + 500 + 300 + 5 tokens, and an answer of 64.
		"planned": {sourceOf(own[0].Trajectory("t")), chat.Live, words{}, sched.ByPlan, 1725 + 64},
		// Two questions of three words and an answer of three, each with 4 tokens around it, and 100 for the answer.
		"counted":   {sourceOf(talk("t", 2)), chat.Recorded, words{}, sched.ByCounter, 3*7 + 100},
		"estimated": {sourceOf(talk("t", 2)), chat.Recorded, words{fails: true}, sched.ByEstimate, 9 + 11 + 9 + 100},
		// By live history the first answer may have as many tokens as its limit where it is not recorded.
		"nobody knows": {sourceOf(unrecorded("t", 2)), chat.Live, nil, sched.ByEstimate, 9 + 100 + 9 + 100},
	} {
		t.Run(name, func(t *testing.T) {
			plan := &session.Plan{Sched: sched.Config{
				Workload: workload, Info: trajectory.Info{Trajectories: uint64(len(tt.list)), Fixed: true}, Users: load.Constant(1), History: tt.history,
				MaxTokens: 100, Reach: sched.Reach{MaxContext: 10_000, Over: sched.Skip},
			}}
			parts := &session.Parts{Source: tt.list}
			if tt.counter != nil {
				parts.Counters = []judge.Counter{tt.counter}
			}
			if err := session.Contexts(t.Context(), plan, parts, nil); err != nil {
				t.Fatal(err)
			}
			w := plan.Config.Contexts.Workloads[0]
			if w.By != tt.by || w.Longest != tt.longest || w.Over != 0 || (plan.Config.Contexts.Rule != "") != (tt.by == sched.ByEstimate) {
				t.Errorf("%+v", w)
			}
			plan.Sched.Reach.MaxContext = w.Longest - 1
			err := session.Contexts(t.Context(), plan, parts, nil)
			var unfit *session.FitError
			if !errors.As(err, &unfit) || unfit.Workload.Over != 1 || !strings.Contains(err.Error(), "none is left to play") {
				t.Errorf("one token less: %v", err)
			}
		})
	}
}

func unrecorded(id string, turns int) *trajectory.Trajectory {
	t := talk(id, turns)
	for i := range t.Turns {
		t.Turns[i].Recorded = nil
	}
	return t
}

// TestContextsTakePart: what a census finds becomes part of the plan.
func TestContextsTakePart(t *testing.T) {
	plan := &session.Plan{Sched: sched.Config{
		Workload: workload, Info: trajectory.Info{Trajectories: 3, Fixed: true}, Users: load.Constant(1), MaxTokens: 1,
		Reach: sched.Reach{MaxContext: 30, Over: sched.Skip},
	}}
	parts := &session.Parts{Source: sourceOf(talk("a", 1), talk("b", 9), talk("c", 1))}
	if err := session.Contexts(t.Context(), plan, parts, nil); err != nil {
		t.Fatal(err)
	}
	if got := plan.Sched.Reach.Without[workload]; len(got) != 1 || got[0] != 1 {
		t.Errorf("left out: %v", got)
	}
	want := journal.ContextExample{Trajectory: "b", Index: 1}
	if x := plan.Config.Contexts.Workloads[0].Examples; len(x) != 1 || x[0].Trajectory != want.Trajectory || x[0].Index != want.Index || x[0].Tokens <= 30 {
		t.Errorf("examples: %+v", x)
	}
	plan.Sched.Reach.Over = sched.Fail
	if err := session.Contexts(t.Context(), plan, parts, nil); err == nil || !strings.Contains(err.Error(), `1 of 3 trajectories exceed the longest context of 30 tokens: trajectory "b", turn 2: `) {
		t.Errorf("fail: %v", err)
	}
}
