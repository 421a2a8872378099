package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paceline/cmd/runner/internal/config"
	"paceline/cmd/runner/internal/configschema"
	"paceline/core/report"
	"paceline/core/stats"
	"paceline/plugins/store"
	"paceline/workloads"
)

func TestPresetNames(t *testing.T) {
	named := map[string]string{"acme": "acme.wasm", "acme/deep": "deep.wasm"}
	for name, want := range map[string][]cutName{
		"std/codeqa/quick":         {{"std/codeqa", "quick"}},
		"codeqa/quick":             {{"std/codeqa", "quick"}},
		"mlperf/agentic/kimi-k3":   {{"mlperf/agentic", "kimi-k3"}, {"std/mlperf", "agentic/kimi-k3"}},
		"std/mlperf/agentic/a/b":   {{"std/mlperf", "agentic/a/b"}},
		"./x.wasm/quick":           {{"./x.wasm", "quick"}},
		"/a/b.c/x.wasm/agentic/k3": {{"/a/b.c/x.wasm", "agentic/k3"}},
		"acme/quick":               {{"acme", "quick"}, {"std/acme", "quick"}},
		"acme/deep/quick":          {{"acme/deep", "quick"}, {"acme", "deep/quick"}, {"acme/deep", "quick"}, {"std/acme", "deep/quick"}},
		"std/codeqa":               nil,
		"quick":                    nil,
		"":                         nil,
	} {
		if got := presetNames(name, named); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestIsPreset(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(filepath.Join("std", "codeqa"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("std", "codeqa", "mine"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for arg, want := range map[string]bool{
		"std/codeqa/quick": true, "std/codeqa": true, "std/codeqa/mine": false, "bench.yaml": false, "runs/bench.yml": false, "a/b.json": false,
		"bench": false, "./bench": false, "../x/bench": false, "./x.wasm/quick": true, "/x/y.wasm/quick": true, "mlperf/qwen3.6": true, "": false,
	} {
		if got := isPreset(arg); got != want {
			t.Errorf("%s: %v", arg, got)
		}
	}
	if folderOf("runs/bench.yml") != "runs" || folderOf("std/codeqa/quick") != "." || folderOf("") != "." {
		t.Error("a lock is looked for elsewhere")
	}
}

// TestShippedPresets reads every preset of the shipped plugins, and holds their configurations to the components' schemas.
func TestShippedPresets(t *testing.T) {
	s := &store.Store{Std: workloads.Modules()}
	presets := 0
	for _, name := range s.Shipped() {
		p, err := inspect(t.Context(), (&app{}).finder(false), name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range p.Manifest.Components {
			if len(c.ConfigSchema) == 0 {
				t.Errorf("%s/%s: the manifest has no schema of its configuration", name, c.Name)
			}
		}
		for _, preset := range p.Manifest.Presets {
			presets++
			l, _, err := config.Preset(config.PresetOf{Plugin: name, SHA256: p.SHA256}, &preset)
			if err != nil {
				t.Fatal(err)
			}
			l.Put("target.url", "http://127.0.0.1:1")
			r, err := config.Resolve(l)
			if err != nil {
				t.Fatal(err)
			}
			if err := r.Check(); err != nil {
				t.Errorf("%s/%s: %v", name, preset.Name, err)
			}
			checkConfigs(t, &r.Run)
		}
	}
	if presets == 0 {
		t.Error("no preset is shipped")
	}
}

func checkConfigs(t *testing.T, run *config.Run) {
	t.Helper()
	all := map[string]map[string]any{run.Workload.Name: run.Workload.Config}
	for _, list := range []map[string]map[string]any{run.Scorers, run.Validators} {
		for name, c := range list {
			all[name] = c
		}
	}
	for name, c := range all {
		plugin, component, err := store.Split(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := inspect(t.Context(), (&app{}).finder(false), plugin)
		if err != nil {
			t.Fatal(err)
		}
		about, ok := p.Manifest.Component(component)
		if !ok {
			t.Fatalf("%s is no component", name)
		}
		schema, err := configschema.Read(about.ConfigSchema)
		if err != nil {
			t.Fatal(err)
		}
		if _, faults := schema.Complete(c); len(faults) > 0 {
			t.Errorf("%s: %+v", name, faults)
		}
	}
}

func TestThresholdsDecideTheExitCode(t *testing.T) {
	r := &report.Result{Preset: &report.Preset{Name: "p", Thresholds: []report.Threshold{{Metric: "m", Found: stats.Of(1), Min: stats.Of(1), Passed: true}}}}
	if err := judged(r); err != nil {
		t.Error(err)
	}
	r.Preset.Thresholds = append(r.Preset.Thresholds, report.Threshold{Component: "a/b/c", Value: "v", Max: stats.Of(2), Reason: "it did not judge this run"})
	err := judged(r)
	if codeOf(err) != exitJudged || err.Error() != "preset p: a/b/c v: none (it did not judge this run), at most 2 is asked for: not passed" {
		t.Errorf("got %v", err)
	}
}

// TestInspectIsPlain: what a stranger's manifest says reaches a terminal as plain text.
func TestInspectIsPlain(t *testing.T) {
	raw, err := json.Marshal(map[string]any{"properties": map[string]any{"\x1b[31mred": map[string]any{"description": "\x1b]0;title\a", "default": "\x1b[2J"}}})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(appendKeys(nil, raw)); strings.ContainsAny(text, "\x1b\a") || !strings.Contains(text, "red") {
		t.Errorf("got %q", text)
	}
}
