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

// Needs is what a run works with.
type Needs struct {
	Source    Source
	Folder    Folder            // live workloads only
	Workloads map[string]Supply // in place of both, of a mix: by the workloads' names
	Issuer    Issuer
	Issuers   []Issuer // in place of it, of a run with several targets: in their order
	Recorder  Recorder
	Progress  *Progress       // nil: nobody looks on
	Abort     <-chan struct{} // closed: cut open turns at once; nil: never
}

func (n *Needs) check(c *Config) error {
	var errs []error
	if n.Recorder == nil {
		errs = append(errs, errors.New("a recorder is needed"))
	}
	errs = append(errs, n.checkIssuers(c))
	for _, m := range c.members() {
		s := n.supply(c, m.Workload)
		if s.Source == nil {
			errs = append(errs, fmt.Errorf("workload %s: a source is needed", m.Workload))
		}
		if m.Info.Live && s.Folder == nil {
			errs = append(errs, fmt.Errorf("workload %s: a live workload needs a folder", m.Workload))
		}
	}
	return errors.Join(errs...)
}

// supply is where the trajectories of a workload come from.
func (n *Needs) supply(c *Config, workload string) Supply {
	if c.mixed() {
		return n.Workloads[workload]
	}
	return Supply{n.Source, n.Folder}
}

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
	r.members = newMembers(&r.config, &r.need)
	r.queue = newQueue(r)
	r.progress.begin(&r.config)
	return r, nil
}

func (r *run) now() sample.Offset { return sample.At(r.epoch, time.Now()) }

// prepare waits for the plans ahead and looks whether they can be played.
func (r *run) prepare() error {
	r.queue.settled()
	r.queue.mu.Lock()
	defer r.queue.mu.Unlock()
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
	r.start = r.now()
	r.result.Start = r.start
	r.progress.follow(r.config.Users, r.epoch.Add(time.Duration(r.start)))
	r.warming.Store(int64(r.config.Warmup.Conversations))
	if r.config.Warmup != (Warmup{}) {
		r.phases.enter(sample.Warmup, r.start)
	} else {
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
