package rules

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/plugins/lock"
)

// fragment is what a preset of a model sets.
type fragment struct {
	Workload struct {
		Name   string
		Config map[string]any
	}
	Target         map[string]any
	RoutingHeaders []string `json:"routing_headers"`
	Load           map[string]any
	History        string
	Thinking       string
	Salt           string
	Params         json.RawMessage
	MaxTokens      *uint32 `json:"max_tokens"`
	Window         struct{ Kind string }
	Scorers        map[string]map[string]float64
	Validators     map[string]map[string]any
}

// TestPresets holds the presets of std/mlperf equal to the models of this package.
func TestPresets(t *testing.T) {
	text, err := os.ReadFile("../../workloads/mlperf/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := lock.ParseManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	models, err := Models()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range models {
		p, ok := manifest.Preset("agentic/" + m.Name)
		if !ok {
			t.Errorf("no preset of %s", m.Name)
			continue
		}
		names = append(names, p.Name)
		t.Run(m.Name, func(t *testing.T) { m.held(t, &p) })
	}
	for _, p := range manifest.Presets {
		if strings.HasPrefix(p.Name, "agentic/") && !strings.Contains(strings.Join(names, " ")+" ", p.Name+" ") {
			t.Errorf("the preset %s is of no model", p.Name)
		}
	}
}

func (m *Model) held(t *testing.T, p *lock.Preset) {
	var f fragment
	if err := json.Unmarshal(p.Run, &f); err != nil {
		t.Fatal(err)
	}
	same := func(what string, want, got any) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: rules (-), preset (+):\n%s", what, d)
		}
	}
	same("params", decoded(t, m.Params), decoded(t, f.Params))
	same("max tokens", m.MaxNewTokens, f.MaxTokens)
	same("scorers", map[string]map[string]float64{"inline": {"min_percent": m.InlinePercent}}, f.Scorers)
	same("output length", map[string]any{"min": m.OutputTokens.Min, "max": m.OutputTokens.Max, "turns": "full_run"}, f.Validators["output-length"])
	if _, ok := f.Validators["std/checks/identity"]; !ok {
		t.Error("the target's identity is not checked")
	}
	var params struct {
		Kwargs struct {
			Keep bool `json:"preserve_thinking"`
		} `json:"chat_template_kwargs"`
	}
	if string(m.Params) != "null" {
		if err := json.Unmarshal(m.Params, &params); err != nil {
			t.Fatal(err)
		}
	}
	if f.Validators["std/checks/identity"]["preserve_thinking"] == true != params.Kwargs.Keep {
		t.Error("thinking is kept, and the preset does not prove it, or the other way round")
	}
	same("thresholds", m.thresholds(), p.Thresholds)
	same("rules", m.rules(), p.Rules)
	same("the scenario", fragment{
		Workload: f.Workload, Target: map[string]any{"stream": true, "max_tokens_key": "max_completion_tokens", "require_content": false, "turn_timeout": "24h"},
		RoutingHeaders: []string{"X-Session-ID"}, History: "recorded", Thinking: "keep", Salt: "mlperf", Window: struct{ Kind string }{"first-idle"},
		Load:   map[string]any{"arrivals": map[string]any{"kind": "closed"}, "order": "file", "delays": true, "max_delay": "0s", "duration": "0s", "stop_on_first_idle": false},
		Params: f.Params, MaxTokens: f.MaxTokens, Scorers: f.Scorers, Validators: f.Validators,
	}, f)
	same("the workload", map[string]any{"arguments": "recorded"}, f.Workload.Config)
}

func decoded(t *testing.T, raw json.RawMessage) map[string]any {
	t.Helper()
	var v map[string]any
	if len(raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func (m *Model) thresholds() []lock.Threshold {
	seconds := func(concurrency int) string { return fmt.Sprint(int(MinDuration(concurrency).Seconds())) }
	return []lock.Threshold{
		{Component: "inline", Value: "inline", Min: strings.TrimRight(fmt.Sprintf("%.6f", m.InlinePercent/100), "0")},
		{Component: "output-length", Value: "mean_output_tokens", Min: fmt.Sprint(m.OutputTokens.Min), Max: fmt.Sprint(m.OutputTokens.Max)},
		{Metric: "mlperf.duration_seconds", Min: seconds(MaxUltraLow), ToUsers: MaxUltraLow},
		{Metric: "mlperf.duration_seconds", Min: seconds(MaxUltraLow + 1), FromUsers: MaxUltraLow + 1},
	}
}

// rules are the preset's: a key is missing where the model has no value.
func (m *Model) rules() *lock.Rules {
	r := &lock.Rules{
		Of: "MLPerf Endpoints, Agentic Inference, as checker " + CheckerVersion + " has them", Status: lock.RulesStatus(m.Status), Reason: m.Reason,
		WholePasses: true, SeedSet: true, ReferenceBody: true,
	}
	if m.MaxNewTokens == nil {
		r.Missing = append(r.Missing, "max_tokens")
	}
	if string(m.Params) == "null" {
		r.Missing = append(r.Missing, "params")
	}
	if err := json.Unmarshal([]byte(`{"dataset":"`+DatasetSHA256+`"}`), &r.Inputs); err != nil {
		panic(err)
	}
	return r
}
