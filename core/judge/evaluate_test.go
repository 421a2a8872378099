package judge_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/judge"
	"paceline/core/verdict"
)

// evaluator counts in its state: one item a step, until it has all.
type evaluator struct {
	total   int
	step    func(ctx context.Context, n int) error // before the nth step of this value
	reply   func(n int, r *judge.Stepped)
	steps   int
	cancels []string // states that calls with cancel had
	targets int
}

func (e *evaluator) About() verdict.About {
	return verdict.About{Name: "my/quiz/exam", Kind: "scorer", Unit: verdict.UnitConversation}
}

func (e *evaluator) Evaluate(ctx context.Context, s judge.Step) (judge.Stepped, error) {
	done := len(s.State)
	if s.Cancel {
		e.cancels = append(e.cancels, string(s.State))
		return judge.Stepped{State: s.State, Done: true, ItemsDone: uint64(done), ItemsTotal: uint64(e.total),
			Score: &verdict.Score{Passed: true, Complete: true, Scored: uint64(done)}}, nil
	}
	e.steps++
	if s.Target != nil {
		e.targets++
	}
	if e.step != nil {
		if err := e.step(ctx, e.steps); err != nil {
			return judge.Stepped{}, err
		}
	}
	r := judge.Stepped{State: []byte(strings.Repeat("x", done+1)), ItemsDone: uint64(done + 1), ItemsTotal: uint64(e.total), Status: "going\non",
		Items: []verdict.ItemScore{{Trajectory: fmt.Sprintf("q%d", done), Scored: true, Micro: 1_000_000}}}
	if done+1 == e.total {
		r.Done, r.Score = true, &verdict.Score{Score: &verdict.Value{Name: "right", Micro: 1_000_000}, Complete: true, Passed: true, Scored: uint64(e.total)}
	}
	if e.reply != nil {
		e.reply(e.steps, &r)
	}
	return r, nil
}

func evaluate(t *testing.T, e *evaluator, how judge.Evaluation, on func(judge.Progress)) verdict.Judgement {
	t.Helper()
	how.Target = &judge.Target{URL: "http://relay", Token: "t", Model: "m"}
	j, err := judge.New(judge.Config{Run: runOf(1), OnProgress: on}).Evaluate(t.Context(), e, how)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestEvaluate(t *testing.T) {
	e := &evaluator{total: 3}
	var shown []judge.Progress
	var kept []string
	ended := 0
	j := evaluate(t, e, judge.Evaluation{End: func() { ended++ }, Record: func(s *judge.Stepped) { kept = append(kept, string(s.State)) }},
		func(p judge.Progress) { shown = append(shown, p) })
	if j.Error != "" || !j.Score.Passed || !j.Score.Complete || len(j.Items) != 3 || j.Items[2].Trajectory != "q2" || j.Seed == "" {
		t.Errorf("%+v", j)
	}
	if e.steps != 3 || e.targets != 3 || len(e.cancels) != 0 {
		t.Errorf("%+v", e)
	}
	if strings.Join(kept, ",") != "x,xx,xxx" {
		t.Errorf("kept %v", kept)
	}
	if len(shown) != 3 || shown[1] != (judge.Progress{Name: "my/quiz/exam", Done: 2, Total: 3, Items: true, Status: "going on"}) {
		t.Errorf("shown %+v", shown)
	}
}

// TestEvaluateResumes: items of before count, and no step is made again.
func TestEvaluateResumes(t *testing.T) {
	e := &evaluator{total: 3}
	j := evaluate(t, e, judge.Evaluation{Resume: &judge.Stepped{State: []byte("xx"), ItemsDone: 2, ItemsTotal: 3,
		Items: []verdict.ItemScore{{Trajectory: "q0"}, {Trajectory: "q1"}}}}, nil)
	if e.steps != 1 || len(j.Items) != 3 || j.Items[0].Trajectory != "q0" || !j.Score.Complete {
		t.Errorf("%d steps, %+v", e.steps, j)
	}
}

// TestEvaluateInterrupted: the step on its way is waited for a little, does not hold, and one call with cancel follows.
func TestEvaluateInterrupted(t *testing.T) {
	for _, c := range []struct {
		name  string
		hangs bool
	}{{"answers", false}, {"hangs", true}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				interrupt, ended := make(chan struct{}), make(chan struct{})
				e := &evaluator{total: 9}
				e.step = func(ctx context.Context, n int) error {
					if n < 3 {
						return nil
					}
					close(interrupt)
					if c.hangs {
						<-ctx.Done()
						return ctx.Err()
					}
					<-ended
					return nil
				}
				var over bool
				began := time.Now()
				var reason error
				j := evaluate(t, e, judge.Evaluation{Interrupt: interrupt, OnEnd: func(err error) { reason = err }, End: func() {
					if !over {
						over = true
						close(ended)
					}
				}}, nil)
				if !strings.Contains(j.Error, "evaluation incomplete, 2 of 9 items done: interrupted") || j.Score.Passed || j.Score.Complete || len(j.Items) != 2 {
					t.Errorf("%+v, %+v", j, j.Score)
				}
				if strings.Join(e.cancels, ",") != "xx" || e.steps != 3 || !errors.Is(reason, judge.ErrInterrupted) {
					t.Errorf("%+v, %v", e, reason)
				}
				if took := time.Since(began); c.hangs != (took > 0) {
					t.Errorf("took %v", took)
				}
			})
		})
	}
}

