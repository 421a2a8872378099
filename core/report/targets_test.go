package report

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// apart is small with a target for each of its conversations, and a tenant.
func apart() Input {
	in := small()
	for i := range in.Run.Conversations {
		c := &in.Run.Conversations[i]
		c.Target, c.Labels = []string{"east", "west"}[i], []trajectory.Label{{Key: "tenant", Value: []string{"red", "blue"}[i]}}
	}
	in.Config.Endpoint = ""
	in.Config.Targets = []journal.Target{
		{Name: "east", Endpoint: "https://east/v1/chat/completions", Weight: 1, Accelerators: 4, TLSVerify: true, Engine: &journal.Engine{Kind: "vllm", Version: "0.32.0", Program: "vllm serve", By: []string{"x"}}},
		{Name: "west", Endpoint: "http://west/v1/chat/completions", Weight: 3},
	}
	in.Config.Config = json.RawMessage(strings.Replace(config, `"max_failed"`,
		`"objectives": {"ttft_ns": 51500000}, "prices": {"schema": "price/v1", "currency": "EUR", "date": "2026-11-01", "input": "1", "output": "2"}, "max_failed"`, 1))
	in.Run.Telemetry = []journal.Telemetry{reading(0, engine.VLLM, quantities{engine.Running: 0}), reading(1, engine.VLLM, nil)}
	in.Run.Telemetry[0].Target, in.Run.Telemetry[1].Target = "east", "west"
	return in
}

func TestReportOfTargets(t *testing.T) {
	doc, text, r := both(t, apart())
	checkSchema(t, doc)
	checkText(t, text)
	if r.Target != nil || len(r.Targets) != 2 || r.Targets[0].Reported.State != TargetReported || r.Targets[1].Reported.State != TargetUnread {
		t.Errorf("targets told %+v", r.Targets)
	}
	if m := r.Metrics; len(m.Targets) != 2 || m.Targets[1].Failures.Failed != 1 || m.Targets[0].Turns.Latency.Count != 5 || len(m.Tenants) != 2 || len(m.Groups.Tenant) != 2 {
		t.Errorf("%d targets, %d tenants", len(m.Targets), len(m.Tenants))
	}
	if r.What.TLS || len(r.What.Targets) != 2 || r.What.Targets[0].Engine == nil {
		t.Errorf("what ran: %+v", r.What.Targets)
	}
	for _, want := range []string{
		"\nTarget          east: https://east/v1/chat/completions, weight 1, 4 accelerators\n  engine        vLLM 0.32.0 (vllm serve), by x\n",
		"\nTARGETS (window all", "\n  east                         5       0", "\n  west                         3       1",
		"\n  east                     25.0%   50.0%   62.5%   62.5%", "\nNot ok          west: not_sent 1, overload 1\n",
		"\nTENANTS (window all", "\nby tenant ", "\nCost            blue: ", "\nTARGET east, AS IT REPORTS ITSELF", "\nTARGET west: metrics unread\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("report.txt lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "\nEndpoint") {
		t.Error("several targets have one endpoint")
	}
}

// A target at which nothing succeeded is told of before any figure.
func TestDeadTargetIsWarnedOf(t *testing.T) {
	in := apart()
	for i := range in.Run.Samples {
		if s := &in.Run.Samples[i]; s.Trajectory == "b" && s.Outcome == sample.OK {
			s.Outcome = sample.ConnectRefused
		}
	}
	_, _, r := both(t, in)
	if !strings.Contains(codes(r), "target_dead") || r.Status != Complete {
		t.Errorf("%s with %s", r.Status, codes(r))
	}
}

// TestSpeculationOfTargets: the declaration must hold for each of them.
func TestSpeculationOfTargets(t *testing.T) {
	in := apart()
	in.Config.Config = json.RawMessage(strings.Replace(string(in.Config.Config), `"model": "sim"`, `"model": "sim", "speculation": {"method":"none"}`, 1))
	in.Run.Telemetry = nil
	for i, list := range [][]journal.Telemetry{{reading(0, engine.VLLM, quantities{engine.Running: 0})}, drafting()} {
		for _, x := range list {
			x.Target = []string{"east", "west"}[i]
			in.Run.Telemetry = append(in.Run.Telemetry, x)
		}
	}
	_, _, r := both(t, in)
	if s := r.Speculation; s == nil || s.Held != SpeculationFailed || !strings.HasPrefix(s.Reason, "target west: speculative decoding is none") {
		t.Errorf("%+v", r.Speculation)
	}
}

// TestManyGroupsAreBounded: report.txt shows those with most turns and says how many it leaves out.
func TestManyGroupsAreBounded(t *testing.T) {
	in := small()
	one := in.Run.Conversations[0]
	for i := range 40 {
		c := one
		c.ID.Index, c.ID.Trajectory = uint64(100+i), fmt.Sprint("x", i)
		c.Labels = []trajectory.Label{{Key: "tenant", Value: fmt.Sprintf("t%02d", i)}}
		c.Planned = 1
		in.Run.Conversations = append(in.Run.Conversations, c)
		in.Run.Samples = append(in.Run.Samples, answered(c.ID, 0, float64(i)))
	}
	doc, text, r := both(t, in)
	checkSchema(t, doc)
	checkText(t, text)
	if m := r.Metrics; len(m.Tenants) != 32 || m.TenantsLeftOut != 9 || len(m.Groups.Tenant) != 41 { // those without a label are one
		t.Errorf("%d tenants, %d left out, %d groups", len(m.Tenants), m.TenantsLeftOut, len(m.Groups.Tenant))
	}
	if !strings.Contains(string(text), "\n  and 25 more with fewer turns: report.json\n") || strings.Contains(string(text), "\n  t39 ") {
		t.Errorf("report.txt is not bounded:\n%s", text)
	}
}

// TestTenantsOfAMix: a workload's own tenant and objectives.
func TestTenantsOfAMix(t *testing.T) {
	in := blend()
	in.Config.Config = json.RawMessage(strings.Replace(string(in.Config.Config), `"chat": {`, `"chat": {"tenant": "acme", "objectives": {"latency_ns": 1}, `, 1))
	_, text, r := both(t, in)
	m := r.Metrics
	if len(m.Tenants) != 2 || m.Tenants[0].Name != "acme" || m.Tenants[0].Workloads[0] != "chat" || m.Tenants[1].Name != "std/mlperf/agentic" {
		t.Fatalf("tenants %+v", m.Tenants)
	}
	if g := m.Tenants[0].Goodput; g == nil || g.Turns.Met != 0 || g.Turns.Of != 5 || g.Objectives[0].Workload != "chat" {
		t.Errorf("goodput %+v", g)
	}
	if m.Tenants[1].Goodput != nil || m.Goodput.Turns.Of != 5 {
		t.Errorf("the other workload has no objectives: %+v, in all %+v", m.Tenants[1].Goodput, m.Goodput.Turns)
	}
	if r.What.Workloads[0].Tenant != "acme" || !strings.Contains(string(text), "weight 1, for acme") {
		t.Errorf("report.txt does not tell of the tenant:\n%s", text)
	}
}
