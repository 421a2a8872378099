package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const severalFile = `target: {model: tiny, api_key_env: SHARED, headers: {X-A: "1"}}
targets:
  - {url: "http://u:pw-3f2a@a:8000/v1", accelerators: 4}
  - {url: "http://b:8000/v1", name: west, weight: 3, api_key_env: OWN, headers: {X-B: "2"}, accelerators: 4, engine: sglang}
workload: {name: std/mlperf/agentic}
`

func names(r Resolved) (list []string) {
	for _, p := range r.Run.Targets {
		list = append(list, p.Name)
	}
	return list
}

func TestTargets(t *testing.T) {
	r, err := Resolve(mustParse(t, severalFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Check(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"a:8000", "west"}, names(r)); d != "" {
		t.Error(d)
	}
	first, second := r.Run.At(&r.Run.Targets[0]), r.Run.At(&r.Run.Targets[1])
	if first.APIKeyEnv != "SHARED" || second.APIKeyEnv != "OWN" || second.Engine != "sglang" || first.Model != "tiny" || second.Headers["X-A"] != "1" || second.Headers["X-B"] != "2" || first.Headers["X-B"] != "" {
		t.Errorf("%+v, %+v", first, second)
	}
	if *r.Run.Targets[0].Weight != 1 || r.Run.Target.Accelerators != 8 || first.Accelerators != 4 {
		t.Errorf("weight %d, %d accelerators", *r.Run.Targets[0].Weight, r.Run.Target.Accelerators)
	}
}

// TestOneOrSeveral: the highest layer that names targets decides.
func TestOneOrSeveral(t *testing.T) {
	file := mustParse(t, severalFile)
	var one, two Layer
	one.Put("target.url", "http://c/v1")
	two.Put("targets", []any{map[string]any{"url": "http://d/v1"}, map[string]any{"url": "http://e:1/x"}, map[string]any{"url": "http://e:1/y"}})
	for _, tc := range []struct {
		layers []Layer
		url    string
		want   []string
	}{
		{[]Layer{file, one}, "http://c/v1", nil},
		{[]Layer{one, two}, "", []string{"d", "e:1/x", "e:1/y"}},
		{[]Layer{file, one, two}, "", []string{"d", "e:1/x", "e:1/y"}},
	} {
		r, err := Resolve(tc.layers...)
		if err == nil {
			err = r.Check()
		}
		if err != nil && !strings.Contains(err.Error(), "workload.name") {
			t.Error(err)
		}
		if d := cmp.Diff(tc.want, names(r)); d != "" || r.Run.Target.URL != tc.url {
			t.Errorf("%q %s", r.Run.Target.URL, d)
		}
	}
	if file.Values["targets"] == nil {
		t.Error("a layer was changed")
	}
}

func TestTargetsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"targets: [{url: http://a/v1}]":                                                                            "has 1 entries; want 2 to 64",
		"targets: [{url: http://a/v1}, {url: http://u:pw-3f2a@a:80}]":                                              "[1].url: is that of targets[0]",
		"targets: [{url: http://a/v1}, {url: ftp://pw-3f2a}]":                                                      "[1].url: target URL: must begin with http",
		"targets: [{url: http://a/v1}, {}]":                                                                        "[1].url: target URL: is empty",
		"targets: [{url: http://a/v1, name: x}, {url: http://b, name: x}]":                                         `[1].name: "x" is that of targets[0] too`,
		"targets: [{url: http://a/v1, name: 'a b'}, {url: http://b}]":                                              `"a b" wants letters`,
		"targets: [{url: http://a/v1, weight: 0}, {url: http://b}]":                                                "[0].weight: 0 is not in 1..1000",
		"targets: [{url: http://a/v1, weight: 1.5}, {url: http://b}]":                                              "1.5 is no whole number",
		"targets: [{url: http://a/v1, wieght: 2}, {url: http://b}]":                                                "targets[0].wieght: unknown key; did you mean weight?",
		"targets: {a: {url: http://a/v1}}":                                                                         "want a list",
		"targets: [http://a/v1, http://b/v1]":                                                                      "targets[0]: want a list",
		"targets: [{url: http://a/v1, engine: x}, {url: http://b}]":                                                "[0].engine: ",
		"targets: [{url: http://a/v1, metrics: x}, {url: http://b}]":                                               "[0].metrics: want the URL",
		"targets: [{url: http://a/v1, accelerators: 2}, {url: http://b}]":                                          "1 of 2 entries tell their accelerators",
		"target: {url: http://c}\ntargets: [{url: http://a}, {url: http://b}]":                                     "targets: stands beside target.url",
		"target: {metrics: http://c/metrics}\ntargets: [{url: http://a}, {url: http://b}]":                         "of which target is it?",
		"target: {accelerators: 3}\ntargets: [{url: http://a, accelerators: 2}, {url: http://b, accelerators: 2}]": "3 are told of all targets together, and 4 of each",
		"target: {url: http://c}\nworkloads: {std/a: {tenant: 'x y'}, std/b: }":                                    `"x y" wants letters`,
	} {
		r, err := Resolve(mustParse(t, text+"\n"))
		if err == nil {
			err = r.Check()
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "pw-3f2a") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