// TestEvaluateNotBegun: what is interrupted before its first step is asked nothing.
func TestEvaluateNotBegun(t *testing.T) {
	interrupt := make(chan struct{})
	close(interrupt)
	e := &evaluator{total: 2}
	j := evaluate(t, e, judge.Evaluation{Interrupt: interrupt}, nil)
	if e.steps != 0 || len(e.cancels) != 0 || j.Error == "" || j.Score.Complete {
		t.Errorf("%+v, %+v", e, j)
	}
}

// TestEvaluateNeverEnds: an evaluator that does nothing, and one that always has something to do, come to an end.
func TestEvaluateNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &evaluator{total: 2, reply: func(n int, r *judge.Stepped) {
			*r = judge.Stepped{State: fmt.Appendf(nil, "%d", n), ItemsTotal: 5}
		}}
		records := 0
		j := evaluate(t, e, judge.Evaluation{Record: func(*judge.Stepped) { records++ }}, nil)
		if e.steps != judge.MaxIdleSteps || len(e.cancels) != 1 || !strings.Contains(j.Error, "steps in a row") || records > 1 {
			t.Errorf("%d steps, %d records: %s", e.steps, records, j.Error)
		}
		e = &evaluator{total: 1 << 30, step: func(context.Context, int) error { time.Sleep(time.Minute); return nil },
			reply: func(_ int, r *judge.Stepped) { r.Items = nil }}
		j = evaluate(t, e, judge.Evaluation{Limit: time.Hour - 30*time.Second}, nil)
		if e.steps != 60 || len(e.cancels) != 1 || !strings.Contains(j.Error, "passed its time limit of 59m30s") || j.Score.Complete {
			t.Errorf("%d steps: %s", e.steps, j.Error)
		}
	})
}

// TestEvaluateBreaksRules: replies that break a rule end the evaluation, with a last call.
func TestEvaluateBreaksRules(t *testing.T) {
	for name, c := range map[string]struct {
		reply func(n int, r *judge.Stepped)
		says  string
	}{
		"state":  {func(_ int, r *judge.Stepped) { r.State = make([]byte, judge.MaxState+1) }, "state of 262145 bytes"},
		"score":  {func(_ int, r *judge.Stepped) { r.Done = true }, "has no score"},
		"detail": {func(_ int, r *judge.Stepped) { r.Items[0].Detail = []byte("{") }, "not JSON"},
		"size":   {func(_ int, r *judge.Stepped) { r.Items[0].Reason = strings.Repeat("a", judge.MaxEvaluatedSize) }, "items of more than"},
	} {
		e := &evaluator{total: 3, reply: c.reply}
		j := evaluate(t, e, judge.Evaluation{}, nil)
		if !strings.Contains(j.Error, c.says) || j.Score.Passed || len(e.cancels) != 1 {
			t.Errorf("%s: %q, %d cancels", name, j.Error, len(e.cancels))
		}
	}
	e := &evaluator{total: 3, step: func(context.Context, int) error { return errors.New("out of luck") }}
	if j := evaluate(t, e, judge.Evaluation{}, nil); !strings.Contains(j.Error, "0 of 3 items done: out of luck") || len(e.cancels) != 1 {
		t.Errorf("%s", j.Error)
	}
}

// TestEvaluateIncompletePasses: who says that it is incomplete has not passed.
func TestEvaluateIncompletePasses(t *testing.T) {
	e := &evaluator{total: 1, reply: func(_ int, r *judge.Stepped) { r.Score.Complete = false }}
	if j := evaluate(t, e, judge.Evaluation{}, nil); j.Error != "" || j.Score.Passed {
		t.Errorf("%+v", j.Score)
	}
}
