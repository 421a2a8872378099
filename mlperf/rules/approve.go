package rules

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"paceline/core/engine"
)

// Approve holds declared speculative decoding to the list of approved drafters: the weights' checksum, letter for letter, or
// the target's with the configuration. A name proves nothing. target is the cohort of the submission; nil: none is meant yet.
func Approve(list []Drafter, model string, s *engine.Speculation, target *Cohort) error {
	if !s.Used() {
		return nil
	}
	approved := slices.DeleteFunc(slices.Clone(list), func(d Drafter) bool { return d.Benchmark != model })
	if len(approved) == 0 {
		return fmt.Errorf("speculative decoding is %s, and no drafter is approved for %s", s, model)
	}
	i := slices.IndexFunc(approved, func(d Drafter) bool { return d.is(s) })
	switch {
	case i < 0:
		return fmt.Errorf("speculative decoding is %s, which is not approved for %s: its weight_checksum must be that of %s", s, model, named(approved))
	case s.Drafter != "" && approved[i].ModelID != "" && s.Drafter != approved[i].ModelID:
		return fmt.Errorf("the drafter is %s, and the declared checksum is that of %s", s.Drafter, approved[i].ModelID)
	case target != nil && target.Since(approved[i].UsableFrom()) < 0:
		return fmt.Errorf("the drafter %s was approved in %s, so it may be used from %s, not for %s", approved[i].ModelID, approved[i].Approved, approved[i].UsableFrom(), target)
	}
	return nil
}

// is reports whether a declaration is of this drafter.
func (d *Drafter) is(s *engine.Speculation) bool {
	if d.WeightChecksum != "" {
		return s.WeightChecksum == d.WeightChecksum
	}
	return d.TargetChecksum != "" && s.TargetChecksum == d.TargetChecksum && sameValue(s.Configuration, d.Configuration)
}

// sameValue compares JSON values, not texts.
func sameValue(a, b json.RawMessage) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

func named(list []Drafter) string {
	var texts []string
	for _, d := range list {
		sum := d.WeightChecksum
		if sum == "" {
			sum = "target_checksum " + d.TargetChecksum
		}
		texts = append(texts, strings.TrimSpace(d.ModelID+" "+sum))
	}
	return strings.Join(texts, " or ")
}

// PreservesThinking says whether the rules' own parameters ask the chat template to keep the thinking of earlier answers.
func (m *Model) PreservesThinking() bool {
	var p struct {
		Template struct {
			Preserve bool `json:"preserve_thinking"`
		} `json:"chat_template_kwargs"`
	}
	return json.Unmarshal(m.Params, &p) == nil && p.Template.Preserve
}
