package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/report"
	"paceline/core/session"
	"paceline/core/sim"
)

// metered has the run ask for the target's metrics page, each 110 ms, so that no reading falls on the end of the load.
func (p *play) metered() {
	p.parts = func(parts *session.Parts) {
		parts.Meter = &session.EndpointMeter{Client: parts.Issuer.(*endpoint.Client), Root: "http://engine:8000", Paths: engine.MetricsPaths()}
		parts.MeterEvery = 110 * time.Millisecond
	}
}

// A run against the simulated engine: its counters, read before and after, are those of the run.
func TestTargetTellsOfItself(t *testing.T) {
	run := &play{stream: true, sched: users(8)}
	for i := range 24 {
		run.source = append(run.source, talk(fmt.Sprintf("t%d", i), 1+i%5))
	}
	run.source = sourceOf(run.source...)
	var stats sim.Stats
	run.serve = func(ctx context.Context, l *coretest.Listener) {
		s, err := sim.New(sim.Config{Model: "m", Seed: 7, DraftTokens: 3})
		if err != nil {
			t.Error(err)
			return
		}
		_ = s.Serve(ctx, l)
		stats = s.Stats()
	}
	run.metered()
	p := run.run(t).good(t)
	reports := p.judge(t, &session.Judges{})
	told := reports.Result.Target
	if told == nil || told.State != report.TargetReported || told.Engine != engine.VLLM || told.Missing != 0 || told.Restarts != 0 {
		t.Fatalf("target %+v", told)
	}
	if told.Readings < 3 || told.Running.Readings != told.Readings-2 || told.KVUse.Readings == 0 {
		t.Errorf("%d readings, %d of them during the load", told.Readings, told.Running.Readings)
	}
	d := &told.Drafting
	if d.State != report.DraftsCounted || d.Drafts.Value.String() != fmt.Sprint(stats.Drafts) || d.DraftLength.Value.String() != "3" || d.Basis != "counters" {
		t.Errorf("%d drafts of the engine, told %+v", stats.Drafts, d)
	}
	if told.Balance.Reason != report.NotExposed || !strings.Contains(string(reports.Text), "Expert balance  not exposed\n") {
		t.Errorf("balance %+v", told.Balance)
	}
	p.recomputes(t, reports)
}

// pages scripts the metrics page: each request for it gets the next reply, the last one again and again.
func pages(replies ...coretest.Reply) *coretest.Script {
	n := 0
	script := &coretest.Script{Replies: []coretest.Reply{three()}}
	for i := range replies {
		r := replies[i]
		r.When = func(q *coretest.Request) bool {
			if q.Method != "GET" || !strings.HasSuffix(q.Target, "/metrics") || min(n, len(replies)-1) != i {
				return false
			}
			n++
			return true
		}
		r.Coding, r.End = coretest.WithLength, coretest.EndKeepAlive
		script.Replies = append(script.Replies, r)
	}
	return script
}

func body(status int, content string) coretest.Reply {
	return coretest.Reply{Status: status, Body: []coretest.Step{{Data: []byte(content)}}}
}

func TestMetricsPagesThatAreMissing(t *testing.T) {
	const page = "vllm:num_requests_running 1\nvllm:num_preemptions_total 2\n"
	for _, tc := range []struct {
		name              string
		replies           []coretest.Reply
		state             string
		readings, missing int
	}{
		{"none", []coretest.Reply{body(404, "no")}, report.TargetNotExposed, 0, 0},
		{"of something else", []coretest.Reply{body(200, "go_goroutines 1\n")}, report.TargetNotExposed, 0, 0},
		{"json first", []coretest.Reply{body(200, "[]"), body(200, page)}, report.TargetReported, 9, 0},
		{"broken in the middle", []coretest.Reply{body(200, page), body(503, "busy"), body(404, "gone"), body(200, page)}, report.TargetReported, 7, 2},
		{"broken", []coretest.Reply{body(500, "no")}, report.TargetUnread, 0, 9},
	} {
		t.Run(tc.name, func(t *testing.T) {
			run := handPlayed() // for 800 ms: a reading before, seven in between, one after
			run.script = pages(tc.replies...)
			run.metered()
			p := run.run(t).good(t)
			reports := p.judge(t, &session.Judges{})
			told := reports.Result.Target
			if told == nil || told.State != tc.state || told.Readings != tc.readings || told.Missing != tc.missing {
				t.Fatalf("target %+v", told)
			}
			if tc.readings > 0 && told.Preemptions.Value.String() != "0" {
				t.Errorf("preemptions %+v", told.Preemptions)
			}
			p.recomputes(t, reports)
		})
	}
}

// A page that never comes holds nothing up: the load begins when the limit of one reading is over, and the rest runs beside it.
func TestMetricsPageThatHangs(t *testing.T) {
	run := handPlayed()
	run.script = pages(coretest.Reply{Body: []coretest.Step{{At: time.Hour}}})
	run.metered()
	p := run.run(t).good(t)
	run2 := p.journal(t)
	var missing int
	for _, r := range run2.Telemetry {
		if r.Missing == journal.Unread && strings.Contains(r.Error, "no answer within") {
			missing++
		}
	}
	if missing != 2 || len(run2.Telemetry) != 2 {
		t.Errorf("telemetry %+v", run2.Telemetry)
	}
	for _, s := range run2.Samples {
		if late := s.Timing.Sent - s.Timing.Due; late != 0 {
			t.Errorf("turn %d of %s was sent %v late", s.Turn, s.Trajectory, late)
		}
	}
}
