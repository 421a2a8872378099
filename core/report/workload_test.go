package report

import (
	"encoding/json"
	"strings"
	"testing"

	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/verdict"
)

// blend is small with its second conversation of another workload.
func blend() Input {
	in := small()
	for i := range in.Run.Samples {
		if s := &in.Run.Samples[i]; s.Trajectory == "b" {
			s.Workload = "chat"
		}
	}
	c := &in.Run.Conversations[1]
	c.Workload = "chat"
	for i := range in.Run.Plans {
		in.Run.Plans[i].Workload = []string{"std/mlperf/agentic", "chat"}[i]
	}
	in.Config.Workload = journal.Workload{}
	in.Config.Workloads = []journal.Workload{
		{Name: "chat", Component: "std/mlperf/agentic", Weight: 1, Trajectories: 5, Fixed: true, Provenance: "recorded"},
		{Name: "std/mlperf/agentic", Weight: 3, Trajectories: 1, Live: true},
	}
	in.Config.Inputs[0].Workload = "chat"
	in.Config.Config = json.RawMessage(strings.Replace(config, `"params"`,
		`"workloads": {"chat": {"weight": 1, "history": "recorded", "max_tokens": 9, "params": {"top_k":7}}, "std/mlperf/agentic": {"weight": 3, "history": "live"}}, "params"`, 1))
	again := &in.Judgements[2]
	other := *again
	other.Name, other.Verdict = "chat", &verdict.Verdict{Passed: true, Values: []verdict.Value{{Name: verdict.PlannedAgain, Micro: 1e6}, {Name: verdict.PlannedFirst, Micro: 1e6}}}
	in.Judgements = append(in.Judgements, other)
	in.Judgements[1].Verdict.Findings[0].Workload = "std/mlperf/agentic"
	return in
}

func TestReportOfAMix(t *testing.T) {
	doc, text, r := both(t, blend())
	checkSchema(t, doc)
	checkText(t, text)
	if strings.Contains(string(doc), `"workload": {`) {
		t.Error("a mix has one workload")
	}
	if w := r.What.Workloads; len(w) != 2 || w[0].Distinct != 1 || w[0].Again.Of != 1 || w[1].Again.Of != 2 || w[1].History != "live" || r.What.History != "mixed" {
		t.Errorf("workloads %+v", w)
	}
	if m := r.Metrics.Workloads; len(m) != 2 || m[0].Failures.Failed != 1 || m[1].Failures.OK != 5 || m[1].Cache.History != "live" {
		t.Errorf("metrics %+v", m)
	}
	for _, want := range []string{
		"Workload        chat (std/mlperf/agentic), weight 1, 5 trajectories, 1 distinct\n", "\n  own params    {\"top_k\":7}; at most 9 output tokens\n",
		"Workload        std/mlperf/agentic, weight 3, 1 trajectories, 1 distinct played",
		"History         mixed", "Input           chat dataset: small.jsonl", "WORKLOADS (window all",
		"\n  chat                         3       1", "\n  std/mlperf/agentic           5       0", "(std/mlperf/agentic a, repeat\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("report.txt lacks %q:\n%s", want, text)
		}
	}
}

func TestMixThatRanOut(t *testing.T) {
	for _, c := range []struct {
		order string // c: chat, weight 1; a: the other one, weight 3
		want  string
	}{
		{"aacaaaca", ""},
		{"acaacc", ""}, // off by less than what users that start at once may make of it
		{"aacaacccccc", "workload std/mlperf/agentic was played out after 5 of 11 conversations"},
		{"caaaaaaaaaaa", "workload chat was played out after 1 of 12 conversations"},
	} {
		in := blend()
		in.Run.Conversations = nil
		for i, letter := range c.order {
			id := sample.ID{Workload: map[rune]string{'c': "chat", 'a': "std/mlperf/agentic"}[letter], Trajectory: "t", Index: uint64(i)}
			in.Run.Conversations = append(in.Run.Conversations, sample.Conversation{ID: id, Start: sample.Offset(i), End: ms(9), State: sample.Complete})
		}
		_, _, r := both(t, in)
		got := ""
		for _, w := range r.Warnings {
			if w.Code == "mix_ran_out" {
				got += w.Message
			}
		}
		if !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.order, got, c.want)
		}
	}
}

func TestMixFailsWithOneWorkload(t *testing.T) {
	in := blend()
	in.Judgements[3].Error = "workload chat is not deterministic: trajectory 0"
	if _, _, r := both(t, in); r.Status != Failed || !strings.Contains(r.Reason, "workload chat") {
		t.Errorf("%s: %s", r.Status, r.Reason)
	}
	in = blend()
	in.Run.Conversations[1].State, in.Run.Conversations[1].Cause = sample.Broken, "trap"
	_, _, r := both(t, in)
	if w := r.Warnings[0]; w.Code != CodePluginError || !strings.Contains(w.Message, "the workload chat failed") {
		t.Errorf("warnings %+v", r.Warnings)
	}
}
