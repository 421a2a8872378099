package session_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/judge"
	"paceline/core/load"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/sim"
	"paceline/core/verdict"
)

func users(n int) func(*sched.Config) {
	return func(c *sched.Config) { c.Users = load.Constant(n) }
}

// Two users and three conversations: user 0 plays a (200 ms) and c (to 600 ms), user 1 plays b (to 800 ms). The first user
// is idle at 600 ms.
func handPlayed() *play {
	return &play{
		source: sourceOf(talk("a", 1), talk("b", 4), talk("c", 2)), stream: true, sched: users(2),
		script: &coretest.Script{Replies: []coretest.Reply{three()}},
	}
}

func TestWindowsByHand(t *testing.T) {
	p := handPlayed().run(t).good(t)
	if p.elapsed != ms(800) {
		t.Errorf("took %v, want 800ms", p.elapsed)
	}
	m := p.judge(t, &session.Judges{}).Result.Metrics
	type view struct {
		name        string
		open, close int64
		turns       int
		tokens      int64
		rate, users string
	}
	var got []view
	for _, w := range m.Windows {
		got = append(got, view{w.Name, w.OpenNS, w.CloseNS, w.Turns, w.TokensInside, w.System.Value.String(), w.UsersActive.Value.String()})
	}
	// An answer that ends at the border ends outside. trim leaves out the first 160 ms: the three tokens of each user.
	want := []view{
		{metrics.FirstIdle, 0, 6e8, 4, 18, "30", "2"},
		{metrics.Steady, 0, 6e8, 4, 18, "30", "2"},
		{metrics.Trim, 16e7, 8e8 + 1, 7, 15, "23.4375", "1.6875"},
		{metrics.All, 0, 8e8 + 1, 7, 21, "26.25", "1.75"},
	}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(view{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if m.Turns.TTFT.Min != m.Turns.TTFT.Max || m.Turns.TTFT.Max.String() != "50" || m.Turns.Latency.Max.String() != "200" {
		t.Errorf("TTFT %v to %v ms, latency to %v ms", m.Turns.TTFT.Min, m.Turns.TTFT.Max, m.Turns.Latency.Max)
	}
	if s := m.Honesty.State; s != metrics.Honest {
		t.Errorf("client is %s: %v", s, m.Honesty.Reasons)
	}
}

// The warm-up of one conversation ends at 200 ms. User 1 goes on with b as if nothing happened, and its later tokens count.
func TestWarmupHandsOver(t *testing.T) {
	run := handPlayed()
	run.sched = func(c *sched.Config) {
		c.Users, c.Warmup.Conversations, c.Budget = load.Constant(2), 1, 2
	}
	p := run.run(t).good(t)
	m := p.judge(t, &session.Judges{}).Result.Metrics
	w := m.Windows[0]
	if w.Name != metrics.FirstIdle || w.OpenNS != 2e8 || w.CloseNS != 6e8 || w.TokensInside != 12 || w.UsersActive.Value.String() != "2" {
		t.Errorf("first-idle %+v with %d tokens and %v users", w.Span, w.TokensInside, w.UsersActive.Value)
	}
	for _, s := range p.journal(t).Samples {
		if want := sample.Offset(ms(200 * int(s.Turn))); s.Trajectory == "b" && (s.Timing.Due != want || s.Timing.Sent != want) {
			t.Errorf("b, turn %d: due %v, sent %v, want both %v", s.Turn, s.Timing.Due, s.Timing.Sent, want)
		}
	}
}

func TestPlayJudgeReport(t *testing.T) {
	v := newFake("validator", verdict.NeedTruth)
	v.about.Probes = []verdict.Probe{{ID: "version", GetPath: "/version"}, {ID: "gone", GetPath: "/v1/models", After: true}}
	v.preflight = []verdict.Finding{finding(verdict.Warning, "old-engine")}
	s := scorer{newFake("scorer", verdict.NeedAnswer)}
	run := handPlayed()
	run.script.Replies = append(run.script.Replies, coretest.Reply{
		When:   func(r *coretest.Request) bool { return r.Method == http.MethodGet },
		Status: 404, Headers: []coretest.Header{{Name: "X-Engine", Value: "e1"}}, Body: []coretest.Step{{Data: []byte("no")}}, Coding: coretest.WithLength, End: coretest.EndKeepAlive,
	})
	run.parts = func(parts *session.Parts) {
		parts.Validators, parts.Scorers = []judge.Validator{v}, []judge.Scorer{s}
	}
	p := run.run(t).good(t)
	if len(v.facts) != 1 || v.facts[0].Probe != "version" || v.facts[0].Status != 404 || string(v.facts[0].Body) != "no" {
		t.Errorf("facts before the load: %+v", v.facts)
	}
	if got := p.result.Preflight["std/test/validator"]; !cmp.Equal(got, v.preflight) {
		t.Errorf("preflight %+v", got)
	}
	order := make([]string, 0, len(p.requests))
	for _, r := range p.requests {
		order = append(order, r.Method)
	}
	if want := append([]string{"GET"}, append(slices.Repeat([]string{"POST"}, 7), "GET")...); !slices.Equal(order, want) {
		t.Errorf("requests %v, want %v", order, want)
	}

	again := &replanner{source: run.source}
	reports := p.judge(t, &session.Judges{Validators: []judge.Validator{v}, Scorers: []judge.Scorer{s}, Replanner: again})
	r := reports.Result
	if r.Status != report.Complete || len(r.Verdicts) != 1 || !r.Verdicts[0].Passed || len(r.Scores) != 1 || !r.Scores[0].Complete {
		t.Errorf("%s, verdicts %+v, scores %+v", r.Status, r.Verdicts, r.Scores)
	}
	if n := r.Verdicts[0].Values[0].Value.String(); n != "7" || r.Scores[0].Scored != 7 {
		t.Errorf("%s turns checked, %d scored, want 7", n, r.Scores[0].Scored)
	}
	if len(v.end.Facts) != 2 || v.end.Facts[1].Probe != "gone" || !strings.Contains(string(v.end.Metrics), `"output_tokens_per_second"`) {
		t.Errorf("the validator concluded over facts %+v and %d bytes of metrics", v.end.Facts, len(v.end.Metrics))
	}
	if a := r.What.Workload.Again; a == nil || a.Planned != 3 || a.Of != 3 || again.asked != 3 {
		t.Errorf("planned again: %+v after %d calls", a, again.asked)
	}
	p.recomputes(t, reports)
	p.neverSent(t, canary)
}

// recomputes checks that the files alone give the same report.
func (p *played) recomputes(t *testing.T, first *session.Reports) {
	t.Helper()
	for _, name := range []string{session.ReportJSON, session.ReportText} {
		if err := os.Remove(filepath.Join(p.dir, name)); err != nil {
			t.Error(err)
		}
	}
	second, err := session.Report(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{session.ReportJSON: first.JSON, session.ReportText: first.Text} {
		got, err := os.ReadFile(filepath.Join(p.dir, name))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs when it is computed again (%v)", name, err)
		}
	}
	if !bytes.Equal(second.JSON, first.JSON) || !bytes.Equal(second.Text, first.Text) {
		t.Error("the report differs when it is computed again")
	}
}

func (p *played) neverSent(t *testing.T, text string) {
	t.Helper()
	if bodies := sent(p.requests); len(bodies) == 0 || carries(bodies, text) {
		t.Errorf("%q is in one of %d requests", text, len(bodies))
	}
}

func TestPreflightErrorStopsBeforeTraffic(t *testing.T) {
	v := newFake("validator")
	v.preflight = []verdict.Finding{finding(verdict.Warning, "slow"), finding(verdict.Error, "wrong-model")}
	run := handPlayed()
	run.parts = func(parts *session.Parts) { parts.Validators = []judge.Validator{v} }
	p := run.run(t)
	refused, ok := errors.AsType[*session.PreflightError](p.err)
	if !ok || refused.Validator != "std/test/validator" || len(refused.Findings) != 1 || refused.Findings[0].Code != "wrong-model" {
		t.Errorf("error %v", p.err)
	}
	if len(p.requests) != 0 || p.result != nil {
		t.Errorf("%d requests were sent", len(p.requests))
	}
	if _, err := os.Stat(p.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run folder was made: %v", err)
	}
}

// What is refused before anything was sent leaves no run folder, so that the next try may use its name.
func TestRefusedPlanLeavesNoFolder(t *testing.T) {
	run := handPlayed()
	run.sched = func(c *sched.Config) {
		c.Salt, _ = chat.SaltSchemeByName("mlperf") // needs a system message, and there is none
	}
	p := run.run(t)
	if _, ok := errors.AsType[*sched.RefusedError](p.err); !ok || p.result != nil || len(p.requests) != 0 {
		t.Errorf("%d requests, error %v", len(p.requests), p.err)
	}
	if _, err := os.Stat(p.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the run folder stayed: %v", err)
	}
}

// Every planned turn of a started conversation is one sample, whatever happens.
func TestPlannedTurnsAreSamples(t *testing.T) {
	broken := coretest.Reply{Status: 500, Body: []coretest.Step{{At: ms(30), Data: []byte(`{"error":{"message":"boom"}}`)}}, End: coretest.EndKeepAlive}
	hang := coretest.Reply{End: coretest.EndHang}
	for _, c := range []struct {
		name    string
		replies []coretest.Reply
		sched   func(*sched.Config)
		want    map[string]int
		status  report.Status
	}{
		{"all good", []coretest.Reply{three()}, nil, map[string]int{"ok": 7}, report.Complete},
		{"one failure", []coretest.Reply{three(), at(broken, "b asks 1")}, nil,
			map[string]int{"ok": 4, "status": 1, "not_sent: prior_failure": 2}, report.Complete},
		{"all fail", []coretest.Reply{broken}, nil, map[string]int{"status": 3, "not_sent: prior_failure": 4}, report.Failed},
		{"cut by the time limit", []coretest.Reply{three(), at(hang, "b asks 2")}, func(c *sched.Config) { c.Duration, c.Grace = ms(500), ms(150) },
			map[string]int{"ok": 5, "cancelled": 1, "not_sent: run_ended": 1}, report.TimeLimit},
		{"turn timeout", []coretest.Reply{three(), at(hang, "b asks 2")}, func(c *sched.Config) { c.TurnTimeout = ms(700) },
			map[string]int{"ok": 5, "timeout": 1, "not_sent: prior_failure": 1}, report.Complete},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := handPlayed()
			run.script.Replies = c.replies
			run.sched = func(s *sched.Config) {
				users(2)(s)
				if c.sched != nil {
					c.sched(s)
				}
			}
			p := run.run(t).good(t)
			j := p.journal(t)
			if d := cmp.Diff(c.want, outcomes(j)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			planned := 0
			for _, conv := range j.Conversations {
				planned += conv.Planned
			}
			reports := p.judge(t, &session.Judges{})
			r := reports.Result
			if planned != len(j.Samples) || planned != r.Metrics.Failures.Planned || r.Status != c.status {
				t.Errorf("%d planned, %d samples, %d in the report; %s", planned, len(j.Samples), r.Metrics.Failures.Planned, r.Status)
			}
			p.recomputes(t, reports)
		})
	}
}

// at makes a reply that of the turn whose question this is.
func at(r coretest.Reply, question string) coretest.Reply {
	r.When = func(q *coretest.Request) bool {
		messages := q.Messages()
		return len(messages) > 0 && strings.Contains(string(messages[len(messages)-1].Content), question)
	}
	return r
}

func TestPlannedAgain(t *testing.T) {
	run := handPlayed()
	p := run.run(t).good(t)
	if r := p.judge(t, &session.Judges{}).Result; r.What.Workload.Again != nil || r.Status != report.Complete {
		t.Errorf("nothing was planned again: %+v, %s", r.What.Workload.Again, r.Status)
	}
	for _, c := range []struct {
		name string
		with *replanner
		text string
	}{
		{"another trajectory", &replanner{source: run.source, changed: map[uint64]bool{1: true}}, "trajectory 1, repeat 0 was "},
		{"an error", &replanner{source: run.source, fails: map[uint64]bool{2: true}}, "is now an error: trap: unreachable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reports := p.judge(t, &session.Judges{Replanner: c.with})
			if r := reports.Result; r.Status != report.Failed || !strings.Contains(r.Reason, workload) || !strings.Contains(r.Reason, c.text) {
				t.Errorf("%s: %s", r.Status, r.Reason)
			}
			p.recomputes(t, reports)
			// Judging again without the workload does not make the run valid.
			if r := p.judge(t, &session.Judges{}).Result; r.Status != report.Failed {
				t.Errorf("judged again: %s", r.Status)
			}
		})
	}
	if r := p.judge(t, &session.Judges{Replanner: &replanner{source: run.source}}).Result; r.Status != report.Complete {
		t.Errorf("planned again, all the same: %s, %s", r.Status, r.Reason)
	}
}

