package sched

import (
	"context"
	"errors"
	"time"

	"paceline/core/sample"
)

// Causes of cut turns, as context.Cause of a turn's context tells them.
var (
	// ErrGraceOver says that the run had ended and the turn did not come to its end in time.
	ErrGraceOver = errors.New("the run ended, and so did its grace time")
	// ErrAborted says that the run was told to cut open turns.
	ErrAborted = errors.New("the run was aborted")
)

// supervise watches limits and signals until over is closed. It alone ends the turns' context.
func (r *run) supervise(ctx context.Context, over <-chan struct{}, stopPlanning context.CancelFunc) {
	defer stopPlanning()
	if !r.watch(ctx, over) {
		return
	}
	stopPlanning()
	grace := time.NewTimer(r.config.Grace)
	defer grace.Stop()
	select {
	case <-over:
	case <-grace.C:
		r.cut(ErrGraceOver)
	case <-r.need.Abort:
		r.stop(ReasonAborted, "")
		r.cut(ErrAborted)
	}
}

// watch waits until no new turn may be sent; false: everything was played.
func (r *run) watch(ctx context.Context, over <-chan struct{}) bool {
	var warm, limit <-chan time.Time
	if d := r.config.Warmup.For; d > 0 {
		t := time.NewTimer(d)
		defer t.Stop()
		warm = t.C
	}
	timer := r.limitTimer()
	if timer != nil {
		defer timer.Stop()
		limit = timer.C
	}
	measuring := r.measuring
	for {
		select {
		case <-over:
			if ctx.Err() != nil {
				r.stop(ReasonInterrupted, "")
			}
			return false
		case <-r.stopped:
			return true
		case <-ctx.Done():
			r.stop(ReasonInterrupted, "")
		case <-r.need.Abort:
			r.stop(ReasonAborted, "")
		case <-limit:
			r.stop(ReasonDuration, "")
		case <-warm:
			r.measure(r.start + sample.Offset(r.config.Warmup.For))
		case <-measuring:
			measuring = nil
			if timer != nil {
				timer.Reset(r.untilLimit(r.phases.beganAt(sample.Measure)))
			}
		}
	}
}

// limitTimer is the timer of Duration, nil where there is none. It is set again when measuring begins.
func (r *run) limitTimer() *time.Timer {
	if r.config.Duration == 0 {
		return nil
	}
	return time.NewTimer(r.untilLimit(r.start) + r.config.Warmup.For)
}

func (r *run) untilLimit(from sample.Offset) time.Duration {
	return time.Until(r.epoch.Add(time.Duration(from) + r.config.Duration))
}
