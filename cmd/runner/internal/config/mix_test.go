package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const mixFile = `target: {url: "http://127.0.0.1:8000/v1"}
workloads:
  std/mlperf/agentic:
    weight: 3
    inputs: {dataset: a.jsonl}
  std/codeqa/tasks:
  chat: {name: std/mlperf/agentic, params: {top_k: 5}, max_tokens: 9, history: live}
`

func TestMix(t *testing.T) {
	set, err := Set("--set", []string{"workloads.std/mlperf/agentic.weight=5", "workloads.chat.config.k=v"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(mustParse(t, mixFile), set)
	if err != nil {
		t.Fatal(err)
	}
	n := func(w int64) *int64 { return &w }
	want := []Part{
		{"chat", Member{Name: "std/mlperf/agentic", Weight: n(1), Config: map[string]any{"k": "v"}, Params: map[string]any{"top_k": 5}, MaxTokens: 9, History: "live"}},
		{"std/codeqa/tasks", Member{Name: "std/codeqa/tasks", Weight: n(1)}},
		{"std/mlperf/agentic", Member{Name: "std/mlperf/agentic", Weight: n(5), Inputs: map[string]string{"dataset": "a.jsonl"}}},
	}
	if d := cmp.Diff(want, r.Run.Parts()); d != "" {
		t.Error(d)
	}
	if o := r.Origins["workloads.std/mlperf/agentic.weight"]; o != "--set" {
		t.Errorf("origin of the weight is %q", o)
	}
	one, err := Resolve(mustParse(t, "workload: {name: a/b/c, config: {x: 1}}\n"))
	if err != nil || one.Run.Mixed() {
		t.Fatalf("one workload is mixed, %v", err)
	}
	if d := cmp.Diff([]Part{{"a/b/c", Member{Name: "a/b/c", Weight: n(1), Config: map[string]any{"x": 1}}}}, one.Run.Parts()); d != "" {
		t.Error(d)
	}
}

func TestMixRefused(t *testing.T) {
	many := "workloads:\n"
	for i := range maxMembers + 1 {
		many += "  w" + strings.Repeat("x", i) + ": {name: a/b/c}\n"
	}
	file := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ file, want string }{
		"both":              {"workload: {name: x/y}\nworkloads: {a/b: {}}\n", `bench.yaml:1: workload.name: "x/y" stands beside workloads`},
		"an input of none":  {"workload: {inputs: {dataset: " + file + "}}\nworkloads: {a/b: {}}\n", "of which workload is it? give --input WORKLOAD:dataset=FILE"},
		"unknown key":       {"workloads:\n  a/b: {wieght: 3}\n", "bench.yaml:2: workloads.a/b.wieght: unknown key; did you mean weight?"},
		"a number":          {"workloads:\n  a/b: 3\n", "bench.yaml:2: workloads.a/b: is 3; want a group of keys"},
		"weight 0":          {"workloads:\n  a/b: {weight: 0}\n", "bench.yaml:2: workloads.a/b.weight: 0 is not in 1..1000000"},
		"negative":          {"workloads: {a/b: {weight: -1}}\n", "-1 is not in 1..1000000"},
		"half":              {"workloads: {a/b: {weight: 1.5}}\n", "workloads.a/b.weight: 1.5 is no whole number"},
		"heavy":             {"workloads: {a/b: {weight: 1000001}}\n", "1000001 is not in"},
		"text":              {"workloads: {a/b: {weight: much}}\n", "weight"},
		"history":           {"workloads: {a/b: {history: old}}\n", `workloads.a/b.history: "old" is unknown`},
		"missing file":      {"workloads: {a/b: {inputs: {dataset: /no/such.jsonl}}}\n", "workloads.a/b.inputs.dataset: stat /no/such.jsonl"},
		"no file":           {"workloads: {a/b: {inputs: {dataset: ''}}}\n", "give --input a/b:dataset=FILE"},
		"owned parameter":   {"workloads: {a/b: {params: {stream: true}}}\n", `params of workloads.a/b.params: "stream" is set by the runner`},
		"a name with space": {"workloads: {'a b': {name: a/b}}\n", `workloads."a b": the name wants letters`},
		"a colon":           {"workloads: {'a:b': {name: a/b}}\n", "the name wants letters"},
		"too many":          {many, "workloads: 65 are above 64"},
		"recorded arrivals": {"workloads: {a/b: {}}\nload: {arrivals: {kind: recorded}}\n", "recorded arrivals are of one workload"},
	} {
		t.Run(name, func(t *testing.T) {
			l, err := Parse("bench.yaml", []byte(c.file))
			if err == nil {
				var r Resolved
				if r, err = Resolve(l); err == nil {
					err = r.Check()
				}
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
