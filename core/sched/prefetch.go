package sched

import (
	"context"
	"slices"
	"sync"
	"time"

	"paceline/core/load"
	"paceline/core/sample"
)

// slot is one conversation to come: its place in the order, and once ready is closed, its plan.
type slot struct {
	item    load.Item
	member  *member // whose trajectory it plays
	target  int     // place of the target that it is bound to
	claimed bool    // a planner has it, or had it
	ready   chan struct{}
	plan    *plan
	texts   []text        // what each turn says
	salted  []text        // the plan's openings; nil: not salted
	arrival time.Duration // open loop
	err     error         // it cannot be played
	size    int64         // bytes that it alone holds
	taken   bool
	counted bool          // among those that were taken while measuring
	talk    *conversation // made ahead; nil: it is made when it begins
}

// queue plans trajectories ahead of need and hands them out in order. Every workload has planners of its own, so that a slow
// one holds up its own conversations and no others.
type queue struct {
	run    *run
	budget uint64 // measured conversations that may be taken

	mu       sync.Mutex
	wake     sync.Cond
	cursor   *load.MixCursor
	ahead    []*slot // in order, without a gap: not taken; planned, being planned, or pending with their workload
	planning int
	bytes    int64  // of ahead
	least    int    // slots ahead that are planned whatever their size
	measured uint64 // taken while measuring; what counts where the warm-up is a time, else the cursor's end does
	starting int    // taken, and their conversations not yet started
	stopped  bool
	places   []place // that come before those of the cursor
	renumber uint64  // how many those were
	row      int     // trajectories that were skipped one after another
	fault    error   // why planning has stopped

	workers sync.WaitGroup
}

// keptPlan is a plan that is shared over repeats; done is closed once it is there.
type keptPlan struct {
	done chan struct{}
	plan *plan
}

func newQueue(r *run) *queue {
	c := &r.config
	mix := c.mix()
	q := &queue{run: r, budget: c.budget(), cursor: mix.Start(c.total()), least: c.Users.Max()}
	q.wake.L = &q.mu
	return q
}

// start starts the planners; they end with ctx or with the last trajectory, and stop waits for them.
func (q *queue) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	release := context.AfterFunc(ctx, q.halt)
	for _, m := range q.run.members {
		for range q.run.config.Prefetch.Planners {
			q.workers.Go(func() { q.work(ctx, m) })
		}
	}
	return func() {
		cancel()
		release()
		q.halt()
		q.workers.Wait()
	}
}

func (q *queue) halt() {
	q.mu.Lock()
	q.stopped = true
	q.mu.Unlock()
	q.wake.Broadcast()
}

// settled waits until everything that may be planned ahead is planned, or planning has stopped.
func (q *queue) settled() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped && (q.planning > 0 || q.room() || q.waiting()) {
		q.wake.Wait()
	}
}

// waiting reports whether a slot that no planner has taken may be planned.
func (q *queue) waiting() bool {
	return slices.ContainsFunc(q.run.members, func(m *member) bool { return len(m.pending) > 0 && q.fits(m.pending[0]) })
}

// take hands out the next slot, planned or not; nil: none is left. Whoever takes one calls started for it.
func (q *queue) take() *slot {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.done() {
		return nil
	}
	var s *slot
	if len(q.ahead) > 0 {
		s = q.ahead[0]
		q.ahead = q.ahead[1:]
		q.bytes -= s.size
		if m := s.member; !s.claimed { // then it is the first of its workload's
			m.pending, m.todo = m.pending[1:], append(m.todo, s)
		}
	} else {
		s = q.next()
		s.member.todo = append(s.member.todo, s)
	}
	s.taken = true
	q.starting++
	if q.run.phases.current() == sample.Measure {
		q.measured++
		s.counted = true
	}
	q.wake.Broadcast()
	return s
}

// done reports whether nothing may be taken any more.
func (q *queue) done() bool {
	if q.run.config.Warmup.For > 0 && q.measured >= q.budget {
		return true
	}
	return q.handedOut() && len(q.ahead) == 0
}

// started says that the conversation of a taken slot was started, or never will be.
func (q *queue) started() {
	q.mu.Lock()
	q.starting--
	q.mu.Unlock()
}

// nothingLeft reports whether no conversation is left to start.
func (q *queue) nothingLeft() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.starting == 0 && q.done()
}
