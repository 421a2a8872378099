package sched

import (
	"context"
	"errors"
	"fmt"
	"time"

	"paceline/core/sample"
)

// maxFailures is how many trajectories of one workload in a row may fail to be planned before the run gives up.
const maxFailures = 100

// user is one slot of the load. Only its own goroutine uses it, once that runs.
type user struct {
	run    *run
	number uint32
	next   *slot         // taken for this user
	talk   *conversation // begun, and not yet played
	free   sample.Offset // when the user had nothing more to wait for
	timer  *time.Timer
	begun  bool // it has had a conversation
}

// play plays one conversation after another until none is left or the run ends.
func (u *user) play(ctx context.Context) {
	r := u.run
	for {
		if u.next != nil && !u.begin() {
			return
		}
		if talk := u.talk; talk != nil { // nil: it could not be played
			u.talk = nil
			talk.play(ctx)
			u.free = talk.free
		}
		if r.isStopped() || !u.wanted() {
			return
		}
		if u.next = r.queue.take(); u.next == nil {
			return
		}
	}
}

// begin starts the conversation of the slot that was taken. It reports whether the user goes on; a conversation that
// cannot be played is over when it returns, and talk is nil.
func (u *user) begin() bool {
	r, s := u.run, u.next
	u.next = nil
	if !u.await(s) {
		r.queue.started()
		return false
	}
	if s.skipped() {
		r.queue.passed(s)
		return true
	}
	arrival := sample.Unset
	if s.err == nil && r.config.Arrivals.Open() {
		arrival = r.start + sample.Offset(s.arrival)
		if !u.wait(arrival) {
			r.queue.started()
			return false
		}
		u.free = arrival
	}
	c := newConversation(u, s, arrival)
	r.queue.started()
	if s.err != nil {
		c.broken(s.err)
		return true
	}
	s.member.failures.Store(0)
	u.talk = c
	return true
}

// await waits for the slot's plan; false: the run ended first.
func (u *user) await(s *slot) bool {
	r := u.run
	select {
	case <-s.ready:
	default:
		began := time.Now()
		select {
		case <-s.ready:
		case <-r.stopped:
			return false
		}
		r.progress.waits.Add(1)
		r.progress.waitNanos.Add(int64(time.Since(began)))
	}
	return s.plan != nil // no plan: planning was stopped
}

// broken ends a conversation whose trajectory could not be had or is refused.
func (c *conversation) broken(err error) {
	r := c.run
	r.invalidate(err)
	if _, failed := errors.AsType[*PlanError](err); failed {
		if n := c.member.failures.Add(1); n == maxFailures {
			r.stop(ReasonFailed, fmt.Sprintf("%d trajectories in a row could not be planned: %v", n, err))
		}
	}
	c.rest(c.from, sample.CausePlugin)
	c.end(&breakOff{state: sample.Broken, why: err.Error()})
}

// wanted waits until the load asks for this user; false: it does not any more, or the run ended first. In open loop users
// are as many as there may be conversations, all the time.
func (u *user) wanted() bool {
	r := u.run
	if !r.config.Users.Changes() {
		return true
	}
	at, again := r.config.Users.Wanted(int(u.number), time.Duration(r.now()-r.start))
	if !again {
		return false
	}
	due := r.start + sample.Offset(at)
	u.free = max(u.free, due)
	return due <= r.now() || u.wait(due)
}

// wait waits until an instant; false: the run ended first.
func (u *user) wait(due sample.Offset) bool { return u.run.wait(&u.timer, due, nil) }

// wait waits until an instant, with a timer that is made when it is first needed; false: the run ended or quit was closed
// first.
func (r *run) wait(timer **time.Timer, due sample.Offset, quit <-chan struct{}) bool {
	at := r.epoch.Add(time.Duration(due))
	if d := time.Until(at) - fineWait; d > 0 {
		if *timer == nil {
			*timer = time.NewTimer(d)
		} else {
			(*timer).Reset(d)
		}
		select {
		case <-(*timer).C:
		case <-r.stopped:
			(*timer).Stop()
			return false
		case <-quit:
			(*timer).Stop()
			return false
		}
	}
	r.waitFine(at)
	return !r.isStopped()
}

// routed is the conversation's id as routing headers tell it: the trajectory's, and from the second pass on with the number
// of the pass.
func routed(id string, repeat uint32) string {
	if repeat == 0 {
		return id
	}
	return fmt.Sprintf("%s__repeat_%d", id, uint64(repeat)+1)
}
