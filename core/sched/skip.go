package sched

import (
	"fmt"
	"slices"

	"paceline/core/sample"
)

// maxSkipped is how many trajectories in a row may be skipped before the run gives up.
const maxSkipped = 1000

// skips reports whether trajectories may turn out not to be started.
func (x *Reach) skips() bool { return x.MaxContext > 0 && x.Over != Fail }

// skipped reports whether no conversation plays the slot's trajectory.
func (s *slot) skipped() bool { return s.plan != nil && s.plan.skipped != nil }

// leave takes a skipped slot out of those ahead, so that the next one takes its place. The queue must be locked.
func (q *queue) leave(s *slot) {
	if i := slices.Index(q.ahead, s); i >= 0 {
		q.ahead = slices.Delete(q.ahead, i, i+1)
	}
	if s.member.Info.Trajectories == 0 { // of those that have an end a pass is as long as it is
		q.cursor.Grow(1)
	}
	q.run.cooler(s)
	if q.row == maxSkipped && q.fault == nil {
		q.fault = fmt.Errorf("workload %s: %d trajectories in a row exceed the longest context of %d tokens; trajectory %q, turn %d: %d",
			s.member.Workload, q.row, q.run.config.Reach.MaxContext, s.plan.trajectory.ID, s.plan.skipped.Turn, s.plan.skipped.Tokens)
		q.stopped = true
		q.run.gaveUp(q.fault)
	}
}

// passed says that a taken slot was skipped.
func (q *queue) passed(s *slot) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.starting--
	if s.counted {
		q.measured--
	}
}

// cooler takes a skipped slot out of a warm-up by count.
func (r *run) cooler(s *slot) {
	if s.item.Number < r.config.Warmup.Conversations && r.warming.Add(-1) == 0 && r.phases.current() == sample.Warmup {
		r.measure(r.now())
	}
}

// gaveUp ends a run that has begun.
func (r *run) gaveUp(err error) {
	if r.phases.current() != sample.Prepare {
		r.invalidate(err)
		r.stop(ReasonFailed, err.Error())
	}
}
