package config

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const bench = `target:
  url: http://127.0.0.1:8000/v1
  model: tiny
workload:
  name: std/mlperf/agentic
load:
  users: 4
  duration: 3s
params:
  temperature: 0.5
  top_k: 20
validators:
  std/mlperf/output-length:
    min: 344
`

func mustParse(t *testing.T, text string) Layer {
	t.Helper()
	l, err := Parse("bench.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLayersLastWins(t *testing.T) {
	env, err := Environment([]string{"PACELINE_LOAD_USERS=5", "HOME=/x", "PACELINE_API_KEY=k"}, "PACELINE_API_KEY")
	if err != nil {
		t.Fatal(err)
	}
	set, err := Set("--set", []string{"load.users=8", "validators.std/mlperf/output-length.max=422", `params."a.b"=[1, 2]`})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(mustParse(t, bench), env, set)
	if err != nil {
		t.Fatal(err)
	}
	if r.Run.Load.Users != 8 || r.Run.Load.Duration != 3*time.Second || r.Run.Load.Grace != 30*time.Second {
		t.Errorf("load = %+v", r.Run.Load)
	}
	want := map[string]map[string]any{"std/mlperf/output-length": {"min": 344, "max": 422}}
	if d := cmp.Diff(want, r.Run.Validators); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(map[string]any{"temperature": 0.5, "top_k": 20, "a.b": []any{1, 2}}, r.Run.Params); d != "" {
		t.Error(d)
	}
	for key, origin := range map[string]string{"load.users": "--set", "load.duration": "bench.yaml:8", "target.url": "bench.yaml:2"} {
		if r.Origins[key] != origin {
			t.Errorf("origin of %s = %q, want %q", key, r.Origins[key], origin)
		}
	}
}

func TestEnvironmentIsBetweenFileAndFlags(t *testing.T) {
	env, err := Environment([]string{"PACELINE_LOAD_USERS=5"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := Resolve(mustParse(t, bench), env)
	if err != nil || r.Run.Load.Users != 5 || r.Origins["load.users"] != "environment" {
		t.Errorf("users = %d from %s, %v", r.Run.Load.Users, r.Origins["load.users"], err)
	}
}

func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ file, want string }{
		"unknown key":       {"load:\n  user: 3\n", "bench.yaml:2: load.user: unknown key; did you mean load.users?"},
		"unknown top":       {"worklaod: {name: x}\n", "did you mean workload?"},
		"wrong group":       {"users: 3\n", "did you mean load.users?"},
		"bare duration":     {"load:\n  duration: 10\n", "10 has no unit"},
		"negative":          {"load: {grace: -3s}\n", "is negative"},
		"wrong type":        {"load: {users: many}\n", "load"},
		"not a mapping":     {"- a\n", "a run file is a mapping"},
		"not YAML":          {"a: [\n", "bench.yaml: line"},
		"text as a group":   {"load: 3\n", "load"},
		"owned parameter":   {"params: {stream: true}\n", `"stream" is set by the runner`},
		"unknown salt":      {"salt: pepper\n", "want one of none, mlperf, seeded"},
		"no URL":            {"{}\n", "target.url: is missing; give --target"},
		"seed":              {"seed: -1\n", "no unsigned 64-bit number"},
		"warm-up twice":     {"load: {warmup: {trajectories: 3, duration: 2s}}\n", "not both"},
		"missing input":     {"workload: {name: a/b/c, inputs: {dataset: /no/such/file.jsonl}}\n", "no such file"},
		"two counters":      {"counters: {a/b/c: {}, a/b/d: {}}\n", "bench.yaml:1: counters.a/b/d: is the second counter beside a/b/c; a run takes one"},
		"no counter":        {"token_source: counter\n", "bench.yaml:1: token_source: counter needs one; give --count COMPONENT"},
		"no token source":   {"token_source: words\n", "want one of usage, counter"},
		"repeats and count": {"load: {repeats: 2, trajectories: 3}\n", "both say how much to play"},
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

func TestUnknownEnvironmentAndBadSet(t *testing.T) {
	if _, err := Environment([]string{"PACELINE_LOAD_USER=3"}); err == nil || !strings.Contains(err.Error(), "did you mean PACELINE_LOAD_USERS?") {
		t.Errorf("got %v", err)
	}
	for _, bad := range []string{"load.users", "=3", "load..users=3", `"a=3`, `load.users="[`} {
		if _, err := Set("--set", []string{bad}); err == nil {
			t.Errorf("--set %s was taken", bad)
		}
	}
}

func TestBytes(t *testing.T) {
	for text, want := range map[string]int64{"256MiB": 256 << 20, "1 KB": 1000, "7B": 7} {
		if got, err := Bytes(text); err != nil || got != want {
			t.Errorf("Bytes(%s) = %d, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "5", "0MiB", "-1MiB", "9999999999GiB"} {
		if _, err := Bytes(bad); err == nil {
			t.Errorf("Bytes(%q) was taken", bad)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(bench)
	f.Add(mixFile)
	f.Add(severalFile)
	f.Add("a: [")
	f.Fuzz(func(t *testing.T, text string) {
		l, err := Parse("x", []byte(text))
		if err != nil {
			return
		}
		if r, err := Resolve(l); err == nil {
			_ = r.Check()
		}
	})
}

// TestSchemaHasEveryKey keeps schemas/run/v1 equal to the keys that a run file may have.
func TestSchemaHasEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../../../schemas/run/v1/run.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var got []string
	var visit func(node map[string]any, path string)
	visit = func(node map[string]any, path string) {
		props, ok := node["properties"].(map[string]any)
		if !ok {
			got = append(got, path)
			return
		}
		for key, sub := range props {
			visit(sub.(map[string]any), join(path, key))
		}
	}
	visit(schema, "")
	slices.Sort(got)
	want := leafPaths()
	slices.Sort(want)
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}
