package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"paceline/core/digest"
	"paceline/core/journal"
)

// TestRules: what does not follow the rules of the preset is told, and nothing else.
func TestRules(t *testing.T) {
	official := func() Input {
		in := withPreset(small())
		c := *in.Config
		c.Lock.State, c.Workload.Trajectories = "pinned", 2
		c.Seed, c.Seeds = "18446744073709551615", &journal.Seeds{ID: "A", Scheduler: "18446744073709551615"}
		c.Inputs = []journal.Input{{Name: "dataset", Path: "x", SHA256: digest.Of([]byte("x"))}}
		c.Preset.Rules = &journal.Rules{Of: "The rules", Status: "submittable", WholePasses: true, SeedSet: true, ReferenceBody: true,
			Inputs: map[string]digest.SHA256{"dataset": digest.Of([]byte("x"))}}
		in.Config = &c
		return in
	}
	set := func(c *journal.RunConfig, from, to string) {
		if !bytes.Contains(c.Config, []byte(from)) {
			t.Fatalf("the configuration has no %s", from)
		}
		c.Config = bytes.Replace(c.Config, []byte(from), []byte(to), 1)
	}
	for name, c := range map[string]struct {
		change func(c *journal.RunConfig)
		want   string // of the only reason; empty: none
	}{
		"official": {func(*journal.RunConfig) {}, ""},
		"superseded": {func(c *journal.RunConfig) {
			c.Preset.Rules.Status, c.Preset.Rules.Reason = "superseded", "another came"
		}, "is superseded: another came"},
		"unpublished": {func(c *journal.RunConfig) {
			c.Preset.Rules.Status, c.Preset.Rules.Reason, c.Preset.Rules.Missing = "unpublished", "x", []string{"max_tokens", "params"}
		}, "publish no value for max_tokens and params"},
		"departure": {func(c *journal.RunConfig) {
			c.Preset.Departures = []journal.Departure{{Key: "params.top_k", Preset: json.RawMessage("20"), Run: json.RawMessage("null"), Origin: "--set"}}
		}, "params.top_k is left out (--set), the preset says 20"},
		"no seeds":        {func(c *journal.RunConfig) { c.Seeds = nil }, "no cohort"},
		"another seed":    {func(c *journal.RunConfig) { c.Seed = "1" }, "the seed is 1, and the scheduler seed of set A is 18446744073709551615"},
		"another input":   {func(c *journal.RunConfig) { c.Inputs[0].SHA256 = digest.Of([]byte("y")) }, "the input dataset is not the one of the rules: its sha256 is"},
		"no input":        {func(c *journal.RunConfig) { c.Inputs = nil }, "the input dataset is missing"},
		"part of a pass":  {func(c *journal.RunConfig) { set(c, `"load": {`, `"load": {"trajectories": 3,`) }, "no whole passes"},
		"two passes":      {func(c *journal.RunConfig) { set(c, `"load": {`, `"load": {"trajectories": 4,`) }, ""},
		"as it was asked": {func(c *journal.RunConfig) { set(c, `"load": {`, `"unofficial": true, "load": {`) }, "the run file says so"},
	} {
		t.Run(name, func(t *testing.T) {
			in := official()
			c.change(in.Config)
			doc, text, r := both(t, in)
			got := slices.DeleteFunc(slices.Clone(r.Unofficial), func(s string) bool { return s == "the runner was built from a changed tree" })
			if c.want == "" && len(got) > 0 || c.want != "" && (len(got) != 1 || !strings.Contains(got[0], c.want)) {
				t.Errorf("unofficial: %q, want %q", got, c.want)
			}
			if !strings.Contains(string(text), "Rules           The rules; "+in.Config.Preset.Rules.Status) {
				t.Error("the text does not name the rules")
			}
			checkText(t, text)
			checkSchema(t, doc)
		})
	}
}

// TestReferenceBody: stream_options is the one departure from the reference's body, and strict_wire has none.
func TestReferenceBody(t *testing.T) {
	in := withPreset(small())
	in.Config.Preset.Rules = &journal.Rules{Of: "The rules", Status: "submittable", ReferenceBody: true}
	_, text, r := both(t, in)
	if len(r.Preset.Departures) != 1 || r.Preset.Departures[0].Key != "stream_options.include_usage" || !r.What.UsageAsked || !strings.Contains(string(text), "1 departure") {
		t.Errorf("%+v", r.Preset.Departures)
	}
	in.Config.Config = bytes.Replace(in.Config.Config, []byte(`"usage"`), []byte(`"strict_wire":true,"usage"`), 1)
	if _, _, r = both(t, in); len(r.Preset.Departures) != 0 || r.What.UsageAsked {
		t.Errorf("%+v, usage asked: %v", r.Preset.Departures, r.What.UsageAsked)
	}
}

// TestThresholdsByUsers: a bound that is for other numbers of users is not held.
func TestThresholdsByUsers(t *testing.T) {
	one := int64(1)
	in := withPreset(small(), journal.Threshold{Metric: "failures.planned_turns", MinMicro: &one, ToUsers: 2}, journal.Threshold{Metric: "failures.ok_turns", MinMicro: &one, FromUsers: 3})
	_, _, r := both(t, in)
	if len(r.Preset.Thresholds) != 1 || r.Preset.Thresholds[0].Metric != "failures.planned_turns" {
		t.Errorf("%+v", r.Preset.Thresholds)
	}
}
