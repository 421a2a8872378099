package sched

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"paceline/core/load"
	"paceline/core/sample"
)

// slot is one conversation to come: its place in the order, and once ready is closed, its plan.
type slot struct {
	item    load.Item
	ready   chan struct{}
	plan    *plan
	appends [][]json.RawMessage // what each turn adds, the first turn's salted
	arrival time.Duration       // open loop
	err     error               // it cannot be played
	size    int64               // bytes that it alone holds
	taken   bool
}

// queue plans trajectories ahead of need and hands them out in order.
type queue struct {
	run    *run
	budget uint64 // measured conversations that may be taken

	mu       sync.Mutex
	wake     sync.Cond
	cursor   *load.Cursor
	ahead    []*slot // in order: planned or being planned, and not taken
	todo     []*slot // taken before anybody planned them
	planning int
	bytes    int64  // of ahead
	least    int    // slots ahead that are planned whatever their size
	measured uint64 // taken while measuring; what counts where the warm-up is a time, else the cursor's end does
	starting int    // taken, and their conversations not yet started
	stopped  bool
	kept     map[uint64]*keptPlan // fixed workloads that are repeated

	workers sync.WaitGroup
}

// keptPlan is a plan that is shared over repeats; done is closed once it is there.
type keptPlan struct {
	done chan struct{}
	plan *plan
}

func newQueue(r *run) *queue {
	c := &r.config
	q := &queue{run: r, budget: c.budget(), cursor: c.order().Start(c.total()), least: c.Users.Max()}
	q.wake.L = &q.mu
	if n := c.Info.Trajectories; c.Info.Fixed && n > 0 && c.total() > n {
		q.kept = map[uint64]*keptPlan{}
	}
	return q
}

// start starts the planners; they end with ctx or with the last trajectory, and stop waits for them.
func (q *queue) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	release := context.AfterFunc(ctx, q.halt)
	for range q.run.config.Prefetch.Planners {
		q.workers.Go(func() { q.work(ctx) })
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

func (q *queue) work(ctx context.Context) {
	for s := q.claim(); s != nil; s = q.claim() {
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

// claim waits for something to plan; nil: there is nothing any more.
func (q *queue) claim() *slot {
	q.mu.Lock()
	defer q.mu.Unlock()
	for !q.stopped {
		if len(q.todo) > 0 {
			s := q.todo[0]
			q.todo = q.todo[1:]
			q.planning++
			return s
		}
		if q.room() {
			s := q.next()
			q.ahead = append(q.ahead, s)
			q.planning++
			return s
		}
		if q.cursor.Done() {
			return nil
		}
		q.wake.Wait()
	}
	return nil
}

// room reports whether more may be planned ahead.
func (q *queue) room() bool {
	n := len(q.ahead)
	return !q.cursor.Done() && n < q.run.config.Prefetch.Depth && (n < q.least || q.bytes < q.run.config.Prefetch.Bytes)
}

// next is the next slot in order; the cursor must not be at its end.
func (q *queue) next() *slot {
	item, _ := q.cursor.Next()
	return &slot{item: item, ready: make(chan struct{})}
}

// fill plans one slot; it reports whether the plan's memory is the slot's own.
func (q *queue) fill(ctx context.Context, s *slot) (fresh bool) {
	p, fresh, ok := q.plan(ctx, s.item)
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
		s.appends, s.err = q.run.salted(p, s.item.Repeat)
	}
	if s.err != nil {
		s.err = q.run.refuse(s.item, t.ID, s.err)
	}
	return fresh
}

// plan returns the plan of an item, of a fixed workload the one that was made before.
func (q *queue) plan(ctx context.Context, item load.Item) (p *plan, fresh, ok bool) {
	if q.kept == nil {
		p, ok = q.run.makePlan(ctx, item)
		return p, ok, ok
	}
	q.mu.Lock()
	k := q.kept[item.Index]
	if mine := k == nil; mine {
		k = &keptPlan{done: make(chan struct{})}
		q.kept[item.Index] = k
		q.mu.Unlock()
		k.plan, ok = q.run.makePlan(ctx, item)
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
	for !q.stopped && (q.planning > 0 || q.room()) {
		q.wake.Wait()
	}
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
	} else {
		s = q.next()
		q.todo = append(q.todo, s)
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
