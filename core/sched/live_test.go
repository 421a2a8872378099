package sched_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// agent is a live agent: its state counts its steps, and after some turns it ends.
type agent struct {
	turns int
	think time.Duration
	step  func(n int) (trajectory.Step, error) // nil: the plain agent
	calls int
}

func (a *agent) Next(ctx context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error) {
	a.calls++
	if x.Outcome != sample.OK || !x.Timing.NextStart.Set() {
		return trajectory.Step{}, fmt.Errorf("asked about turn %d with outcome %s", turn, x.Outcome)
	}
	select {
	case <-time.After(a.think):
	case <-ctx.Done():
		return trajectory.Step{}, ctx.Err()
	}
	n := len(state)
	if a.step != nil {
		return a.step(n)
	}
	next := trajectory.Step{State: append(state, 'x')}
	if n == a.turns {
		next.End = &trajectory.End{Outcome: "solved", Result: []byte(`{"n":1}`)}
		return next, nil
	}
	next.Turns = []trajectory.Turn{liveTurn(n)}
	return next, nil
}

func liveTurn(n int) trajectory.Turn {
	return trajectory.Turn{
		Index: uint32(n), Delay: 50 * ms,
		Append: []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"user","content":"step %d"}`, n)}},
	}
}

func liveTalk(id string) *trajectory.Trajectory {
	t := talk(id, 0)
	t.State, t.Turns[0].Recorded = []byte("x"), nil
	return t
}

func liveBench(a *agent) *bench {
	b := &bench{list: []*trajectory.Trajectory{liveTalk("l")}, serve: steady(100*ms, 100*ms), folder: a}
	b.Info.Live = true
	return b
}

func TestLiveConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &agent{turns: 3, think: 30 * ms}
		b := liveBench(a)
		b.Budget, b.Info.Fixed = 2, true
		b.must(t)
		if a.calls != 6 || len(b.recorder.stepped) != 6 || len(b.recorder.samples) != 6 {
			t.Fatalf("%d calls, %d recorded, %d turns", a.calls, len(b.recorder.stepped), len(b.recorder.samples))
		}
		for i := range 3 {
			s := b.recorder.samples[i].Timing
			start := at(time.Duration(i) * 280 * ms)
			if s.Due != start || s.Sent != start || s.NextStart != start+at(200*ms) || s.NextDone != start+at(230*ms) {
				t.Errorf("turn %d: %+v", i, s)
			}
		}
		end := b.recorder.ended[0]
		if end.State != sample.Complete || end.Planned != 3 || end.Outcome != "solved" || string(end.Result) != `{"n":1}` || end.End != at(790*ms) {
			t.Errorf("ended %+v", end)
		}
		want := `[{"role":"user","content":"l q1"},{"role":"assistant","content":"ok"},{"role":"user","content":"step 1"},` +
			`{"role":"assistant","content":"ok"},{"role":"user","content":"step 2"}]`
		if !strings.Contains(b.issuer.bodies[2], want) {
			t.Errorf("third body %s", b.issuer.bodies[2])
		}
		if b.issuer.bodies[0] != b.issuer.bodies[3] || b.issuer.bodies[2] != b.issuer.bodies[5] {
			t.Error("the second pass differs")
		}
	})
}

func TestLiveConversationBreaks(t *testing.T) {
	two := []trajectory.Turn{liveTurn(1), liveTurn(2)}
	tests := []struct {
		name  string
		step  func(n int) (trajectory.Step, error)
		want  map[string]int
		state sample.State
		why   string
	}{
		{"error", func(int) (trajectory.Step, error) { return trajectory.Step{}, errBroken },
			map[string]int{"ok": 1}, sample.Broken, "step after turn 0: guest trapped"},
		{"error with turns left", func(n int) (trajectory.Step, error) {
			if n == 1 {
				return trajectory.Step{State: []byte("xx"), Turns: two}, nil
			}
			return trajectory.Step{}, errBroken
		}, map[string]int{"ok": 2, "not_sent plugin_error": 1}, sample.Broken, "step after turn 1"},
		{"neither turns nor an end", func(int) (trajectory.Step, error) { return trajectory.Step{}, nil },
			map[string]int{"ok": 1}, sample.Broken, "neither"},
		{"turn twice", func(int) (trajectory.Step, error) {
			return trajectory.Step{Turns: []trajectory.Turn{liveTurn(0)}}, nil
		}, map[string]int{"ok": 1}, sample.Broken, "same index 0"},
		{"waits for what is not there", func(int) (trajectory.Step, error) {
			turn := liveTurn(1)
			turn.After = &[]uint32{7}
			return trajectory.Step{Turns: []trajectory.Turn{turn}}, nil
		}, map[string]int{"ok": 1}, sample.Broken, "waits for turn 7"},
		{"ends with turns left", func(n int) (trajectory.Step, error) {
			if n == 1 {
				return trajectory.Step{State: []byte("xx"), Turns: two}, nil
			}
			return trajectory.Step{End: &trajectory.End{Outcome: "gave-up"}}, nil
		}, map[string]int{"ok": 2, "not_sent agent_ended": 1}, sample.Complete, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := liveBench(&agent{step: tt.step})
				result := b.must(t)
				if diff := cmp.Diff(tt.want, b.recorder.outcomes()); diff != "" {
					t.Error(diff)
				}
				end := b.recorder.ended[0]
				if end.State != tt.state || !strings.Contains(end.Cause, tt.why) || !result.Valid() {
					t.Errorf("ended %+v, invalid %v", end, result.Invalid)
				}
			})
		})
	}
}

func TestLiveStepIsCutWithTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := liveBench(&agent{turns: 9, think: time.Hour})
		b.Duration, b.Grace = time.Second, time.Second
		result := b.must(t)
		if b.took != 2*time.Second || result.Reason != sched.ReasonDuration || b.recorder.states()[sample.Ended] != 1 {
			t.Errorf("after %v: %+v, %v", b.took, result, b.recorder.states())
		}
	})
}
