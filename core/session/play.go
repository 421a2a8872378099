package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/verdict"
)

// Play makes the run folder, probes the target, plays the load and closes the journal. What was recorded stays valid
// whatever happens; an error says why the run could not be played or recorded to its end.
func Play(ctx context.Context, plan *Plan, parts *Parts) (*Played, error) {
	if err := plan.Sched.Check(); err != nil {
		return nil, fmt.Errorf("check plan: %w", err)
	}
	played := &Played{Preflight: map[string][]verdict.Finding{}}
	facts := probe(ctx, parts, false)
	if err := preflight(ctx, plan, parts, facts, played); err != nil {
		return nil, err
	}
	w, err := open(plan, parts.Epoch)
	if err != nil {
		return nil, err
	}
	if parts.OnHead != nil {
		parts.OnHead(w.Head())
	}
	for _, f := range facts {
		w.Fact(f, sample.At(parts.Epoch, time.Now()))
	}
	silent := &silentTurns{now: func() sample.Offset { return sample.At(parts.Epoch, time.Now()) }}
	told := meter(ctx, parts, w)
	played.Result, err = load(ctx, plan, parts, w, silent)
	told.end(ctx, parts.Abort)
	if err == nil {
		if plan.Recheck {
			silent.recheck(ctx, w)
		}
		for _, f := range probe(context.WithoutCancel(ctx), parts, true) {
			w.Fact(f, sample.At(parts.Epoch, time.Now()))
		}
	}
	ending := journal.Ending{
		At: sample.At(parts.Epoch, time.Now()), Reason: journal.Reason(played.Result.Reason),
		Cause: played.Result.Cause, PlanNanos: int64(played.Result.Prepared),
	}
	if err != nil && ending.Reason == "" {
		ending.Reason, ending.Cause = journal.ReasonFailed, err.Error()
	}
	closing := w.Close(ending)
	played.Lost = w.Lost()
	if err != nil && played.Result.Reason == "" { // refused before anything was sent: nothing is worth keeping
		return nil, errors.Join(err, journal.Discard(plan.Dir))
	}
	if closing != nil {
		closing = fmt.Errorf("%w (%d records lost)", closing, played.Lost)
	}
	return played, errors.Join(err, closing)
}

// open makes the run folder with everything that is known beforehand.
func open(plan *Plan, epoch time.Time) (*journal.Writer, error) {
	if err := journal.Create(plan.Dir); err != nil {
		return nil, err
	}
	head := journal.Head{Run: plan.Config.Run, Epoch: epoch, Attempt: plan.Sched.Attempt, Build: plan.Config.Build.Version}
	if plan.Lock != nil {
		sum := digest.Of(plan.Lock)
		head.Lock = &sum
		err := journal.WriteWhole(filepath.Join(plan.Dir, journal.LockFile), func(w io.Writer) error {
			_, err := w.Write(plan.Lock)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	sum, err := journal.WriteRunConfig(plan.Dir, &plan.Config)
	if err != nil {
		return nil, err
	}
	head.RunConfig = sum
	return journal.NewWriter(plan.Dir, journal.Options{Head: head, Workload: plan.Sched.Workload})
}

// recorder is the journal, with an eye on the phase and on silent turns.
type recorder struct {
	*journal.Writer
	silent  *silentTurns
	phase   atomic.Pointer[sample.Phase]
	onPhase func(sample.Phase)
}

// Phase implements sched.Recorder.
func (r *recorder) Phase(p sample.Phase, at sample.Offset) {
	r.phase.Store(&p)
	r.Writer.Phase(p, at)
	if r.onPhase != nil {
		r.onPhase(p)
	}
}

// Sampled implements sched.Recorder.
func (r *recorder) Sampled(s *sample.Sample) {
	r.silent.name(s)
	r.Writer.Sampled(s)
}

func (r *recorder) current() sample.Phase {
	if p := r.phase.Load(); p != nil {
		return *p
	}
	return sample.Prepare
}

func load(ctx context.Context, plan *Plan, parts *Parts, w *journal.Writer, silent *silentTurns) (sched.Result, error) {
	r := &recorder{Writer: w, onPhase: parts.OnPhase, silent: silent}
	progress := parts.Progress
	if progress == nil {
		progress = &sched.Progress{}
	}
	stop := make(chan struct{})
	var looking sync.WaitGroup
	looking.Go(func() { watch(r, parts, progress, stop) })
	needs := sched.Needs{
		Source: parts.Source, Folder: parts.Folder, Workloads: parts.Workloads, Recorder: r, Progress: progress, Abort: parts.Abort,
	}
	parts.asked(&needs, silent)
	result, err := sched.Run(ctx, needs, plan.Sched, parts.Epoch)
	close(stop)
	looking.Wait()
	return result, err
}

// watch records one look of the client at itself each second, and one at the end.
func watch(r *recorder, parts *Parts, progress *sched.Progress, stop <-chan struct{}) {
	c := newClient()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	r.Checked(check(c, r, parts, progress))
	for {
		select {
		case <-tick.C:
			r.Checked(check(c, r, parts, progress))
		case <-stop:
			r.Checked(check(c, r, parts, progress))
			return
		}
	}
}

func check(c *client, r *recorder, parts *Parts, progress *sched.Progress) sample.SelfCheck {
	n, l := progress.Counts(), c.look()
	s := sample.SelfCheck{
		At: sample.At(parts.Epoch, time.Now()), Phase: r.current(),
		Users: int(n.Users), InFlight: int(n.InFlight), Asked: int(n.Asked),
		CPUNanos: int64(l.cpu), GCPauseNanos: int64(l.gcPause), GCPauseMaxNanos: int64(l.gcPauseMax),
		SchedLatMaxNanos: int64(l.waitMax), HeapBytes: l.heap,
		JournalQueue: r.QueueBytes(), JournalLost: r.Lost(),
		PlanWaits: n.PlanWaits, PlanWaitNanos: n.PlanWaitNanos, ClientNanos: n.ClientNanos, Turns: n.TurnsSent,
	}
	if parts.WorkerCPU != nil {
		s.WorkerCPUNanos = int64(parts.WorkerCPU())
	}
	return s
}
