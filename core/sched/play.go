package sched

import (
	"context"
	"errors"
	"sync"
	"time"

	"paceline/core/sample"
)

// prepare waits for the plans ahead and looks whether they can be played.
func (r *run) prepare() error {
	r.queue.settled()
	r.queue.mu.Lock()
	defer r.queue.mu.Unlock()
	if r.queue.fault != nil {
		return r.queue.fault
	}
	for _, s := range r.queue.ahead {
		select {
		case <-s.ready:
		default:
			continue // planning was stopped
		}
		if refused, ok := errors.AsType[*RefusedError](s.err); ok {
			return refused
		}
	}
	return nil
}

// play is the load: from the start of the first conversation to the end of the last. The end of ctx stops the sending,
// that of turns cuts what is open.
func (r *run) play(ctx, turns context.Context, stopPlanning context.CancelFunc) {
	if ctx.Err() != nil {
		r.stop(ReasonInterrupted, "")
		return
	}
	users := make([]*user, 0, r.config.Users.Max())
	asked := r.config.Users.Users(0)
	for i := range r.config.Users.Max() {
		if i >= asked {
			users = append(users, &user{run: r, number: uint32(i)})
			continue
		}
		s := r.queue.take()
		if s == nil {
			break
		}
		users = append(users, &user{run: r, number: uint32(i), next: s})
	}
	r.prepareFirst(users)
	r.start = r.now()
	r.result.Start = r.start
	r.progress.follow(r.config.Users, r.epoch.Add(time.Duration(r.start)))
	if r.config.Warmup != (Warmup{}) {
		r.phases.enter(sample.Warmup, r.start)
	}
	if r.config.Warmup == (Warmup{}) || r.config.Warmup.For == 0 && r.warming.Load() <= 0 {
		r.measure(r.start)
	}
	for _, u := range users {
		u.free = r.start
		if u.next != nil && !r.config.Arrivals.Open() {
			u.begin()
		}
	}
	var playing, watching sync.WaitGroup
	over := make(chan struct{})
	watching.Go(func() { r.supervise(ctx, over, stopPlanning) })
	for _, u := range users {
		playing.Go(func() { u.play(turns) })
	}
	playing.Wait()
	close(over)
	watching.Wait()
}

// measure ends the warm-up.
func (r *run) measure(at sample.Offset) {
	if r.phases.enter(sample.Measure, at) {
		close(r.measuring)
	}
}

// stop ends the sending of new turns. The first reason stays, but that open turns were cut.
func (r *run) stop(reason Reason, cause string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.result.Reason == "" {
		r.phases.enter(sample.Drain, r.now())
		close(r.stopped)
		r.result.Reason, r.result.Cause = reason, cause
	}
	if reason == ReasonAborted {
		r.result.Reason = reason
	}
}

func (r *run) isStopped() bool {
	select {
	case <-r.stopped:
		return true
	default:
		return false
	}
}

func (r *run) invalidate(err error) {
	r.mu.Lock()
	r.result.invalidate(err)
	r.mu.Unlock()
}
