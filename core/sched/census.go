package sched

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/trajectory"
)

// maxExamples is how many trajectories of a census are named.
const maxExamples = 5

// Census is what was found, before the load, of a workload's trajectories and the longest context.
type Census struct {
	Workload string
	By       string // how lengths are known: planned, counted, estimated
	Counted  int
	// Sample says that not all trajectories were looked at that may be played: the workload has no end, or time was up.
	Sample bool
	Over   int
	// Unfit are those of them that the rule cannot make fit: they are skipped.
	Unfit    int
	Longest  int64
	At       string // that trajectory
	Index    uint64
	Examples []Example // the first that are over

	// Without are the trajectories that are skipped, of a fixed workload that was looked at as a whole.
	Without []uint64
}

// Example is one trajectory beyond the longest context.
type Example struct {
	Trajectory string
	Index      uint64
	sample.Skipped
}

// Look says how far a census looks.
type Look struct {
	Trajectories uint64        // of each workload without an end
	For          time.Duration // in all; 0: as long as it takes
	// OnProgress is told how many were looked at, and of how many; nil: not wanted.
	OnProgress func(done, of uint64)
}

// TakeCensus plans the trajectories of a run's workloads, each once and without keeping it, and looks which have a turn beyond
// the longest context. An error tells what is refused whatever its length; under Fail a trajectory that is over is none.
func TakeCensus(ctx context.Context, need Needs, c Config, look Look) ([]Census, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if look.For > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, look.For, errTimeUp)
		defer stop()
	}
	need.Recorder, need.Progress = nobody{}, nil
	r, err := newRun(need, c.withDefaults(), time.Now())
	if err != nil {
		return nil, err
	}
	if r.config.Reach.Over == Fail { // so that all that are over are found
		r.config.Reach.Over = Skip
	}
	var list []Census
	for _, m := range r.members {
		of, err := r.count(ctx, m, &look)
		if err != nil {
			return nil, err
		}
		list = append(list, of)
	}
	return list, nil
}

var errTimeUp = errors.New("time is up")

// count looks at one workload's trajectories in the order of their indexes, a few at a time.
func (r *run) count(ctx context.Context, m *member, look *Look) (Census, error) {
	c := Census{Workload: m.Workload, By: ByPlan, Sample: m.Info.Trajectories == 0}
	n := m.Info.Trajectories
	if n == 0 {
		n = look.Trajectories
	}
	var next, done atomic.Uint64
	var mu sync.Mutex
	var fault error
	at := uint64(math.MaxUint64) // of the fault
	var workers sync.WaitGroup
	for range r.config.Prefetch.Planners {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < n; i = next.Add(1) - 1 {
				p, ok := r.makePlan(ctx, m, load.Item{Index: i})
				mu.Lock()
				if ok && refuses(p) && i < at {
					fault, at = p.err, i
				}
				if ok {
					c.add(p, i)
				}
				told := done.Add(1)
				if look.OnProgress != nil && ok {
					look.OnProgress(told, n)
				}
				stop := !ok || fault != nil
				mu.Unlock()
				if stop {
					return
				}
			}
		})
	}
	workers.Wait()
	switch {
	case fault != nil:
		return c, fault
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errTimeUp):
		return c, context.Cause(ctx)
	}
	c.finish(m, n)
	return c, nil
}

// refuses reports whether a plan cannot be played. What cannot be planned is left to the load, which tells of it.
func refuses(p *plan) bool {
	_, refused := errors.AsType[*RefusedError](p.err)
	return refused
}

// add takes in one trajectory.
func (c *Census) add(p *plan, index uint64) {
	c.Counted++
	if p.err != nil {
		return
	}
	if p.by == ByEstimate || p.by == ByCounter && c.By == ByPlan {
		c.By = p.by
	}
	if p.longest > c.Longest || p.longest == c.Longest && index < c.Index {
		c.Longest, c.At, c.Index = p.longest, p.trajectory.ID, index
	}
	if p.over == nil {
		return
	}
	c.Over++
	if p.skipped != nil {
		c.Unfit++
		c.Without = append(c.Without, index)
	}
	c.Examples = append(c.Examples, Example{p.trajectory.ID, index, *p.over})
	slices.SortFunc(c.Examples, func(a, b Example) int { return cmp.Compare(a.Index, b.Index) })
	c.Examples = c.Examples[:min(len(c.Examples), maxExamples)]
}

// finish settles what a run may rely on.
func (c *Census) finish(m *member, n uint64) {
	c.Sample = c.Sample || uint64(c.Counted) < n
	slices.Sort(c.Without)
	if c.Sample || !m.Info.Fixed {
		c.Without = nil
	}
}

// nobody records nothing.
type nobody struct{ Recorder }

func (nobody) PlannedIn(string, *trajectory.Trajectory, uint32) {}
