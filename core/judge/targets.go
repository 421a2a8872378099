package judge

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"

	"paceline/core/verdict"
)

// targets names those that told facts, in the journal's order: one without a name unless the run has several.
func (h *hearing) targets() []string {
	var names []string
	for _, f := range h.m.c.Run.Facts {
		if !slices.Contains(names, f.Target) {
			names = append(names, f.Target)
		}
	}
	if len(names) == 0 {
		return []string{""}
	}
	return names
}

// preflight asks a validator about the facts of before the run, of each target alone: a validator knows of one.
func (h *hearing) preflight(ctx context.Context, v Validator) error {
	for _, target := range h.targets() {
		before, _ := h.facts(target)
		found, err := v.Preflight(ctx, before, h.m.c.RunConfig)
		if err == nil {
			err = checkFindings(found)
		}
		if err != nil {
			return err
		}
		h.j.Preflight = append(h.j.Preflight, h.keep(OfTarget(target, found))...)
	}
	return nil
}

// conclude asks a validator for its conclusion, with the facts of each target alone. All must pass; what it finds of a further
// target is told once more only where it is something else than of the first.
func (h *hearing) conclude(ctx context.Context, v Validator, metrics json.RawMessage) (verdict.Verdict, error) {
	var all, first verdict.Verdict
	for i, target := range h.targets() {
		_, facts := h.facts(target)
		said, err := v.Conclude(ctx, h.conclusion(metrics, facts))
		if err == nil {
			err = checkFindings(said.Findings)
		}
		if err != nil {
			return all, err
		}
		if i == 0 {
			all, first = said, said
			continue
		}
		more := slices.DeleteFunc(slices.Clone(said.Findings), func(f verdict.Finding) bool {
			return slices.ContainsFunc(first.Findings, func(had verdict.Finding) bool { return reflect.DeepEqual(f, had) })
		})
		all.Findings = append(slices.Clip(all.Findings), OfTarget(target, more)...)
		if !said.Passed && (first.Passed || said.Reason != first.Reason) {
			refuse(&all, "target "+target+": "+said.Reason)
		}
	}
	return all, nil
}

// OfTarget says in each finding which of several targets it is about.
func OfTarget(target string, findings []verdict.Finding) []verdict.Finding {
	if target == "" {
		return findings
	}
	findings = slices.Clone(findings)
	for i := range findings {
		findings[i].Message = "target " + target + ": " + findings[i].Message
	}
	return findings
}
