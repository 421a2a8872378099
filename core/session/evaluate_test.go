package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/relay"
	"paceline/core/sample"
	"paceline/core/session"
	"paceline/core/verdict"
)

// echo answers every request itself.
type echo struct{}

func (echo) Forward(_ context.Context, _ *chat.Request, x *sample.Exchange, sink endpoint.Sink) {
	_ = sink.Head(http.StatusOK, "application/json", nil)
	_ = sink.Piece([]byte(`{"choices":[]}`))
	x.Outcome, x.Status = sample.OK, http.StatusOK
}

// examiner asks one question in each of four steps; it fails at the nth step of this value.
type examiner struct {
	about  verdict.About
	fails  int
	steps  int
	states []string
}

func (e *examiner) About() verdict.About { return e.about }

func (e *examiner) Evaluate(ctx context.Context, s judge.Step) (judge.Stepped, error) {
	e.states = append(e.states, string(s.State))
	if s.Cancel {
		return judge.Stepped{Done: true, ItemsTotal: 4, Score: &verdict.Score{Passed: true, Complete: true}}, nil
	}
	if e.steps++; e.steps == e.fails {
		return judge.Stepped{}, errors.New("out of luck")
	}
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Target.URL+"/chat/completions", strings.NewReader(`{"messages":[{"role":"user"}]}`))
	if err != nil {
		return judge.Stepped{}, err
	}
	q.Header.Set("Authorization", "Bearer "+s.Target.Token)
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return judge.Stepped{}, err
	}
	_ = r.Body.Close()
	n := len(s.State) + 1
	out := judge.Stepped{State: bytes.Repeat([]byte("x"), n), ItemsDone: uint64(n), ItemsTotal: 4, Items: []verdict.ItemScore{{Trajectory: fmt.Sprint(n), Scored: r.StatusCode == 200}}}
	if n == 4 {
		out.Done, out.Score = true, &verdict.Score{Score: &verdict.Value{Name: "right", Micro: 500_000}, Complete: true, Passed: true, Scored: 4}
	}
	return out, nil
}

// TestEvaluations: one that fails leaves an incomplete score and goes on from its last step when it is judged again; without a
// target a complete score stays; another configuration is another evaluation.
func TestEvaluations(t *testing.T) {
	run := (&play{source: sourceOf(talk("a", 1)), script: &coretest.Script{Replies: []coretest.Reply{three()}}, stream: true}).run(t).good(t)
	about := newFake("scorer").about
	judgeBy := func(e *examiner, target bool) *verdict.Judgement {
		t.Helper()
		judges := &session.Judges{Evaluators: []judge.Evaluator{e}}
		if target {
			judges.Evaluations = &session.Evaluations{Relay: relay.Config{Forward: echo{}, Epoch: time.Now(), Model: "m"}}
		}
		run.judge(t, judges)
		list, err := journal.ReadJudgements(run.dir)
		if err != nil || len(list) == 0 {
			t.Fatalf("%v, %v", list, err)
		}
		return &list[len(list)-1]
	}
	e := &examiner{about: about}
	if j := judgeBy(e, false); !strings.Contains(j.Error, session.NoTarget) || j.Score.Complete || len(e.states) != 0 {
		t.Errorf("no target: %+v", j)
	}
	e.fails = 3
	if j := judgeBy(e, true); !strings.Contains(j.Error, "2 of 4 items done: out of luck") || j.Score.Complete || j.Score.Passed || len(j.Items) != 2 {
		t.Errorf("failed: %+v", j)
	}
	if got := strings.Join(e.states, ","); got != ",x,xx,xx" {
		t.Errorf("states %s", got)
	}
	e = &examiner{about: about}
	if j := judgeBy(e, true); j.Error != "" || !j.Score.Passed || len(j.Items) != 4 || e.steps != 2 {
		t.Errorf("gone on with: %+v, %d steps", j, e.steps)
	}
	if j := judgeBy(&examiner{about: about}, false); j.Error != "" || !j.Score.Complete || len(j.Items) != 4 {
		t.Errorf("kept: %+v", j)
	}
	other := about
	other.Config = []byte(`{"a":1}`)
	if j := judgeBy(&examiner{about: other}, false); j.Error == "" {
		t.Errorf("another configuration: %+v", j)
	}
	if files, _ := filepath.Glob(filepath.Join(run.dir, "evaluation-*")); len(files) != 2 {
		t.Errorf("files %v", files)
	}
	if err := journal.Verify(run.dir); err != nil {
		t.Error(err)
	}
}
