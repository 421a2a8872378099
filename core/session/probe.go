package session

import (
	"context"
	"fmt"

	"paceline/core/judge"
	"paceline/core/verdict"
)

// probe fetches the facts that validators asked for from each target, each distinct one once, in the validators' order.
func probe(ctx context.Context, parts *Parts, after bool) []verdict.Fact {
	var facts []verdict.Fact
	for _, t := range parts.targets() {
		facts = append(facts, t.probe(ctx, parts, after)...)
	}
	return facts
}

func (t *Target) probe(ctx context.Context, parts *Parts, after bool) []verdict.Fact {
	if t.Prober == nil {
		return nil
	}
	var facts []verdict.Fact
	seen := map[string]bool{}
	for _, v := range parts.Validators {
		for _, p := range v.About().Probes {
			if p.After != after || seen[p.ID] {
				continue
			}
			seen[p.ID] = true
			f := t.Prober.Probe(ctx, p)
			f.Target = t.Name
			facts = append(facts, f)
		}
	}
	return facts
}

// preflight asks every validator about the facts of each target; a finding of severity error stops the run before any load.
func preflight(ctx context.Context, plan *Plan, parts *Parts, facts []verdict.Fact, played *Played) error {
	config, err := runConfigJSON(&plan.Config)
	if err != nil {
		return fmt.Errorf("encode run configuration: %w", err)
	}
	for _, v := range parts.Validators {
		name := v.About().Name
		for _, t := range parts.targets() {
			findings, err := v.Preflight(ctx, t.facts(facts), config)
			if err != nil {
				return fmt.Errorf("preflight of %s: %w", name, err)
			}
			played.Preflight[name] = append(played.Preflight[name], judge.OfTarget(t.Name, findings)...)
		}
		var errs []verdict.Finding
		for _, f := range played.Preflight[name] {
			if f.Severity == verdict.Error {
				errs = append(errs, f)
			}
		}
		if len(errs) > 0 {
			return &PreflightError{Validator: name, Findings: errs}
		}
	}
	return nil
}
