package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

const (
	agents = "std/other/agents" // live, and of another plugin than workload
	named  = "chat"             // of the plugin of workload, under a name of its own
)

// blend plays three conversations of workload, two of a live agent, and two of another data set, with weights 3, 1 and 1. All
// of them use the ids t0, t1, ...; what a workload alone may know or send holds its name.
func blend() (*play, map[string]session.Proof) {
	run, agent := livePlay(2)
	supply := map[string]sched.Supply{agents: {Source: run.source, Folder: agent}}
	proofs := map[string]session.Proof{agents: {Replanner: agent, Refolder: agent}}
	for name, n := range map[string]int{workload: 3, named: 2} {
		var list []*trajectory.Trajectory
		for i := range n {
			t := talk(fmt.Sprintf("t%d", i), 2)
			t.Truth = json.RawMessage(`"` + canary + ` ` + name + `"`)
			list = append(list, t)
		}
		source := sourceOf(list...)
		supply[name], proofs[name] = sched.Supply{Source: source}, session.Proof{Replanner: &replanner{source: source}}
	}
	tools := func(name string) json.RawMessage {
		return json.RawMessage(`[{"type":"function","function":{"name":"tool-of-` + name + `"}}]`)
	}
	run.sched = func(c *sched.Config) {
		c.Workload, c.Info = "", trajectory.Info{}
		c.Mix = []sched.Member{
			{Workload: named, Weight: 1, Info: trajectory.Info{Trajectories: 2, Fixed: true, Tools: tools(named)}, Params: json.RawMessage(`{"top_k":1}`)},
			{Workload: agents, Weight: 1, Info: trajectory.Info{Trajectories: 2, Live: true, Fixed: true, Tools: tools(agents)}},
			{Workload: workload, Weight: 3, Info: trajectory.Info{Trajectories: 3, Fixed: true, Tools: tools(workload)}},
		}
	}
	run.parts = func(p *session.Parts) { p.Source, p.Workloads = nil, supply }
	run.changed = func(c *journal.RunConfig) {
		c.Workload = journal.Workload{}
		c.Workloads = []journal.Workload{
			{Name: named, Component: "std/test/talk", Weight: 1, Trajectories: 2, Fixed: true, Tools: tools(named)},
			{Name: agents, Weight: 1, Trajectories: 2, Live: true, Fixed: true, Tools: tools(agents)},
			{Name: workload, Weight: 3, Trajectories: 3, Fixed: true, Tools: tools(workload)},
		}
		c.Plugins = append(c.Plugins, journal.Plugin{Name: "std/other", Version: "2.0.0", Source: "std", SHA256: digestOf("other")})
		c.Config = json.RawMessage(strings.Replace(string(c.Config), `"history"`, `"workloads":{"`+named+`":{"history":"recorded","params":{"top_k":1}},"`+
			agents+`":{"history":"live"},"`+workload+`":{"history":"recorded"}},"history"`, 1))
	}
	return run, proofs
}

