package session_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/journal"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
)

// agent is a live workload in memory: each step's state is the state before with a digest of the answer, so that it depends
// on every byte that it was given. After three steps it ends.
type agent struct {
	replanner
	differs string // the state before the step that comes out another way again
	fails   string // the same, failing
	steps   int
}

func (a *agent) Next(_ context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error) {
	seen := digestOf(fmt.Sprintf("%s %d %s %+v", state, turn, x.Outcome, *x.Answer)).String()[:12]
	step := trajectory.Step{State: fmt.Appendf(nil, "%s %s", state, seen)}
	if strings.Count(string(state), " ") == 2 {
		step.End = &trajectory.End{Outcome: "solved", Result: json.RawMessage(`{"n":3}`)}
		return step, nil
	}
	step.Turns = []trajectory.Turn{{
		Index: turn + 1, Append: []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"user","content":"after %s"}`, seen)}},
	}}
	return step, nil
}

func (a *agent) NextFresh(ctx context.Context, state []byte, turn uint32, x *sample.Exchange) (trajectory.Step, error) {
	a.steps++
	if a.fails != "" && strings.HasPrefix(string(state), a.fails) {
		return trajectory.Step{}, errors.New("trap: unreachable")
	}
	step, err := a.Next(ctx, state, turn, x)
	if a.differs != "" && strings.HasPrefix(string(state), a.differs) {
		step.State = append(step.State, '!')
	}
	return step, err
}

// livePlay plays conversations of three steps each; the target's answers hold fields that the runner does not know.
func livePlay(conversations int) (*play, *agent) {
	run := &play{script: &coretest.Script{Replies: []coretest.Reply{{
		Headers: []coretest.Header{{Name: "Content-Type", Value: "application/json"}},
		Body: []coretest.Step{{At: ms(10), Data: []byte(`{"choices":[{"message":{"role":"assistant","content":"<\u2028>&"},"finish_reason":"stop"}],` +
			`"usage":{"prompt_tokens":3,"completion_tokens":2},"service_tier":{"name":"x<y","n":[1,2.50]}}`)}},
		End: coretest.EndKeepAlive,
	}}}}
	for i := range conversations {
		t := talk(fmt.Sprintf("t%d", i), 1)
		t.State = fmt.Appendf(nil, "t%d", i)
		run.source = append(run.source, t)
	}
	run.source = sourceOf(run.source...)
	a := &agent{replanner: replanner{source: run.source}}
	run.sched = func(c *sched.Config) { c.Info.Live, c.History = true, chat.Live }
	run.parts = func(p *session.Parts) { p.Folder = a }
	run.changed = func(c *journal.RunConfig) { c.Workload.Live = true }
	return run, a
}

func TestSteppedAgain(t *testing.T) {
	run, a := livePlay(2)
	p := run.run(t).good(t)
	if got := outcomes(p.journal(t)); got["ok"] != 6 || len(p.journal(t).Lives) != 6 {
		t.Fatalf("%v, %d steps", got, len(p.journal(t).Lives))
	}
	reports := p.judge(t, &session.Judges{Replanner: a, Refolder: a})
	if again := reports.Result.What.Workload.Again; again.Stepped != 6 || again.StepsOf != 6 || a.steps != 6 || again.Error != "" {
		t.Errorf("%+v, %d asked", again, a.steps)
	}
	if !strings.Contains(string(reports.Text), "2 of 2 plans, 6 of 6 live steps, all the same") {
		t.Errorf("report:\n%s", reports.Text)
	}
	p.recomputes(t, reports)
	for name, c := range map[string]struct {
		with *agent
		text string
	}{
		"a first step":   {&agent{differs: "t0"}, `of trajectory "t0", repeat 0 was `},
		"a later step":   {&agent{differs: "t1 "}, `of trajectory "t1", repeat 0 was `},
		"an error":       {&agent{fails: "t1"}, "is now an error: trap: unreachable"},
		"and a plan too": {&agent{differs: "t0", replanner: replanner{changed: map[uint64]bool{0: true}}}, "deterministic: trajectory 0, repeat 0 was "},
	} {
		t.Run(name, func(t *testing.T) {
			c.with.source = run.source
			r := p.judge(t, &session.Judges{Replanner: c.with, Refolder: c.with}).Result
			if r.Status != report.Failed || !strings.Contains(r.Reason, c.text) {
				t.Errorf("%s: %s, want %q", r.Status, r.Reason, c.text)
			}
			// Judging again without the workload does not make the run valid.
			if r := p.judge(t, &session.Judges{}).Result; r.Status != report.Failed {
				t.Errorf("judged again: %s", r.Status)
			}
		})
	}
}

// Not more than 16 steps are taken again, and equal seeds choose the same.
func TestSteppedAgainIsAChoice(t *testing.T) {
	run, a := livePlay(10)
	p := run.run(t).good(t)
	first := p.judge(t, &session.Judges{Replanner: a, Refolder: a})
	if again := first.Result.What.Workload.Again; a.steps != 16 || again.Stepped != 16 || again.StepsOf != 30 {
		t.Errorf("%d asked, %+v", a.steps, again)
	}
	if second := p.judge(t, &session.Judges{Replanner: a, Refolder: a}); string(first.JSON) != string(second.JSON) {
		t.Error("judging twice gives two reports")
	}
	if r := p.judge(t, &session.Judges{Replanner: a}).Result.What.Workload.Again; r.StepsOf != 0 || r.Planned != 10 {
		t.Errorf("without a folder: %+v", r)
	}
}
