package report

import (
	"strings"
	"testing"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/stats"
	"paceline/core/verdict"
)

const (
	ofScorer    = "std/mlperf/inline"
	ofValidator = "std/mlperf/output-length"
)

func withPreset(in Input, thresholds ...journal.Threshold) Input {
	c := *in.Config
	c.Preset = &journal.Preset{Name: "std/mlperf/agentic", Plugin: "std/mlperf", SHA256: digest.Of([]byte("plugin")), Run: []byte(`{}`), Thresholds: thresholds}
	in.Config = &c
	return in
}

func TestThresholds(t *testing.T) {
	for name, c := range map[string]struct {
		bound  journal.Threshold
		change func(in *Input)
		passed bool
		found  string
		reason string
	}{
		"a score that is above":       {bound: journal.Threshold{Component: ofScorer, Value: "inline", MinMicro: ptr(int64(583_200))}, passed: true, found: "0.5832"},
		"a score one millionth below": {bound: journal.Threshold{Component: ofScorer, Value: "inline", MinMicro: ptr(int64(583_201))}, found: "0.5832"},
		"a part of a score":           {bound: journal.Threshold{Component: ofScorer, Value: "coding", MaxMicro: ptr(int64(600_000))}, passed: true, found: "0.6"},
		"both bounds":                 {bound: journal.Threshold{Component: ofValidator, Value: "mean_output_tokens", MinMicro: ptr(int64(19_000_000)), MaxMicro: ptr(int64(19_999_999))}, found: "20"},
		"no such value":               {bound: journal.Threshold{Component: ofValidator, Value: "x", MinMicro: ptr(int64(0))}, found: "null", reason: "it tells no such value"},
		"no such judge":               {bound: journal.Threshold{Component: "a/b/c", Value: "x", MinMicro: ptr(int64(0))}, found: "null", reason: "it did not judge this run"},
		"the workload is no judge":    {bound: journal.Threshold{Component: "std/mlperf/agentic", Value: verdict.PlannedAgain, MinMicro: ptr(int64(0))}, found: "null", reason: "it did not judge this run"},
		"a score that is not complete": {
			bound:  journal.Threshold{Component: ofScorer, Value: "inline", MinMicro: ptr(int64(0))},
			change: func(in *Input) { in.Judgements[0].Score.Complete = false }, found: "0.5832", reason: "the score is not complete",
		},
		"a scorer that failed on a unit": {
			bound:  journal.Threshold{Component: ofScorer, Value: "inline", MinMicro: ptr(int64(0))},
			change: func(in *Input) { in.Judgements[0].PluginErrors = []verdict.UnitError{{Error: "trap"}} }, found: "0.5832", reason: "it failed on some units",
		},
		"nothing was scored": {
			bound:  journal.Threshold{Component: ofScorer, Value: "inline", MinMicro: ptr(int64(0))},
			change: func(in *Input) { in.Judgements[0].Score.Score = nil }, found: "null", reason: "it tells no such value",
		},
		"a figure":                  {bound: journal.Threshold{Metric: "failures.failed_turns", MaxMicro: ptr(int64(1_000_000))}, passed: true, found: "1"},
		"a figure that is too much": {bound: journal.Threshold{Metric: "failures.failed_turns", MaxMicro: ptr(int64(999_999))}, found: "1"},
		"a figure that is missing":  {bound: journal.Threshold{Metric: "throughput.output_tokens_per_second_per_accelerator", MinMicro: ptr(int64(0))}, found: "null", reason: "accelerators not given"},
		"no such figure":            {bound: journal.Threshold{Metric: "turns.ttft.p99", MinMicro: ptr(int64(0))}, found: "null", reason: "the metrics have no such figure"},
	} {
		t.Run(name, func(t *testing.T) {
			in := withPreset(small(), c.bound)
			if c.change != nil {
				c.change(&in)
			}
			doc, text, r := both(t, in)
			got := r.Preset.Thresholds[0]
			if got.Passed != c.passed || r.Preset.Passed != c.passed || got.Found.String() != c.found || got.Reason != c.reason {
				t.Errorf("got %+v", got)
			}
			if !strings.Contains(string(text), "PRESET: "+passed(c.passed)+"\n") {
				t.Error("the text does not tell the preset")
			}
			checkText(t, text)
			checkSchema(t, doc)
		})
	}
}

// TestFigureAsWritten: a figure is held against its bound as report.json has it, so that anyone can do so again.
func TestFigureAsWritten(t *testing.T) {
	r := &Result{Metrics: &metrics.Metrics{}}
	bound := journal.Threshold{Metric: "turns.ttft_ms.mean", MinMicro: ptr(int64(500_000))}
	for value, want := range map[float64]bool{0.4999999999: true, 0.499999999: false} {
		r.Metrics.Turns.TTFT.Mean = stats.Of(value)
		if got := r.hold(nil, &bound); got.Passed != want {
			t.Errorf("%v: %+v", value, got)
		}
	}
}

func TestPresetWithoutThresholds(t *testing.T) {
	doc, text, r := both(t, withPreset(small()))
	if r.Preset == nil || !r.Preset.Passed || !strings.Contains(string(text), "std/mlperf/agentic: no thresholds") || strings.Contains(string(text), "PRESET:") {
		t.Errorf("got %+v", r.Preset)
	}
	checkSchema(t, doc)
}
