package cli

import (
	"fmt"
	"path"

	"paceline/cmd/runner/internal/config"
	"paceline/core/engine"
	"paceline/mlperf/plan"
	"paceline/mlperf/rules"
)

// declared is what a run declares of its target's speculative decoding.
func declared(s config.Speculation) (engine.Speculation, error) {
	configuration, err := config.JSON(s.Configuration)
	return engine.Speculation{Method: s.Method, Drafter: s.Drafter, WeightChecksum: s.WeightChecksum, TargetChecksum: s.TargetChecksum,
		Configuration: configuration, Tokens: s.Tokens}, err
}

// approveDrafter refuses a drafter that the rules of the run's preset do not approve, before anything is sent. What --unofficial plays
// all the same is noted.
func approveDrafter(r *config.Resolved) error {
	if r.Preset == nil || r.Preset.Rules == nil {
		return nil
	}
	model, err := rules.FindModel(path.Base(r.Preset.Name))
	if err != nil {
		return nil //nolint:nilerr // a preset of other rules
	}
	why, err := approval(model.Name, &r.Run)
	switch {
	case err != nil:
		return fail(exitUsage, err)
	case why == nil:
		return nil
	case r.Run.Unofficial:
		r.Preset.Refused = append(r.Preset.Refused, why.Error())
		return nil
	}
	return failHint(exitUsage, fmt.Errorf("preset %s: target.speculation: %w", r.Preset.Name, why),
		"--speculation, --drafter and --drafter-checksum declare it; --unofficial plays it as it is and says so in the report")
}

// approval says why the rules of a model refuse what a run declares; nil: they do not.
func approval(model string, run *config.Run) (why, err error) {
	s, err := declared(run.Target.Speculation)
	if err != nil {
		return nil, fmt.Errorf("target.speculation.configuration: %w", err)
	}
	drafters, err := rules.Drafters(nil)
	if err != nil {
		return nil, err
	}
	var target *rules.Cohort
	if c, err := rules.ParseCohort(run.Seeds.Cohort); err == nil {
		target = &c
	}
	return rules.Approve(drafters, model, &s, target), nil
}

// target fills in what the rules look at of the target.
func (m mlperfRules) target(r *plan.Run, run *config.Run) {
	r.Thinking = run.Thinking
	settings, on := run.Validators[plan.IdentityCheck]
	kept, _ := settings["preserve_thinking"].(bool)
	r.Identity = plan.Identity{On: on, Thinking: kept}
	r.Speculation, _ = declared(run.Target.Speculation) // it was encoded before
	if c, err := rules.ParseCohort(run.Seeds.Cohort); err == nil {
		r.Cohort = &c
	}
}
