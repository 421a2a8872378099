package export

import (
	"encoding/json"
	"strings"
	"testing"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/sample"
	"paceline/core/verdict"
	"paceline/mlperf/describe"
	"paceline/mlperf/rules"
)

// full is a run with everything that a point's files tell.
func full(t *testing.T) (*Run, *Options) {
	t.Helper()
	r := bare(&metrics.Tracked{
		Issued: 2, OK: 2, Trajectories: 613, Whole: 613, TTFT: []int64{5, 6}, TPOT: []int64{7000, 8000}, Latency: []int64{100, 110}, Output: []int64{3, 4},
		Input: []int64{10, 20}, OutputTime: 210, FullRun: []int64{3, 4, 5}, Last: 1000, Finish: map[string]int{"stop": 1, "unheard-of": 1},
		WarmIssued: 3, WarmDone: 2, WarmStart: 10, WarmEnd: 30_000_000_010,
	})
	r.Head, r.Journal.Heads = digest.Of([]byte("head")), []journal.Head{{RunConfig: digest.Of([]byte("run.json"))}}
	r.Config.Run, r.Config.Endpoint, r.Config.Salt = "20260101-000000-abc", "http://127.0.0.1:8000/v1/chat/completions", journal.Salt{Scheme: "mlperf"}
	r.Config.Preset = &journal.Preset{Name: "std/mlperf/agentic/qwen3_6-35b-a3b"}
	if err := json.Unmarshal([]byte(`{"target":{"model":"Qwen/Qwen3.6-35B-A3B","stream":true,"usage":true,"turn_timeout_ns":14400000000000},
		"load":{"users":4,"order":"file","delays":true},"max_tokens":8192,"routing_headers":["X-Session-ID"],
		"params":{"temperature":1.0,"top_k":20,"top_p":0.95,"repetition_penalty":1.0,"presence_penalty":1.5,"chat_template_kwargs":{"preserve_thinking":true}}}`),
		&r.Settings); err != nil {
		t.Fatal(err)
	}
	one := func(micro int64) *verdict.Value { return &verdict.Value{Name: "score", Micro: micro, Unit: "share"} }
	r.Judgements = []verdict.Judgement{
		{About: verdict.About{Name: "std/mlperf/inline", Version: "0.1.0", Kind: "scorer"}, Score: &verdict.Score{Score: one(564_300), Complete: true,
			Scored: 30011, Parts: []verdict.Value{{Name: "repeats", Micro: 1_000_000}}}},
		{About: verdict.About{Name: "swebench/service", Version: "0.1.0", Kind: "scorer"}, Score: &verdict.Score{Score: one(500_000), Complete: true, Scored: 2,
			Parts: []verdict.Value{{Name: "instances", Micro: 2_000_000}, {Name: "resolved", Micro: 1_000_000}, {Name: "instance_ids", Micro: 2_000_000, Unit: "sha256:ab"}}},
			Items: []verdict.ItemScore{{Scored: true, Micro: 1_000_000}, {Scored: true}}},
	}
	d, err := describe.Read("../describe/testdata/sample.yaml")
	if err != nil {
		t.Fatal(err)
	}
	base, err := describe.Parse(describe.Template)
	if err != nil {
		t.Fatal(err)
	}
	d.Dataset, d.Submission, d.System.Division, d.System.Availability = base.Dataset, "sub-0001", describe.Standardized, "Available"
	d.System.EnsembleCount, d.System.EnsembleTotal = 1, 1
	d.NodesUsed = []describe.NodesUsed{{Ensemble: 0, Nodes: 1}}
	d.Warmup.Steps = []string{"weights loaded"}
	if _, err := d.Check(); err != nil {
		t.Fatal(err)
	}
	m, err := rules.FindModel("qwen3_6-35b-a3b")
	if err != nil {
		t.Fatal(err)
	}
	regions, err := rules.NewRegions(1, 64)
	if err != nil {
		t.Fatal(err)
	}
	sets, err := rules.KnownSeedSets(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, &Options{Describe: d, Model: m, Seeds: sets[0], Cohort: rules.Cohort{Year: 2026, Month: 12}, Regions: regions, Evidence: "docs/evidence/r4", SWEBench: true}
}

// TestFieldsOfGoldenFiles holds the files of a point to those of the golden submission: whatever field stands there stands in
// ours, and has the same type.
func TestFieldsOfGoldenFiles(t *testing.T) {
	r, o := full(t)
	point, err := r.Point(o)
	if err != nil {
		t.Fatal(err)
	}
	config, err := r.ConfigFile(o)
	if err != nil {
		t.Fatal(err)
	}
	summary := r.Summary(o)
	summary.PowerKW(9.9)
	for name, made := range map[string]any{"point.json": point, "config.json": config, "result_summary.json": summary, "accuracy_results.json": r.Accuracy(o)} {
		var want any
		readJSON(t, name, &want)
		text, err := JSON(made)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		fields(t, name, want, got)
		if strings.Contains(string(text), strings.Repeat("0", 40)) || !strings.Contains(string(text), ClientName) {
			t.Errorf("%s does not name the client plainly", name)
		}
	}
}

// left are golden fields that a run of ours does not have, with the reason.
var left = map[string]string{
	"point.json.steady_state":                            "the reference's detector does not apply to agentic runs; no window is made up",
	"accuracy_results.json.accuracy_scores[].duration_s": "null: how long scoring took is another time each time",
}

func fields(t *testing.T, at string, want, got any) {
	t.Helper()
	if left[at] != "" {
		return
	}
	switch want := want.(type) {
	case map[string]any:
		have, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: %v, want an object", at, got)
			return
		}
		for key, v := range want {
			if w, ok := have[key]; ok {
				fields(t, at+"."+key, v, w)
			} else if left[at+"."+key] == "" && !strings.Contains(at, "response_counts") {
				t.Errorf("%s.%s is missing", at, key)
			}
		}
	case []any:
		have, ok := got.([]any)
		if !ok || len(have) == 0 {
			t.Errorf("%s: %v, want a list", at, got)
			return
		}
		for i := range have {
			if i < len(want) {
				fields(t, at+"[]", want[i], have[i])
			}
		}
	case nil:
	default:
		if kindOf(want) != kindOf(got) {
			t.Errorf("%s: %v, want what is like %v", at, got, want)
		}
	}
}

