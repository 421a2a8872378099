package session

import (
	"context"
	"fmt"

	"paceline/core/verdict"
)

// probe fetches the facts that validators asked for, each distinct one once, in the validators' order.
func probe(ctx context.Context, parts *Parts, after bool) []verdict.Fact {
	if parts.Prober == nil {
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
			facts = append(facts, parts.Prober.Probe(ctx, p))
		}
	}
	return facts
}

// preflight asks every validator about the facts; a finding of severity error stops the run before any load.
func preflight(ctx context.Context, plan *Plan, parts *Parts, facts []verdict.Fact, played *Played) error {
	config, err := runConfigJSON(&plan.Config)
	if err != nil {
		return fmt.Errorf("encode run configuration: %w", err)
	}
	for _, v := range parts.Validators {
		name := v.About().Name
		findings, err := v.Preflight(ctx, facts, config)
		if err != nil {
			return fmt.Errorf("preflight of %s: %w", name, err)
		}
		played.Preflight[name] = findings
		var errs []verdict.Finding
		for _, f := range findings {
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
