package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/plugins/lock"
)

const quick = `{"workload":{"name":"tasks","config":{"first":12,"delay":0.5}},"load":{"users":4,"duration":"1m"},` +
	`"params":{"temperature":0.1,"top_k":20},"scorers":{"answers":{"min_percent":50}},"validators":{"std/checks/tool-calls":{}},"counters":{"words":{}},"token_source":"counter"}`

var codeqa = PresetOf{Plugin: "std/codeqa"}

func TestPresetIsTheLowestLayer(t *testing.T) {
	l, kept, err := Preset(codeqa, &lock.Preset{Name: "quick", Run: []byte(quick), Thresholds: []lock.Threshold{
		{Component: "answers", Value: "solved", Min: "0.25"}, {Component: "std/checks/tool-calls", Value: "v", Max: "1"}, {Metric: "turns.ttft_ms.p99", Max: "2000"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	env, err := Environment([]string{"PACELINE_PARAMS={top_k: 7}"})
	if err != nil {
		t.Fatal(err)
	}
	set, err := Set("--set", []string{"scorers.std/codeqa/answers.min_percent=null"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(l, mustParse(t, "load:\n  users: 9\nworkload: {config: {first: 3}}\n"), env, set)
	if err != nil {
		t.Fatal(err)
	}
	if r.Run.Workload.Name != "std/codeqa/tasks" || r.Run.Load.Users != 9 || r.Run.Load.Duration.String() != "1m0s" || r.Run.MaxTokens != 1024 {
		t.Errorf("got %+v", r.Run)
	}
	if d := cmp.Diff(map[string]any{"temperature": 0.1, "top_k": 7}, r.Run.Params); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]any{"first": 3, "delay": 0.5}, r.Run.Workload.Config); d != "" {
		t.Error(d)
	}
	for key, want := range map[string]string{
		"load.users": "bench.yaml:2", "load.duration": "preset std/codeqa/quick", "workload.config.delay": "preset std/codeqa/quick",
		"params.top_k": "environment", "params.temperature": "preset std/codeqa/quick", "scorers.std/codeqa/answers.min_percent": "--set",
	} {
		if r.Origins[key] != want {
			t.Errorf("origin of %s is %q, want %q", key, r.Origins[key], want)
		}
	}
	if _, there := r.Run.Counters["std/codeqa/words"]; !there || r.Run.TokenSource != "counter" {
		t.Errorf("counters %v, token source %s", r.Run.Counters, r.Run.TokenSource)
	}
	const run = `{"counters":{"std/codeqa/words":{}},"load":{"duration":"1m","users":4},"params":{"temperature":0.1,"top_k":20},"scorers":{"std/codeqa/answers":{"min_percent":50}},"token_source":"counter",` +
		`"validators":{"std/checks/tool-calls":{}},"workload":{"config":{"delay":0.5,"first":12},"name":"std/codeqa/tasks"}}`
	if string(kept.Run) != run {
		t.Errorf("run.json keeps %s", kept.Run)
	}
	if len(kept.Thresholds) != 3 || kept.Thresholds[0].Component != "std/codeqa/answers" || *kept.Thresholds[0].MinMicro != 250_000 || kept.Thresholds[2].MinMicro != nil {
		t.Errorf("run.json keeps %+v", kept.Thresholds)
	}
}

func TestRefusedPresets(t *testing.T) {
	for name, c := range map[string]struct {
		run   string
		bound lock.Threshold
		want  string
	}{
		"unknown key":        {run: `{"load":{"user":3}}`, want: "preset std/codeqa/p: load.user: unknown key; did you mean load.users?"},
		"wrong type":         {run: `{"load":{"users":"many"}}`, want: "preset std/codeqa/p: "},
		"bare duration":      {run: `{"load":{"grace":10}}`, want: "10 has no unit"},
		"text as a group":    {run: `{"load":3}`, want: "load"},
		"no object":          {run: `[]`, want: "preset std/codeqa/p: "},
		"a file":             {run: `{"scorers":{"./x.wasm/y":{}}}`, want: "is no component that a preset may name"},
		"a file elsewhere":   {run: `{"validators":{"/tmp/x.wasm/y":{}}}`, want: "is no component that a preset may name"},
		"a file by suffix":   {run: `{"validators":{"x.wasm/y":{}}}`, want: "is no component that a preset may name"},
		"parent":             {run: `{"workload":{"name":"../x/y"}}`, want: "is no component that a preset may name"},
		"separators":         {run: "{\"workload\":{\"name\":\"a\\u001fb\"}}", want: "is no component that a preset may name"},
		"deep":               {run: `{"workload":{"name":"a/b/c/d"}}`, want: "is no component that a preset may name"},
		"twice":              {run: `{"scorers":{"answers":{},"std/codeqa/answers":{}}}`, want: "scorers: std/codeqa/answers is there twice"},
		"a file in a mix":    {run: `{"workloads":{"a":{"name":"./x.wasm/y"}}}`, want: "is no component that a preset may name"},
		"a key in a mix":     {run: `{"workloads":{"tasks":{"wieght":3}}}`, want: "workloads.tasks.wieght: unknown key; did you mean weight?"},
		"more memory":        {run: `{"limits":{"memory":"257MiB"}}`, want: "a preset may lower limits only"},
		"more time":          {run: `{"limits":{"batch":"11s"}}`, want: "a preset may lower limits only"},
		"a header of others": {run: `{"routing_headers":["Authorization"]}`, want: `routing_headers: "Authorization" is no header that a preset may set`},
		"two headers in one": {run: `{"routing_headers":["X-A\r\nB"]}`, want: "is no header that a preset may set"},
		"where it goes":      {run: `{"target":{"usrl":"x"}}`, want: "target.usrl: unknown key; did you mean target.url?"},
		"no size":            {run: `{"limits":{"memory":"much"}}`, want: "limits.memory"},
		"no such figure":     {run: `{}`, bound: lock.Threshold{Metric: "turns.ttft", Min: "1"}, want: `thresholds[0]: schemas/metrics/v1 has no figure "turns.ttft"`},
		"nobody tells it":    {run: `{}`, bound: lock.Threshold{Component: "answers", Value: "v", Min: "1"}, want: "the preset has no scorer or validator std/codeqa/answers"},
		"no decimal number":  {run: `{"scorers":{"answers":{}}}`, bound: lock.Threshold{Component: "answers", Value: "v", Min: "x"}, want: "no decimal number"},
		"a file's bound":     {run: `{}`, bound: lock.Threshold{Component: "./x.wasm/y", Value: "v", Min: "1"}, want: "is no component that a preset may name"},
	} {
		t.Run(name, func(t *testing.T) {
			p := &lock.Preset{Name: "p", Run: []byte(c.run)}
			if c.bound != (lock.Threshold{}) {
				p.Thresholds = []lock.Threshold{c.bound}
			}
			if _, _, err := Preset(codeqa, p); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestPresetKeys: what a preset may set are keys of a run file.
func TestPresetKeys(t *testing.T) {
	for _, key := range lock.PresetKeys() {
		var l Layer
		l.Put(key, nil)
		if errs := unknown(l); len(errs) > 0 {
			t.Error(errs)
		}
	}
}

// TestPresetOfAMix: members have the full names of the plugin's own components.
func TestPresetOfAMix(t *testing.T) {
	l, _, err := Preset(codeqa, &lock.Preset{Name: "mix", Run: []byte(`{"workloads":{"tasks":null,"more":{"name":"tasks","weight":3},"std/mlperf/agentic":{}}}`)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(l)
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"tasks": "std/codeqa/tasks", "more": "std/codeqa/tasks", "std/mlperf/agentic": "std/mlperf/agentic"} {
		if got := r.Run.Workloads[key].Name; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}

func FuzzPreset(f *testing.F) {
	f.Add(quick)
	f.Add(`{"workload":{"name":"\u001f"}}`)
	f.Fuzz(func(t *testing.T, run string) {
		l, kept, err := Preset(codeqa, &lock.Preset{Name: "p", Run: []byte(run)})
		if err != nil {
			return
		}
		r, err := Resolve(l)
		if err != nil || kept == nil {
			t.Fatalf("a preset that was read cannot be layered: %v", err)
		}
		_ = r.Check()
	})
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"", "ab", 2}, {"ab", "", 2}, {"mni", "min", 1}, {"users", "user", 1}, {"abc", "axc", 1}, {"ca", "abc", 3}, {"frist", "first", 1}} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q and %q: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