func kindOf(v any) string {
	switch v.(type) {
	case float64:
		return "number"
	case string:
		return "text"
	case bool:
		return "truth"
	}
	return "other"
}

// TestWhatPointsTell looks at single values.
func TestWhatPointsTell(t *testing.T) {
	r, o := full(t)
	p, err := r.Point(o)
	if err != nil {
		t.Fatal(err)
	}
	if p.Region != rules.Low || p.Warmup.Seconds != 30 || p.Warmup.Issued != 3 || p.Warmup.Completed != 2 || !p.Warmup.Logs || p.Warmup.Link == "" {
		t.Errorf("%+v", p)
	}
	if !strings.HasPrefix(p.ModelNotes, Honesty) || strings.Contains(p.ModelNotes, "REHEARSAL") {
		t.Error(p.ModelNotes)
	}
	r.Config.Clock, o.Rehearsal = journal.ClockSimulated, true
	r.Report.Unofficial = []string{"it was played on a simulated clock"}
	r.Tracked.WarmIssued, r.Tracked.WarmStart = 0, sample.Unset
	if p, err = r.Point(o); err != nil || !strings.Contains(p.ModelNotes, "REHEARSAL, not a result: it played no data set; it was played on a simulated clock.") {
		t.Error(p.ModelNotes, err)
	}
	if p.Warmup.Concurrency != 0 || p.Warmup.Source == "" {
		t.Errorf("%+v", p.Warmup)
	}
	if r.Settings.Load.Users = 72; true {
		if _, err := r.Point(o); err == nil {
			t.Error("a point above the margin is taken")
		}
	}
	a := r.Accuracy(o)
	if len(a.Scores) != 2 || *a.Scores[0].Score != 0.5643 || *a.Scores[1].Score != 0.5 || a.Scores[1].Responses["resolved"] != 1 || a.Scores[1].Name != "swe_bench" || a.Scores[1].IDs != "sha256:ab" {
		t.Errorf("%+v", a)
	}
	r.Tracked.Failed = 1
	if s := r.Summary(o); s.Interactivity != nil || s.Tokens != nil || s.TurnSeconds != nil || s.SystemTPS == nil || s.Finish.Other != 1 {
		t.Errorf("with a failed turn: %+v", s)
	}
	empty := bare(&metrics.Tracked{}).Summary(o)
	if text, err := JSON(empty); err != nil || !strings.Contains(string(text), `"ttft": {}`) || empty.QPS != nil {
		t.Errorf("without turns: %v, %s", err, text)
	}
}
