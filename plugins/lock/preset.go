package lock

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Sizes of what a manifest says for others to use.
const (
	maxPresets    = 64
	maxThresholds = 64       // of one preset
	maxFragment   = 64 << 10 // bytes of one preset's fragment
	maxSchema     = 64 << 10 // bytes of one component's configuration schema
)

// Preset is a named fragment of a run file with the thresholds that go with it.
type Preset struct {
	Name    string `json:"name"` // without the plugin's name
	Summary string `json:"summary,omitempty"`
	// Run is an object, a fragment of schemas/run/v1 with no other keys than PresetKeys. A component's name without a slash
	// is one of the plugin's own.
	Run        json.RawMessage `json:"run"`
	Thresholds []Threshold     `json:"thresholds,omitempty"`
	Rules      *Rules          `json:"rules,omitempty"` // nil: it follows nobody's
}

// Threshold is one bound of a preset: on a figure of the metrics, or on a value that a scorer or a validator gives.
type Threshold struct {
	Metric    string `json:"metric,omitempty"`    // path in schemas/metrics/v1, e.g. turns.ttft_ms.p99
	Component string `json:"component,omitempty"` // without a slash: one of the plugin's own
	Value     string `json:"value,omitempty"`     // name of the component's score, of a part of it, or of a verdict's value
	Min       string `json:"min,omitempty"`       // decimal, inclusive; empty: no bound
	Max       string `json:"max,omitempty"`
	// FromUsers and ToUsers, both inclusive, say for how many users the bound holds; 0: no end on that side.
	FromUsers int `json:"from_users,omitempty"`
	ToUsers   int `json:"to_users,omitempty"`
}

// PresetKeys are the keys of a run file that a preset may set. The others are the user's: where the target is and what it is
// told in secret, files, plugins, what is written where, the seed, and what is above a trajectory's own parameters.
func PresetKeys() []string {
	return []string{"checks", "counters", "history", "honesty", "limits", "load", "max_failed", "max_tokens", "params", "routing_headers", "salt", "scorers",
		"target", "thinking", "token_source", "validators", "window", "workload", "workloads"}
}

// targetKeys are those below target, which shape a request and say nothing of where it goes; workloadKeys are those below
// workload, memberKeys those below each of workloads.
var (
	targetKeys   = []string{"max_tokens_key", "require_content", "stream", "turn_timeout", "usage"}
	workloadKeys = []string{"config", "name"}
	memberKeys   = []string{"config", "history", "max_tokens", "name", "params", "weight"}
)

func (m *Manifest) checkPresets(faults *faults) {
	if len(m.Presets) > maxPresets {
		faults.add("presets: %d, and at most %d are allowed", len(m.Presets), maxPresets)
		return
	}
	seen := map[string]bool{}
	for i := range m.Presets {
		p := &m.Presets[i]
		at := fmt.Sprintf("presets[%d]", i)
		if !isPresetName(p.Name) || seen[p.Name] {
			faults.add("%s.name: %q is no name, or is there twice", at, p.Name)
		}
		seen[p.Name] = true
		p.checkRun(faults, at+".run")
		p.checkRules(faults, at+".rules")
		if len(p.Thresholds) > maxThresholds {
			faults.add("%s.thresholds: %d, and at most %d are allowed", at, len(p.Thresholds), maxThresholds)
			continue
		}
		for j, t := range p.Thresholds {
			if err := t.check(m); err != nil {
				faults.add("%s.thresholds[%d]: %w", at, j, err)
			}
		}
	}
}

func (p *Preset) checkRun(faults *faults, at string) {
	if len(p.Run) > maxFragment {
		faults.add("%s: %d bytes, and at most %d are allowed", at, len(p.Run), maxFragment)
		return
	}
	run, err := members(p.Run)
	if err != nil {
		faults.add("%s: %w", at, err)
		return
	}
	for _, key := range run {
		if !slices.Contains(PresetKeys(), key.name) {
			faults.add("%s: %q may not be set by a preset; it may set %s", at, key.name, strings.Join(PresetKeys(), ", "))
		}
		switch key.name {
		case "target":
			checkKeys(faults, at, key, targetKeys)
		case "workload":
			checkKeys(faults, at, key, workloadKeys)
		case "workloads":
			mixed, err := members(key.value)
			if err != nil {
				faults.add("%s.workloads: %w", at, err)
			}
			for _, m := range mixed {
				if string(m.value) != "null" {
					m.name = "workloads." + m.name
					checkKeys(faults, at, m, memberKeys)
				}
			}
		}
	}
}

// checkKeys refuses keys of a group that are not listed.
func checkKeys(faults *faults, at string, group member, known []string) {
	below, err := members(group.value)
	if err != nil {
		faults.add("%s.%s: %w", at, group.name, err)
	}
	for _, k := range below {
		if !slices.Contains(known, k.name) {
			faults.add("%s: %q may not be set by a preset; it may set %s", at, group.name+"."+k.name, strings.Join(known, ", "))
		}
	}
}

func (t *Threshold) check(m *Manifest) error {
	judged := t.Component != "" && t.Value != "" && t.Metric == ""
	if !judged && (t.Metric == "" || t.Component != "" || t.Value != "") {
		return errors.New("needs a metric, or a component and a value")
	}
	if t.Component != "" && !strings.Contains(t.Component, "/") {
		c, ok := m.Component(t.Component)
		if !ok || c.Kind != KindScorer && c.Kind != KindValidator {
			return fmt.Errorf("component: the plugin has no scorer or validator %q", t.Component)
		}
	}
	least, most, err := t.Bounds()
	switch {
	case err != nil:
		return err
	case least == nil && most == nil:
		return errors.New("needs a bound, min or max")
	case least != nil && most != nil && *least > *most:
		return fmt.Errorf("min %s is above max %s", t.Min, t.Max)
	case t.FromUsers < 0 || t.ToUsers < 0 || t.ToUsers > 0 && t.FromUsers > t.ToUsers:
		return fmt.Errorf("from_users %d and to_users %d are no range of users", t.FromUsers, t.ToUsers)
	}
	return nil
}

// Bounds gives the bounds in micro-units; nil is none.
func (t *Threshold) Bounds() (least, most *int64, err error) {
	for _, b := range []struct {
		name, text string
		into       **int64
	}{{"min", t.Min, &least}, {"max", t.Max, &most}} {
		if b.text == "" {
			continue
		}
		n, ok := micro(b.text)
		if !ok {
			return nil, nil, fmt.Errorf("%s: %q is no decimal number up to %d with at most 6 places, e.g. \"0.55\"", b.name, b.text, maxBound)
		}
		*b.into = &n
	}
	return least, most, nil
}

// maxBound keeps a bound in micro-units exact where JSON numbers are read as 64-bit floats.
const maxBound = 9_000_000_000

// micro reads a decimal number in micro-units: digits, at most six of them behind a point, a minus sign perhaps before.
func micro(text string) (n int64, ok bool) {
	digits, negative := strings.CutPrefix(text, "-")
	whole, places, point := strings.Cut(digits, ".")
	if len(whole) > 10 || len(places) > 6 || whole == "" || point && places == "" {
		return 0, false
	}
	for _, c := range []byte(whole + (places + "000000")[:6]) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int64(c-'0')
	}
	if n > maxBound*1_000_000 {
		return 0, false
	}
	if negative {
		n = -n
	}
	return n, true
}
