package sched

import (
	"context"
	"errors"
	"fmt"
	"net/textproto"
	"sync"
	"sync/atomic"
	"time"

	"paceline/core/chat"
	"paceline/core/filler"
	"paceline/core/sample"
)

// run is one run in progress.
type run struct {
	need     Needs
	config   Config
	epoch    time.Time
	progress *Progress
	salter   *chat.Salter
	composer *filler.Composer
	lengths  filler.Lengths // the composer's
	headers  []string       // canonical names of the routing headers
	members  []*member      // in the order of the mix
	queue    *queue
	phases   phases
	fine     chan struct{} // held by the one goroutine that waits in the kernel

	cut       context.CancelCauseFunc // ends the context of all turns
	stopped   chan struct{}           // closed: no new turn is sent
	measuring chan struct{}           // closed: the warm-up is over
	start     sample.Offset
	warming   atomic.Int64 // conversations of the warm-up that have not ended

	mu     sync.Mutex
	result Result
}

// Run plays the workloads and returns when the last conversation has ended and every goroutine of the run is gone. Offsets
// count from epoch, which the Issuer was made with too. Run records the phase prepare when it begins.
//
// The end of ctx stops the run: no new turn is sent, turns in flight have the configured grace. Needs.Abort cuts them at
// once. Neither is an error. An error means that nothing was sent: the configuration is faulty, or a trajectory that was
// planned ahead is refused (a *RefusedError). A trajectory that is refused later, or cannot be planned, makes a broken
// conversation, and the result tells why the run is not valid.
func Run(ctx context.Context, need Needs, c Config, epoch time.Time) (Result, error) {
	if err := errors.Join(c.Check(), need.check(&c)); err != nil {
		return Result{}, fmt.Errorf("check load: %w", err)
	}
	r, err := newRun(need, c.withDefaults(), epoch)
	if err != nil {
		return Result{}, err
	}
	begun := r.now()
	r.phases.enter(sample.Prepare, begun)
	turns, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	r.cut = cut
	defer cut(nil)

	planning, stopPlanning := context.WithCancel(ctx)
	if err := r.draft(planning); err != nil {
		stopPlanning()
		return Result{}, fmt.Errorf("prepare load: %w", err)
	}
	stop := r.queue.start(planning)
	defer stop()
	defer stopPlanning()
	if err := r.prepare(); err != nil {
		return Result{}, fmt.Errorf("prepare load: %w", err)
	}
	r.result.Prepared = time.Duration(r.now() - begun)
	r.play(ctx, turns, stopPlanning)
	stop()
	return r.finish(), nil
}

func newRun(need Needs, c Config, epoch time.Time) (*run, error) {
	salter, err := chat.NewSalter(c.Salt, c.Seed)
	if err != nil {
		return nil, err
	}
	composer, err := filler.New(c.Seed, c.lengths())
	if err != nil {
		return nil, err
	}
	r := &run{
		need: need, config: c, epoch: epoch, progress: need.Progress, salter: salter, composer: composer, lengths: composer.Lengths(),
		fine: make(chan struct{}, 1), stopped: make(chan struct{}), measuring: make(chan struct{}),
		result: Result{Start: sample.Unset, Measure: sample.Unset, Drain: sample.Unset, End: sample.Unset},
	}
	if r.progress == nil {
		r.progress = new(Progress)
	}
	for _, name := range c.RoutingHeaders {
		r.headers = append(r.headers, textproto.CanonicalMIMEHeaderKey(name))
	}
	r.phases.init(need.Recorder)
	r.warming.Store(int64(c.Warmup.Conversations))
	r.members = newMembers(&r.config, &r.need)
	r.queue = newQueue(r)
	r.progress.begin(&r.config)
	return r, nil
}

func (r *run) now() sample.Offset { return sample.At(r.epoch, time.Now()) }

func (r *run) finish() Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.result.Reason == "" {
		r.result.Reason = ReasonComplete
	}
	r.result.Measure, r.result.Drain = r.phases.beganAt(sample.Measure), r.phases.beganAt(sample.Drain)
	r.result.Counts = r.progress.Counts()
	return r.result
}
