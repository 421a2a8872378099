package session

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

// Planner plans a trajectory; it may reuse an instance, since what it gives is held to a digest.
type Planner interface {
	Plan(ctx context.Context, index uint64, repeat uint32) (*trajectory.Trajectory, error)
}

// PlanAgain plans every trajectory of the run again, holds each to the digest that the journal has of it, and makes the texts
// the run's content store: what judges need of a run whose own store is not there. Planners are by the workloads' names. It
// tells how many were planned. A difference is an *UnsteadyError.
func (f *Files) PlanAgain(ctx context.Context, planners map[string]Planner) (int, error) {
	if len(f.Run.Lives) > 0 {
		return 0, fmt.Errorf("%s is live: its conversations depend on answers and cannot be planned again", f.Run.Lives[0].Workload)
	}
	store := journal.MemoryContents{}
	for i := range f.Run.Plans {
		plan := &f.Run.Plans[i]
		planner := planners[plan.Workload]
		if planner == nil {
			return i, fmt.Errorf("workload %s is not open", plan.Workload)
		}
		t, err := planner.Plan(ctx, plan.Index, plan.Repeat)
		var doc journal.Document
		if err == nil {
			doc, err = journal.EncodeTrajectory(t)
		}
		if ctx.Err() != nil {
			return i, ctx.Err()
		}
		what := fmt.Sprintf("trajectory %d (%s), repeat %d", plan.Index, plan.Trajectory, plan.Repeat)
		if err := same(plan.Workload, what, plan.Content, doc, err); err != nil {
			return i, err
		}
		store.Add(doc)
	}
	f.Run.Content = store
	return len(f.Run.Plans), nil
}

// JudgeAgain gives the recorded judgements in their order, anew where judges has the component, else as they were recorded:
// those of native plugins, and of what asked the target. Nothing is written.
func (f *Files) JudgeAgain(ctx context.Context, judges *Judges, recorded []verdict.Judgement) ([]verdict.Judgement, error) {
	config, err := f.material(judges)
	if err != nil {
		return nil, err
	}
	var window metrics.Window
	config.InWindow = func(s *sample.Sample) bool { return window.Holds(s) }
	a := &again{f: f, judges: judges, m: judge.New(config), window: &window}
	for i := range recorded {
		j, err := a.judgement(ctx, &recorded[i])
		if err != nil {
			return nil, fmt.Errorf("judge again by %s: %w", recorded[i].Name, err)
		}
		a.list = append(a.list, j)
	}
	return a.list, nil
}

// again is a run on its way through its judges for another time.
type again struct {
	f      *Files
	judges *Judges
	m      *judge.Material
	window *metrics.Window
	list   []verdict.Judgement
	made   *figures // once the counters are done
}

func (a *again) judgement(ctx context.Context, had *verdict.Judgement) (verdict.Judgement, error) {
	switch had.Kind {
	case verdict.KindWorkload:
		return a.workload(ctx, had)
	case "counter":
		if i := find(a.judges.Counters, had); i >= 0 {
			return a.m.Count(ctx, a.judges.Counters[i])
		}
		return *had, a.m.Counted(had)
	case "validator":
		if i := find(a.judges.Validators, had); i >= 0 {
			v := a.judges.Validators[i]
			part, raw, err := a.part(v.About())
			if err != nil {
				return verdict.Judgement{}, err
			}
			return part.Validate(ctx, v, raw)
		}
	case "scorer":
		if i := find(a.judges.Scorers, had); i >= 0 {
			s := a.judges.Scorers[i]
			part, raw, err := a.part(s.About())
			if err != nil {
				return verdict.Judgement{}, err
			}
			return part.Score(ctx, s, raw)
		}
	}
	return *had, nil
}

// workload plans a seeded choice once more where the workload is open.
func (a *again) workload(ctx context.Context, had *verdict.Judgement) (verdict.Judgement, error) {
	for _, w := range a.f.Config.All() {
		proof := a.judges.proof(w.Name, a.f.Config.Mixed())
		if w.Name != had.Name || proof.Replanner == nil {
			continue
		}
		root, err := strconv.ParseUint(a.f.Config.Seed, 10, 64)
		if err != nil {
			return verdict.Judgement{}, fmt.Errorf("read seed of the run: %w", err)
		}
		return a.f.replan(ctx, root, &w, proof)
	}
	return *had, nil
}

// part is what a judge sees. Metrics are computed when the first one asks: counters come before.
func (a *again) part(about verdict.About) (*judge.Material, json.RawMessage, error) {
	if a.made == nil {
		in, err := report.MetricsInput(report.Input{Run: a.f.Run, Config: a.f.Config, Judgements: a.list})
		if err != nil {
			return nil, nil, err
		}
		computed := metrics.Compute(in)
		*a.window = computed.Chosen()
		whole, err := json.Marshal(computed)
		if err != nil {
			return nil, nil, fmt.Errorf("encode metrics: %w", err)
		}
		a.made = &figures{in, map[string]json.RawMessage{"": whole}}
	}
	return a.f.part(a.m, a.made, about)
}

// find is the place of the judge that came to a judgement, below 0 where it is not among them.
func find[J interface{ About() verdict.About }](list []J, had *verdict.Judgement) int {
	return slices.IndexFunc(list, func(j J) bool { return j.About().Name == had.Name })
}
