package sched

import (
	"errors"
	"fmt"
	"slices"

	"paceline/core/load"
)

// Target is one of several targets of a run. A conversation is bound to one of them when its place in the order of the run is
// fixed, so by seed, workload and weights alone, and all its turns ask that one, whatever becomes of it.
type Target struct {
	Name   string // in the journal and the report
	Weight uint32 // of the conversations that it gets among those of all; 0: one
}

// checkTargets reports what is wrong with the targets of the run.
func (c *Config) checkTargets() error {
	if len(c.Targets) == 0 {
		return nil
	}
	var errs []error
	seen := map[string]bool{}
	for i, t := range c.Targets {
		if t.Name == "" || seen[t.Name] {
			errs = append(errs, fmt.Errorf("targets[%d]: want a name of its own, got %q", i, t.Name))
		}
		seen[t.Name] = true
	}
	d := c.dealOf(c.Workload)
	return errors.Join(append(errs, d.Check())...)
}

func (c *Config) dealOf(workload string) load.Deal {
	d := load.Deal{Workload: workload, Seed: c.Seed}
	for _, t := range c.Targets {
		d.Weights = append(d.Weights, max(t.Weight, 1))
	}
	return d
}

// deal begins to deal out the conversations of a workload; nil: there is one target.
func (c *Config) deal(workload string) *load.DealCursor {
	if len(c.Targets) == 0 {
		return nil
	}
	d := c.dealOf(workload)
	return d.Start()
}

// checkTargets reports whether each target has an issuer.
func (n *Needs) checkTargets(c *Config) error {
	none := func(a Asked) bool { return a.Issuer == nil }
	switch {
	case len(c.Targets) == 0 && n.Issuer == nil:
		return errors.New("an issuer is needed")
	case len(c.Targets) != len(n.Targets) || slices.ContainsFunc(n.Targets, none):
		return fmt.Errorf("%d targets need as many issuers, and %d are given", len(c.Targets), len(n.Targets))
	}
	return nil
}

// dealt is the place of the target of the workload's next conversation.
func (m *member) dealt() int {
	if m.deal == nil {
		return 0
	}
	return m.deal.Next()
}

// bind gives the conversation its target, for its whole life.
func (c *conversation) bind(place int) {
	r := c.run
	if len(r.config.Targets) == 0 {
		c.asked = Asked{r.need.Issuer, r.need.Tokenizer}
		return
	}
	c.asked, c.record.Target = r.need.Targets[place], r.config.Targets[place].Name
}
