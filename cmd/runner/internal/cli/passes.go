package cli

import (
	"fmt"

	"paceline/cmd/runner/internal/config"
	"paceline/core/journal"
)

// wholePasses refuses a run that would not play whole passes over its workload where the rules of its preset ask for them,
// before anything is sent.
func wholePasses(run *config.Run, p *journal.Preset, trajectories uint64) error {
	if p == nil || p.Rules == nil || !p.Rules.WholePasses || run.Unofficial {
		return nil
	}
	const hint = "--unofficial plays it as it is and says so in the report"
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
