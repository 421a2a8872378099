package sched

import (
	"context"
	"slices"

	"paceline/core/load"
)

func (q *queue) work(ctx context.Context, m *member) {
	for s := q.claim(m); s != nil; s = q.claim(m) {
		fresh := q.fill(ctx, s)
		q.mu.Lock()
		q.planning--
		q.row++
		if s.skipped() {
			q.leave(s)
		} else if q.row = 0; fresh && !s.taken {
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
		if q.handedOut() && len(m.todo)+len(m.pending) == 0 && !q.run.config.Reach.skips() {
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
	return !q.handedOut() && n < q.run.config.Prefetch.Depth && q.holds(n)
}

// fits reports whether a slot that is ahead may be planned now.
func (q *queue) fits(s *slot) bool { return q.holds(slices.Index(q.ahead, s)) }

// holds reports whether a plan at a place ahead may be made: the first ones whatever their size.
func (q *queue) holds(place int) bool {
	return place < q.least || q.bytes < q.run.config.Prefetch.Bytes
}

// next is the next slot in order; not all must be handed out.
func (q *queue) next() *slot {
	if len(q.places) > 0 {
		p := q.places[0]
		q.places = q.places[1:]
		return q.slot(p.member, p.item)
	}
	member, item, _ := q.cursor.Next()
	if q.renumber > 0 {
		item.Number = q.renumber
		q.renumber++
	}
	return q.slot(member, item)
}

func (q *queue) slot(member int, item load.Item) *slot {
	m := q.run.members[member]
	return &slot{item: item, member: m, target: m.dealt(), ready: make(chan struct{})}
}

// handedOut reports whether no conversation is left in the run's order.
func (q *queue) handedOut() bool { return len(q.places) == 0 && q.cursor.Done() }

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
	if s.skipped() {
		return fresh
	}
	t := p.trajectory
	if s.arrival, s.err = q.run.config.Arrivals.At(s.item, t.StartOffset); s.err == nil {
		s.texts, s.salted, s.err = q.run.salted(s.member, p, s.item.Repeat)
	}
	if s.err == nil && q.run.config.Reach.Last {
		s.talk, s.err = q.run.conversation(s, q.run.part(p))
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
