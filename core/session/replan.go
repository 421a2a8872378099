package session

import (
	"context"
	"fmt"

	"paceline/core/journal"
	"paceline/core/seed"
	"paceline/core/trajectory"
)

// Replanner plans one trajectory in an instance that has planned nothing before.
type Replanner interface {
	PlanFresh(ctx context.Context, index uint64, repeat uint32) (*trajectory.Trajectory, error)
}

// replans is how many trajectories are planned again to prove that the workload is deterministic.
const replans = 16

// UnsteadyError says that a workload gave another trajectory for the same arguments.
type UnsteadyError struct {
	Workload      string
	Index         uint64
	Repeat        uint32
	First, Second string // digests, or why there is none
}

// Error implements error.
func (e *UnsteadyError) Error() string {
	return fmt.Sprintf("workload %s is not deterministic: trajectory %d, repeat %d was %s and is now %s",
		e.Workload, e.Index, e.Repeat, e.First, e.Second)
}

// replan plans a seeded choice of the run's trajectories again and compares their digests with the journal's.
func replan(ctx context.Context, run *journal.Run, workload string, root uint64, p Replanner) error {
	rng := seed.Derive(root, seed.Sample, []byte(workload)).Rand()
	for _, i := range rng.Perm(len(run.Plans))[:min(replans, len(run.Plans))] {
		plan := &run.Plans[i]
		again := "an error: "
		t, err := p.PlanFresh(ctx, plan.Index, plan.Repeat)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			again += err.Error()
		} else if doc, err := journal.EncodeTrajectory(t); err != nil {
			again += err.Error()
		} else {
			again = doc.Digest().String()
		}
		if again != plan.Content.String() {
			return &UnsteadyError{workload, plan.Index, plan.Repeat, plan.Content.String(), again}
		}
	}
	return nil
}
