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

func (q *queue) work(ctx context.Context, m *member) {
	for s := q.claim(m); s != nil; s = q.claim(m) {
		fresh := q.fill(ctx, s)
		q.mu.Lock()
		q.planning--
		if fresh && !s.taken {
			s.size = s.plan.size
			q.bytes += s.size
		}
		q.mu.Unlock()
		close(s.ready)
		q.wake.Broadcast()
	}
}

// claim waits for something of a workload to plan; nil: there is nothing any more.
func (q *queue) claim(m *member) *slot {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped {
		if s := q.pick(m); s != nil {
			s.claimed = true
			q.planning++
			return s
		}
		if q.cursor.Done() && len(m.todo)+len(m.pending) == 0 {
			return nil
		}
		q.wake.Wait()
	}
	return nil
}

// pick finds what is to be planned next of a workload: what a user has taken, what is ahead already, or the next of it in
// order; those of other workloads on the way there are left to their planners. nil: nothing for now.
func (q *queue) pick(m *member) *slot {
	if len(m.todo) > 0 {
		s := m.todo[0]
		m.todo = m.todo[1:]
		return s
	}
	if len(m.pending) > 0 {
		s := m.pending[0]
		if !q.fits(s) {
			return nil
		}
		m.pending = m.pending[1:]
		return s
	}
	for q.room() {
		s := q.next()
		q.ahead = append(q.ahead, s)
		if s.member == m {
			return s
		}
		s.member.pending = append(s.member.pending, s)
		q.wake.Broadcast()
	}
	return nil
}

// room reports whether more may be planned ahead.
func (q *queue) room() bool {
	n := len(q.ahead)
	return !q.cursor.Done() && n < q.run.config.Prefetch.Depth && q.holds(n)
}

// fits reports whether a slot that is ahead may be planned now.
func (q *queue) fits(s *slot) bool { return q.holds(int(s.item.Number - q.ahead[0].item.Number)) }

// holds reports whether a plan at a place ahead may be made: the first ones whatever their size.
func (q *queue) holds(place int) bool {
	return place < q.least || q.bytes < q.run.config.Prefetch.Bytes
}

// next is the next slot in order; the cursor must not be at its end.
func (q *queue) next() *slot {
	member, item, _ := q.cursor.Next()
	m := q.run.members[member]
	return &slot{item: item, member: m, target: m.dealt(), ready: make(chan struct{})}
}

// fill plans one slot; it reports whether the plan's memory is the slot's own.
func (q *queue) fill(ctx context.Context, s *slot) (fresh bool) {
	p, fresh, ok := q.plan(ctx, s.member, s.item)
	if !ok {
		s.err = context.Cause(ctx)
		return false
	}
	s.plan, s.err = p, p.err
	if s.err != nil {
		return fresh
	}
	t := p.trajectory
	if s.arrival, s.err = q.run.config.Arrivals.At(s.item, t.StartOffset); s.err == nil {
		s.texts, s.salted, s.err = q.run.salted(s.member, p, s.item.Repeat)
	}
	if s.err != nil {
		s.err = s.member.refuse(s.item, t.ID, s.err)
	}
	return fresh
}

// plan returns the plan of an item, of a fixed workload the one that was made before.
func (q *queue) plan(ctx context.Context, m *member, item load.Item) (p *plan, fresh, ok bool) {
	if m.kept == nil {
		p, ok = q.run.makePlan(ctx, m, item)
		return p, ok, ok
	}
	q.mu.Lock()
	k := m.kept[item.Index]
	if mine := k == nil; mine {
		k = &keptPlan{done: make(chan struct{})}
		m.kept[item.Index] = k
		q.mu.Unlock()
		k.plan, ok = q.run.makePlan(ctx, m, item)
		close(k.done)
		return k.plan, ok, ok
	}
	q.mu.Unlock()
	select {
	case <-k.done:
	case <-ctx.Done():
	}
	select {
	case <-k.done:
		return k.plan, false, k.plan != nil
	default:
		return nil, false, false
	}
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
	}
	q.wake.Broadcast()
	return s
}

// done reports whether nothing may be taken any more.
func (q *queue) done() bool {
	if q.run.config.Warmup.For > 0 && q.measured >= q.budget {
		return true
	}
	return q.cursor.Done() && len(q.ahead) == 0
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
