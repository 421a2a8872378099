package session

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/seed"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// Replanner plans one trajectory in an instance that has planned nothing before.
type Replanner interface {
	PlanFresh(ctx context.Context, index uint64, repeat uint32) (*trajectory.Trajectory, error)
}

// replans is how many trajectories are planned again to prove that the workload is deterministic, and how many steps of
// live conversations are taken again.
const replans = 16

// UnsteadyError says that a workload gave another trajectory or another step for the same arguments.
type UnsteadyError struct {
	Workload      string
	What          string // which trajectory or step
	First, Second string // digests, or why there is none
}

// Error implements error.
func (e *UnsteadyError) Error() string {
	return fmt.Sprintf("workload %s is not deterministic: %s was %s and is now %s", e.Workload, e.What, e.First, e.Second)
}

// replan plans a seeded choice of a workload's trajectories again, and of a live workload takes a seeded choice of its steps
// again; it compares digests with the journal's and gives what came of it as the workload's judgement. The first difference
// ends it. The error is the context's.
func (f *Files) replan(ctx context.Context, root uint64, w *journal.Workload, proof Proof) (verdict.Judgement, error) {
	name := w.Name
	choice := seed.Derive(root, seed.Sample, []byte(name))
	random := choice.Rand()
	j := verdict.Judgement{About: f.workload(w), Seed: hex.EncodeToString(choice[:])}
	plans := f.plans(name)
	planned, err := plansAgain(ctx, random, plans, proof.Replanner)
	values := []verdict.Value{
		count(verdict.PlannedAgain, planned, "trajectories"), count(verdict.PlannedFirst, len(plans), "trajectories"),
	}
	if proof.Refolder != nil && w.Live {
		stepped, lives := 0, f.lives(name)
		if err == nil {
			stepped, err = f.stepsAgain(ctx, random, lives, proof.Refolder)
		}
		values = append(values, count(verdict.SteppedAgain, stepped, "steps"), count(verdict.SteppedFirst, len(lives), "steps"))
	}
	if ctx.Err() != nil {
		return j, ctx.Err()
	}
	if unsteady, ok := errors.AsType[*UnsteadyError](err); ok {
		j.Error = unsteady.Error()
	} else if err != nil {
		return j, err
	}
	j.Verdict = &verdict.Verdict{Passed: j.Error == "", Values: values}
	return j, nil
}

func count(name string, n int, unit string) verdict.Value {
	return verdict.Value{Name: name, Micro: int64(n) * 1_000_000, Unit: unit}
}

// plansAgain plans up to replans trajectories again and tells how many.
func plansAgain(ctx context.Context, random *rand.Rand, plans []*journal.Plan, p Replanner) (int, error) {
	chosen := random.Perm(len(plans))[:min(replans, len(plans))]
	for done, i := range chosen {
		plan := plans[i]
		t, err := p.PlanFresh(ctx, plan.Index, plan.Repeat)
		var doc journal.Document
		if err == nil {
			doc, err = journal.EncodeTrajectory(t)
		}
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		what := fmt.Sprintf("trajectory %d, repeat %d", plan.Index, plan.Repeat)
		if err := same(plan.Workload, what, plan.Content, doc, err); err != nil {
			return done + 1, err
		}
	}
	return len(chosen), nil
}

// same compares what came again, a document or the error of making it, with what is recorded.
func same(workload, what string, first digest.SHA256, again journal.Document, err error) error {
	found := again.Digest().String()
	if err != nil {
		found = "an error: " + err.Error()
	}
	if found == first.String() {
		return nil
	}
	return &UnsteadyError{Workload: workload, What: what, First: first.String(), Second: found}
}

// workload names a workload of the run as the journal's judgements name a judge.
func (f *Files) workload(w *journal.Workload) verdict.About {
	about := verdict.About{Name: w.Name, Kind: verdict.KindWorkload, Deterministic: true}
	name := f.plugin(w.ComponentName())
	for _, p := range f.Config.Plugins {
		if p.Name == name {
			about.Digest, about.Version = p.SHA256, p.Version
		}
	}
	return about
}
