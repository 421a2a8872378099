package cli

import (
	"fmt"

	"paceline/cmd/runner/internal/config"
	"paceline/core/journal"
)

// wholeTrajectories refuses a run that would play parts of trajectories where its preset has rules: those are about whole ones.
func wholeTrajectories(run *config.Run, p *journal.Preset) error {
	if p == nil || p.Rules == nil || run.Unofficial || run.Load.Whole() {
		return nil
	}
	for _, k := range []struct {
		parts      bool
		key, value string
	}{
		{run.Load.Start == config.Spread, "load.start", run.Load.Start}, {run.Load.Replay == config.Last, "load.replay", run.Load.Replay},
		{run.Load.MaxContext != "", "load.max_context", run.Load.MaxContext},
	} {
		if k.parts {
			return failHint(exitUsage, fmt.Errorf("%s: preset %s plays whole trajectories, and %s plays parts of them", k.key, p.Name, k.value), unofficialHint)
		}
	}
	return nil
}

// unofficialHint is the way around a preset's rules.
const unofficialHint = "--unofficial plays it as it is and says so in the report"

// wholePasses refuses a run that would not play whole passes over its workload where the rules of its preset ask for them,
// before anything is sent.
func wholePasses(run *config.Run, p *journal.Preset, trajectories uint64) error {
	if p == nil || p.Rules == nil || !p.Rules.WholePasses || run.Unofficial {
		return nil
	}
	const hint = unofficialHint
	name := p.Name
	switch n := run.Load.Trajectories; {
	case trajectories == 0:
		return failHint(exitUsage, fmt.Errorf("preset %s plays whole passes, and the workload has no fixed number of trajectories", name), hint)
	case run.Load.Duration > 0:
		return failHint(exitUsage, fmt.Errorf("load.duration: preset %s plays whole passes over %d trajectories, and a time limit cuts them", name, trajectories), hint)
	case n%trajectories != 0:
		near := max(n/trajectories, 1) * trajectories
		return failHint(exitUsage, fmt.Errorf("load.trajectories: %d is no multiple of the workload's %d, and preset %s plays whole passes; nearest: %d", n, trajectories, name, near), hint)
	}
	return nil
}
