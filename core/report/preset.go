package report

import (
	"fmt"
	"math/big"
	"strings"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/stats"
	"paceline/core/verdict"
)

// Preset tells which preset the run is of, and whether its thresholds hold.
type Preset struct {
	Name       string        `json:"name"`
	Plugin     string        `json:"plugin"`
	SHA256     digest.SHA256 `json:"sha256"`
	Passed     bool          `json:"passed"` // all thresholds hold
	Thresholds []Threshold   `json:"thresholds"`
	// Rules are the rules that the preset follows; nil: nobody's.
	Rules *journal.Rules `json:"rules,omitempty"`
	// Departures are where the run differs from the preset, and from the body of the rules' reference client.
	Departures []journal.Departure `json:"departures"`
}

// Threshold is one bound with what was found. Bounds are inclusive. What a judge tells is compared exactly, a figure of the
// metrics as it stands in report.json.
type Threshold struct {
	Metric    string    `json:"metric,omitempty"`
	Component string    `json:"component,omitempty"`
	Value     string    `json:"value,omitempty"` // of the component
	Found     stats.Num `json:"found"`
	Min       stats.Num `json:"min"`
	Max       stats.Num `json:"max"`
	Passed    bool      `json:"passed"`
	Reason    string    `json:"reason,omitempty"` // why there is nothing to hold against the bounds
}

// held holds the run against the thresholds of its preset; nil where it has none.
func (r *Result) held(in Input, s *settings) *Preset {
	p := in.Config.Preset
	if p == nil {
		return nil
	}
	out := &Preset{Name: p.Name, Plugin: p.Plugin, SHA256: p.SHA256, Passed: true, Thresholds: []Threshold{}, Rules: p.Rules, Departures: departures(p, s)}
	for i := range p.Thresholds {
		if !p.Thresholds[i].Holds(s.Load.Users) {
			continue
		}
		t := r.hold(in.Judgements, &p.Thresholds[i])
		out.Thresholds = append(out.Thresholds, t)
		out.Passed = out.Passed && t.Passed
	}
	return out
}

func (r *Result) hold(judgements []verdict.Judgement, bound *journal.Threshold) Threshold {
	t := Threshold{Metric: bound.Metric, Component: bound.Component, Value: bound.Value}
	if bound.MinMicro != nil {
		t.Min = micro(*bound.MinMicro)
	}
	if bound.MaxMicro != nil {
		t.Max = micro(*bound.MaxMicro)
	}
	var exact *big.Rat
	if bound.Metric != "" {
		exact = r.figure(&t)
	} else {
		exact = judgedValue(judgements, &t)
	}
	if exact != nil && t.Reason == "" {
		t.Passed = (bound.MinMicro == nil || exact.Cmp(big.NewRat(*bound.MinMicro, 1_000_000)) >= 0) &&
			(bound.MaxMicro == nil || exact.Cmp(big.NewRat(*bound.MaxMicro, 1_000_000)) <= 0)
	}
	return t
}

// figure finds a figure of the metrics, as the report writes it.
func (r *Result) figure(t *Threshold) *big.Rat {
	n, reason, known := r.Metrics.Lookup(t.Metric)
	if !known {
		t.Reason = "the metrics have no such figure"
		return nil
	}
	if t.Found, t.Reason = n, reason; !n.Valid() {
		return nil
	}
	exact, _ := new(big.Rat).SetString(n.String())
	return exact
}

// judgedValue finds a value of a judge. One that could not judge everything has told nothing that may be relied on.
func judgedValue(judgements []verdict.Judgement, t *Threshold) *big.Rat {
	for i := range judgements {
		j := &judgements[i]
		if j.Name != t.Component || j.Kind == verdict.KindWorkload {
			continue
		}
		for _, v := range valuesOf(j) {
			if v.Name == t.Value {
				t.Found = micro(v.Micro)
				t.Reason = doubt(j)
				return big.NewRat(v.Micro, 1_000_000)
			}
		}
		t.Reason = "it tells no such value"
		return nil
	}
	t.Reason = "it did not judge this run"
	return nil
}

// valuesOf are the values that a judge tells: of a scorer its score first, then the parts.
func valuesOf(j *verdict.Judgement) []verdict.Value {
	switch {
	case j.Verdict != nil:
		return j.Verdict.Values
	case j.Score != nil && j.Score.Score != nil:
		return append([]verdict.Value{*j.Score.Score}, j.Score.Parts...)
	case j.Score != nil:
		return j.Score.Parts
	}
	return nil
}

// doubt is why what a judge tells may not be relied on.
func doubt(j *verdict.Judgement) string {
	switch {
	case j.Error != "":
		return "it failed: " + j.Error
	case len(j.PluginErrors) > 0:
		return "it failed on some units"
	case j.Score != nil && !j.Score.Complete:
		return "the score is not complete"
	}
	return ""
}

// Name says what the bound is on.
func (t *Threshold) Name() string {
	if t.Metric != "" {
		return t.Metric
	}
	return t.Component + " " + t.Value
}

// String tells the bound and what was found, in words.
func (t *Threshold) String() string {
	var asked []string
	if t.Min.Valid() {
		asked = append(asked, "at least "+t.Min.String())
	}
	if t.Max.Valid() {
		asked = append(asked, "at most "+t.Max.String())
	}
	found := t.Found.String()
	if t.Reason != "" {
		found += " (" + t.Reason + ")"
	}
	return fmt.Sprintf("%s, %s is asked for: %s", strings.Replace(found, "null", "none", 1), strings.Join(asked, " and "), passed(t.Passed))
}
