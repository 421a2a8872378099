package session

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"paceline/core/journal"
	"paceline/core/seed"
	"paceline/core/trajectory"
	"paceline/core/verdict"
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

// replan plans a seeded choice of the run's trajectories again, compares their digests with the journal's, and gives what
// came of it as the workload's judgement. The error is the context's.
func (f *Files) replan(ctx context.Context, root uint64, p Replanner) (verdict.Judgement, error) {
	name := f.Config.Workload.Name
	choice := seed.Derive(root, seed.Sample, []byte(name))
	j := verdict.Judgement{About: f.workload(name), Seed: hex.EncodeToString(choice[:])}
	plans := f.Run.Plans
	chosen := choice.Rand().Perm(len(plans))[:min(replans, len(plans))]
	done := 0
	for _, i := range chosen {
		err := again(ctx, &plans[i], p)
		if ctx.Err() != nil {
			return j, ctx.Err()
		}
		done++
		if unsteady, ok := errors.AsType[*UnsteadyError](err); ok {
			j.Error = unsteady.Error()
			break
		}
	}
	j.Verdict = &verdict.Verdict{Passed: j.Error == "", Values: []verdict.Value{
		{Name: verdict.PlannedAgain, Micro: int64(done) * 1_000_000, Unit: "trajectories"},
		{Name: verdict.PlannedFirst, Micro: int64(len(plans)) * 1_000_000, Unit: "trajectories"},
	}}
	return j, nil
}

// again plans one trajectory again.
func again(ctx context.Context, plan *journal.Plan, p Replanner) error {
	found := ""
	t, err := p.PlanFresh(ctx, plan.Index, plan.Repeat)
	if err == nil {
		var doc journal.Document
		if doc, err = journal.EncodeTrajectory(t); err == nil {
			found = doc.Digest().String()
		}
	}
	if err != nil {
		found = "an error: " + err.Error()
	}
	if found == plan.Content.String() {
		return nil
	}
	return &UnsteadyError{plan.Workload, plan.Index, plan.Repeat, plan.Content.String(), found}
}

// workload names the run's workload as the journal's judgements name a judge.
func (f *Files) workload(name string) verdict.About {
	about := verdict.About{Name: name, Kind: verdict.KindWorkload, Deterministic: true}
	longest := -1
	for _, p := range f.Config.Plugins {
		if n := len(p.Name); n > longest && strings.HasPrefix(name, p.Name+"/") {
			longest, about.Digest, about.Version = n, p.SHA256, p.Version
		}
	}
	return about
}
