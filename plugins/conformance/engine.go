package conformance

import (
	"context"
	"fmt"

	"paceline/core/judge"
	"paceline/plugins/lock"
)

// Bounds of what is asked in another engine, where all takes long.
const (
	plansElsewhere         = 2
	conversationsElsewhere = 3
)

// inEngine asks a few things in another engine and compares with what was said in the first one.
func (c *component) inEngine(ctx context.Context, e *engine) error {
	b, err := c.s.benchOf(ctx, e)
	if err != nil {
		return err
	}
	if err := same("the same description in "+e.name, canonical(c.s.main.about), canonical(b.about)); err != nil {
		return err
	}
	if c.kind == lock.KindWorkload {
		return c.planElsewhere(ctx, b, "in "+e.name)
	}
	return c.hearElsewhere(ctx, b, "in "+e.name)
}

func (c *component) planElsewhere(ctx context.Context, b *bench, how string) error {
	if len(c.plans) == 0 {
		return skipf("there is no plan to compare with")
	}
	w, err := b.plugin.OpenWorkload(ctx, c.options(b, 1))
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }()
	for _, p := range c.plans[:min(len(c.plans), plansElsewhere)] {
		if err := equalPlan(ctx, p, 0, "planned "+how, w.Plan); err != nil {
			return err
		}
	}
	if len(c.walks) == 0 {
		return nil
	}
	for _, step := range c.walks[0][:min(len(c.walks[0]), 3)] {
		again, err := w.Next(ctx, step.state, step.turn, step.x)
		if err != nil {
			return err
		}
		text, err := tell(again)
		if err != nil {
			return err
		}
		if err := same(fmt.Sprintf("the same step after turn %d %s", step.turn, how), step.text, text); err != nil {
			return err
		}
	}
	return nil
}

func (c *component) hearElsewhere(ctx context.Context, b *bench, how string) error {
	if !c.asked {
		return skipf("there is no first answer to compare with")
	}
	h, err := c.openJudge(ctx, b, 1)
	if err != nil {
		return err
	}
	defer func() { _ = h.Close() }()
	var batch []judge.Item
	for _, conv := range c.conversations()[:conversationsElsewhere] {
		batch = append(batch, conv...)
	}
	here, err := hear(ctx, c.judge, [][]judge.Item{batch})
	if err != nil {
		return err
	}
	there, err := hear(ctx, h, [][]judge.Item{batch})
	if err != nil {
		return err
	}
	return equalHeard(how, here, there)
}
