package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"paceline/core/trajectory"
	"paceline/plugins/host"
	pb "paceline/schemas/gen/pluginv1"
)

// firstPlan is one trajectory as the workload planned it at first, and as text.
type firstPlan struct {
	index uint64
	t     *trajectory.Trajectory
	text  string
}

func workloadChecks() []check {
	return []check{
		{"check-inputs", (*component).checkInputs},
		{"hostile-inputs", (*component).hostileInputs},
		{"plan", (*component).plan},
		{"plan-again", (*component).planAgain},
		{"plan-fixed", (*component).planFixed},
		{"plan-workers", (*component).planWorkers},
		{"plan-out-of-range", (*component).planBeyond},
		{"next", (*component).next},
		{"next-again", (*component).nextAgain},
		{"next-hostile-answers", (*component).nextHostile},
		{"next-state", (*component).nextState},
	}
}

// mostPlans is how many trajectories are planned: the first ones and the last.
const mostPlans = 6

// indices are the trajectories that are planned.
func (c *component) indices() []uint64 {
	n := c.work.Info().Trajectories
	if n == 0 {
		n = mostPlans
	}
	var list []uint64
	for i := range min(n, mostPlans) {
		list = append(list, i)
	}
	if n > mostPlans {
		list = append(list, n-1)
	}
	return list
}

// plan plans trajectories, which must be well formed and told apart by their ids.
func (c *component) plan(ctx context.Context) error {
	ids := map[string]uint64{}
	for _, index := range c.indices() {
		t, err := c.work.Plan(ctx, index, 0)
		if err != nil {
			return unlike(fmt.Sprintf("a trajectory of index %d", index), "%v", err)
		}
		if before, ok := ids[t.ID]; ok {
			return unlike("ids that are unique in the workload", "%q for the indices %d and %d", t.ID, before, index)
		}
		ids[t.ID] = index
		text, err := tell(t)
		if err != nil {
			return err
		}
		c.plans = append(c.plans, firstPlan{index, t, text})
	}
	c.s.addPlanned(ctx, c)
	return nil
}

// tell writes a value of core as text, for comparing.
func tell(v any) (string, error) {
	b, err := json.Marshal(v)
	return string(b), err
}

// planner plans one trajectory in some way.
type planner func(ctx context.Context, index uint64, repeat uint32) (*trajectory.Trajectory, error)

// equalPlan plans again and compares.
func equalPlan(ctx context.Context, p firstPlan, repeat uint32, how string, plan planner) error {
	again, err := plan(ctx, p.index, repeat)
	if err != nil {
		return fmt.Errorf("index %d, %s: %w", p.index, how, err)
	}
	text, err := tell(again)
	if err != nil {
		return err
	}
	return same(fmt.Sprintf("the same trajectory of index %d %s", p.index, how), p.text, text)
}

// planAgain plans in another order, twice in one instance, and in fresh ones.
func (c *component) planAgain(ctx context.Context) error {
	if len(c.plans) == 0 {
		return skipf("there is no plan to compare with")
	}
	for i := range c.plans {
		p := c.plans[len(c.plans)-1-i]
		if err := equalPlan(ctx, p, 0, "planned again in another order", c.work.Plan); err != nil {
			return err
		}
		if err := equalPlan(ctx, p, 0, "planned twice", c.work.Plan); err != nil {
			return err
		}
		if err := equalPlan(ctx, p, 0, "planned in a fresh instance", c.work.PlanFresh); err != nil {
			return err
		}
	}
	if n := c.work.Retries(); n > 0 {
		return unlike("plans at the first try", "%d that failed in a used instance and came in a fresh one", n)
	}
	return nil
}

// planFixed plans a later pass: a fixed workload gives the same, another one the same as itself.
func (c *component) planFixed(ctx context.Context) error {
	if len(c.plans) == 0 {
		return skipf("there is no plan to compare with")
	}
	p := c.plans[0]
	if c.work.Info().Fixed {
		return equalPlan(ctx, p, 1, "in the second pass, since the workload says that it is fixed", c.work.Plan)
	}
	second, err := c.work.Plan(ctx, p.index, 1)
	if err != nil {
		return err
	}
	text, err := tell(second)
	if err != nil {
		return err
	}
	return equalPlan(ctx, firstPlan{p.index, second, text}, 1, "in the second pass, in a fresh instance", c.work.PlanFresh)
}

// planWorkers plans on several workers at once.
func (c *component) planWorkers(ctx context.Context) error {
	if len(c.plans) == 0 {
		return skipf("there is no plan to compare with")
	}
	w, err := c.s.main.plugin.OpenWorkload(ctx, c.options(c.s.main, 2))
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	errs := make([]error, len(c.plans))
	var all sync.WaitGroup
	for i, p := range c.plans {
		all.Go(func() { errs[i] = equalPlan(ctx, p, 0, "planned by two workers side by side", w.Plan) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// planBeyond plans what is not there: the answer is a status.
func (c *component) planBeyond(ctx context.Context) error {
	n := c.work.Info().Trajectories
	if n == 0 {
		return skipf("the workload has as many trajectories as are asked for")
	}
	for _, index := range []uint64{n, 1<<64 - 1} {
		_, err := pb.NewWorkloadClient(c.comp().Conn()).Plan(ctx, &pb.PlanRequest{Index: index, Seed: make([]byte, 32)})
		if e, ok := errors.AsType[*host.Error](err); !ok || e.Cause != host.Status {
			return unlike(fmt.Sprintf("a status for the index %d, since there are %d trajectories", index, n), "%v", orNothing(err))
		}
	}
	return nil
}