// Not more than 16 trajectories are planned again, and equal seeds choose the same.
func TestPlannedAgainIsAChoice(t *testing.T) {
	run := handPlayed()
	run.source = nil
	for i := range 40 {
		run.source = append(run.source, talk(fmt.Sprintf("t%d", i), 1))
	}
	run.source = sourceOf(run.source...)
	p := run.run(t).good(t)
	again := &replanner{source: run.source}
	first := p.judge(t, &session.Judges{Replanner: again})
	if a := first.Result.What.Workload.Again; again.asked != 16 || a.Planned != 16 || a.Of != 40 {
		t.Errorf("%d asked, %+v", again.asked, a)
	}
	second := p.judge(t, &session.Judges{Replanner: again})
	if !bytes.Equal(first.JSON, second.JSON) {
		t.Error("judging twice gives two reports")
	}
}

func TestJudgingEndsWithItsContext(t *testing.T) {
	run := handPlayed()
	p := run.run(t).good(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := session.Judge(ctx, p.dir, &session.Judges{Replanner: &replanner{source: run.source}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// The simulated engine answers many users in virtual time; its own counts and ours agree.
func TestAgainstTheSimulatedEngine(t *testing.T) {
	run := &play{stream: true, sched: users(8), window: metrics.Steady}
	for i := range 24 {
		run.source = append(run.source, talk(fmt.Sprintf("t%d", i), 1+i%5))
	}
	run.source = sourceOf(run.source...)
	run.serve = func(ctx context.Context, l *coretest.Listener) {
		engine, err := sim.New(sim.Config{Model: "m", Seed: 7})
		if err != nil {
			t.Error(err)
			return
		}
		if err := engine.Serve(ctx, l); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}
	p := run.run(t).good(t)
	j := p.journal(t)
	var tokens uint64
	for _, s := range j.Samples {
		if s.Outcome != sample.OK || s.Timing.Sent != s.Timing.Due {
			t.Errorf("%s turn %d: %s (%s), sent %v after due", s.Trajectory, s.Turn, s.Outcome, s.Cause, s.Timing.Sent-s.Timing.Due)
			continue
		}
		tokens += s.Answer.Usage.CompletionTokens
	}
	reports := p.judge(t, &session.Judges{})
	m := reports.Result.Metrics
	all := m.Windows[3]
	if m.Failures.Planned != 70 || len(j.Samples) != 70 || uint64(all.TokensInside) != tokens || all.TokensOutside != 0 {
		t.Errorf("%d planned, %d samples, %d tokens inside, %d outside, want %d", m.Failures.Planned, len(j.Samples), all.TokensInside, all.TokensOutside, tokens)
	}
	p.recomputes(t, reports)
}
