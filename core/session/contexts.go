package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"paceline/core/journal"
	"paceline/core/sched"
)

// Bounds of looking at trajectories before the load.
const (
	lookTime  = time.Minute
	lookAhead = 1000 // trajectories of a workload without an end
)

// FitError says that trajectories exceed the longest context where none may, or that none is left to play.
type FitError struct {
	Contexts *journal.Contexts
	Workload *journal.ContextCount // the first one
}

// Error implements error.
func (e *FitError) Error() string {
	w := e.Workload
	text := fmt.Sprintf("workload %s: %d of %d trajectories exceed the longest context of %d tokens", w.Workload, w.Over, w.Trajectories, e.Contexts.Most)
	if e.Contexts.Over != string(sched.Fail) {
		text += ", and none is left to play"
	}
	var list []string
	for _, x := range w.Examples {
		list = append(list, fmt.Sprintf("trajectory %q, turn %d: %d", x.Trajectory, x.Turn, x.Tokens))
	}
	return text + ": " + strings.Join(list, "; ")
}

// Contexts looks before the load which of a plan's trajectories exceed its longest context, and whether all can be played in
// part where that is wanted. What it finds becomes part of the plan. It plans trajectories and keeps none.
func Contexts(ctx context.Context, plan *Plan, parts *Parts, onProgress func(done, of uint64)) error {
	c := &plan.Sched
	if c.Reach.MaxContext == 0 && !c.Reach.Last {
		return nil
	}
	if len(parts.Counters) > 0 {
		c.Reach.Sizer = sizer{parts.Counters[0]}
	}
	need := sched.Needs{Source: parts.Source, Folder: parts.Folder, Workloads: parts.Workloads}
	found, err := sched.TakeCensus(ctx, need, *c, sched.Look{Trajectories: ahead(c), For: lookTime, OnProgress: onProgress})
	if err != nil || c.Reach.MaxContext == 0 {
		return err
	}
	out := &journal.Contexts{Most: c.Reach.MaxContext, Over: string(c.Reach.Over)}
	c.Reach.Without = map[string][]uint64{}
	for i := range found {
		x := &found[i]
		if x.By == sched.ByEstimate {
			out.Rule = sched.EstimateRule
		}
		out.Workloads = append(out.Workloads, counted(x))
		if len(x.Without) > 0 {
			c.Reach.Without[x.Workload] = x.Without
		}
	}
	plan.Config.Contexts = out
	return fits(out)
}

// ahead is how many trajectories are looked at of a workload without an end: those that will be started, up to a bound.
func ahead(c *sched.Config) uint64 {
	if c.Budget == 0 || c.Budget > lookAhead {
		return lookAhead
	}
	return min(lookAhead, c.Budget+min(c.Warmup.Conversations, lookAhead))
}

func counted(x *sched.Census) journal.ContextCount {
	n := journal.ContextCount{
		Workload: x.Workload, By: x.By, Trajectories: x.Counted, Sample: x.Sample, Over: x.Over, Skipped: x.Unfit,
		Longest: x.Longest, LongestID: x.At, LongestIndex: x.Index,
	}
	for _, e := range x.Examples {
		n.Examples = append(n.Examples, journal.ContextExample{Trajectory: e.Trajectory, Index: e.Index, Skipped: e.Skipped})
	}
	return n
}

// fits refuses what cannot be played at all.
func fits(c *journal.Contexts) error {
	var errs []error
	for i := range c.Workloads {
		w := &c.Workloads[i]
		if w.Over > 0 && (c.Over == string(sched.Fail) || w.Skipped == w.Trajectories) {
			errs = append(errs, &FitError{c, w})
		}
	}
	return errors.Join(errs...)
}