func TestMix(t *testing.T) {
	run, proofs := blend()
	p := run.run(t).good(t)
	j := p.journal(t)
	var order []string
	for _, c := range j.Conversations {
		order = append(order, c.Workload+" "+c.Trajectory)
	}
	want := []string{workload + " t0", named + " t0", workload + " t1", agents + " t0", workload + " t2", named + " t1", agents + " t1"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
	if got := outcomes(j); got["ok"] != 6+4+6 || len(j.Lives) != 6 || len(j.Plans) != 7 {
		t.Errorf("%v, %d steps, %d plans", got, len(j.Lives), len(j.Plans))
	}
	p.neverSent(t, canary)
	for _, body := range sent(p.requests) {
		if n := strings.Count(string(body), "tool-of-"); n != 1 {
			t.Errorf("a request has the tools of %d workloads: %s", n, body)
		}
		if strings.Contains(string(body), "top_k") != strings.Contains(string(body), "tool-of-"+named) {
			t.Errorf("a request has another workload's parameters: %s", body)
		}
	}

	own, other := newFake("validator", verdict.NeedTools, verdict.NeedHistory), newFake("validator", verdict.NeedTools)
	other.about.Name, other.about.Digest = "std/checks/all", digestOf("checks")
	agent := scorer{newFake("scorer", verdict.NeedAnswer)}
	agent.about.Name, agent.about.Digest = "answers", digestOf("other") // known by its digest
	judges := &session.Judges{Proofs: proofs, Validators: []judge.Validator{own, other}, Scorers: []judge.Scorer{agent}}
	reports := p.judge(t, judges)
	r := reports.Result
	if r.Status != report.Complete || len(r.Verdicts) != 2 {
		t.Fatalf("%s: %s, %d verdicts", r.Status, r.Reason, len(r.Verdicts))
	}
	for i, n := range []string{"10", "16"} {
		if got := r.Verdicts[i].Values[0].Value.String(); got != n {
			t.Errorf("%s saw %s turns, want %s", r.Verdicts[i].Name, got, n)
		}
	}
	if r.Scores[0].Scored != 6 || !strings.Contains(string(reports.Text), "\n  "+agents) {
		t.Errorf("%d turns are scored", r.Scores[0].Scored)
	}
	for _, c := range []struct {
		f       *fake
		planned int
	}{{own, 10}, {other, 16}} {
		var said struct {
			Failures struct {
				Planned int `json:"planned_turns"`
			} `json:"failures"`
		}
		if err := json.Unmarshal(c.f.end.Metrics, &said); err != nil || said.Failures.Planned != c.planned {
			t.Errorf("%s concludes over metrics of %d turns, want %d (%v)", c.f.about.Name, said.Failures.Planned, c.planned, err)
		}
	}
	for _, w := range r.What.Workloads {
		a := w.Again
		if a == nil || a.Planned == 0 || a.Planned != a.Of || (a.StepsOf > 0) != w.Live {
			t.Errorf("%s: planned again %+v", w.Name, a)
		}
	}
	if len(r.Metrics.Workloads) != 3 || r.Metrics.Workloads[1].Failures.OK != 6 {
		t.Errorf("metrics of %d workloads", len(r.Metrics.Workloads))
	}
	p.recomputes(t, reports)
	if again := p.judge(t, judges); string(again.JSON) != string(reports.JSON) {
		t.Error("judging twice gives two reports")
	}
	// Judging without the workloads keeps what is known of them.
	if kept := p.judge(t, &session.Judges{}).Result; kept.What.Workloads[2].Again == nil {
		t.Error("what was planned again is forgotten")
	}
}

func TestMixIsNotDeterministic(t *testing.T) {
	run, proofs := blend()
	p := run.run(t).good(t)
	for name, c := range map[string]struct {
		proof session.Proof
		text  string
	}{
		agents: {session.Proof{Replanner: proofs[agents].Replanner, Refolder: &agent{differs: "t0"}}, `workload std/other/agents is not deterministic: the step`},
		named:  {session.Proof{Replanner: &replanner{source: proofs[named].Replanner.(*replanner).source, changed: map[uint64]bool{0: true}}}, "workload chat is not deterministic: trajectory 0"},
	} {
		with := map[string]session.Proof{workload: proofs[workload], agents: proofs[agents], named: proofs[named]}
		with[name] = c.proof
		if r := p.judge(t, &session.Judges{Proofs: with}).Result; r.Status != report.Failed || !strings.Contains(r.Reason, c.text) {
			t.Errorf("%s: %s, want %q", r.Status, r.Reason, c.text)
		}
	}
}

// A mix whose runner died: what was recorded tells of each workload, and no planned turn is missing.
func TestMixCutShort(t *testing.T) {
	run, _ := blend()
	p := run.run(t).good(t)
	segment := filepath.Join(p.dir, journal.SegmentFile(1))
	data, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(segment, data[:len(data)-60], 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := session.Report(p.dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Result.Status != report.Incomplete || len(r.Result.Metrics.Workloads) != 3 {
		t.Fatalf("%s with %d workloads", r.Result.Status, len(r.Result.Metrics.Workloads))
	}
	sum := 0
	for _, w := range r.Result.Metrics.Workloads {
		sum += w.Failures.Planned
	}
	if all := r.Result.Metrics.Failures; sum != all.Planned || all.Unfinished+all.NotSent+all.OK != all.Planned {
		t.Errorf("%d planned turns in all, %d of workloads: %+v", all.Planned, sum, all)
	}
	for _, s := range p.journal(t).Samples {
		if s.Outcome == sample.NotSent && s.Workload == "" {
			t.Errorf("a turn of no workload: %+v", s.ID)
		}
	}
	p.recomputes(t, r)
}
