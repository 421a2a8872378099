package sched

import (
	"context"
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"

	"paceline/core/load"
)

// Bounds of the pool that users' first trajectories are drawn from.
const (
	poolPerUser = 8
	poolBeyond  = 1000 // more than there are users
)

// place is a conversation to come, before anybody asks for it.
type place struct {
	member int
	item   load.Item
	span   uint64 // planned time of its trajectory
}

// draft draws the trajectories that users begin with where they begin inside: in the middle of a long run a user is in a long
// trajectory more often than in a short one, in proportion to their times. Each user in turn draws one of those left of the
// first few per user in the run's order. The others follow in their order; of a workload without an end they are left out, as
// if they had been played before.
//
// A plan that is made here is not kept, and not recorded: only its time is.
func (r *run) draft(ctx context.Context) error {
	users := r.config.Users.Users(0)
	if !r.config.Reach.Spread || users < 1 || slices.ContainsFunc(r.members, func(m *member) bool { return m.Info.Live }) {
		return nil
	}
	q := r.queue
	pool := q.pull(min(poolPerUser*users, users+poolBeyond))
	if err := r.measureSpans(ctx, pool); err != nil {
		return err
	}
	for u := range int(min(uint64(users), uint64(len(pool)), r.config.total())) {
		i := drawPlace(pool, positions(r.config.Seed, uint32(u)).choice)
		q.places = append(q.places, pool[i])
		pool = slices.Delete(pool, i, i+1)
	}
	for _, p := range pool {
		if !q.endless(p.member) {
			q.places = append(q.places, p)
		}
	}
	for i := range q.places {
		q.places[i].item.Number = uint64(i)
		if q.endless(q.places[i].member) {
			q.cursor.Grow(-1)
		}
	}
	q.renumber = uint64(len(q.places))
	return nil
}

// pull takes conversations off the run's order; those of workloads without an end are not yet counted as started.
func (q *queue) pull(n int) []place {
	var list []place
	for len(list) < n && !q.cursor.Done() {
		member, item, _ := q.cursor.Next()
		list = append(list, place{member: member, item: item})
		if q.endless(member) {
			q.cursor.Grow(1)
		}
	}
	return list
}

// endless reports whether a workload makes as many trajectories as asked for.
func (q *queue) endless(member int) bool { return q.run.members[member].Info.Trajectories == 0 }

// measureSpans plans trajectories for their time. One that cannot be planned or is not played has none.
func (r *run) measureSpans(ctx context.Context, pool []place) error {
	need := r.need
	need.Recorder, need.Progress = nobody{}, nil
	shadow, err := newRun(need, r.config, r.epoch)
	if err != nil {
		return err
	}
	var next atomic.Int64
	var workers sync.WaitGroup
	for range r.config.Prefetch.Planners {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(pool)); i = next.Add(1) - 1 {
				p, ok := shadow.makePlan(ctx, shadow.members[pool[i].member], pool[i].item)
				if !ok {
					return
				}
				if p.err == nil && p.skipped == nil {
					_, pool[i].span = shadow.spans(p)
				}
			}
		})
	}
	workers.Wait()
	return nil // where ctx ended, so does the run
}

// drawPlace draws a place in proportion to spans.
func drawPlace(pool []place, random uint64) int {
	var sum uint64
	for i := range pool {
		sum += pool[i].span >> 16 // of thousands of trajectories, each below 2^64
	}
	at, _ := bits.Mul64(random, sum)
	for i := range pool {
		if span := pool[i].span >> 16; at >= span {
			at -= span
			continue
		}
		return i
	}
	return 0
}
