package sched_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// TestProperties plays random workloads against random targets, and checks what must hold whatever happens; bench.audit
// checks the accounts of every conversation on top.
func TestProperties(t *testing.T) {
	seeds := 300
	if testing.Short() {
		seeds = 60
	}
	for seed := range seeds {
		t.Logf("seed %d", seed)
		synctest.Test(t, func(t *testing.T) { property(t, rand.New(rand.NewPCG(uint64(seed), 1))) })
	}
}

func millis(r *rand.Rand, most int) time.Duration { return time.Duration(r.IntN(most+1)) * ms }

func property(t *testing.T, r *rand.Rand) {
	b := bench{source: &source{delay: millis(r, 40)}}
	for i := range 1 + r.IntN(12) {
		delays := make([]time.Duration, 1+r.IntN(6))
		for k := range delays {
			delays[k] = millis(r, 1+r.IntN(300))
		}
		b.list = append(b.list, talk(fmt.Sprintf("t%d", i), delays...))
	}
	n := 1 + r.IntN(6)
	b.Users, b.Shuffle, b.Seed = users(n), r.IntN(2) == 0, r.Uint64()
	b.Budget = uint64(1 + r.IntN(3*len(b.list)))
	b.Info.Fixed = r.IntN(2) == 0
	b.Prefetch = sched.Prefetch{Depth: r.IntN(6), Planners: r.IntN(4), Bytes: int64(r.IntN(2000))}
	b.TurnTimeout = 400 * ms
	if r.IntN(3) == 0 {
		b.MaxDelay = millis(r, 100)
	}
	if r.IntN(3) == 0 {
		b.Duration, b.Grace = ms+millis(r, 3000), millis(r, 300)-100*ms
	}
	switch r.IntN(3) {
	case 0:
		b.Warmup.Conversations = uint64(r.IntN(8))
	case 1:
		b.Warmup.For = millis(r, 1000)
	}
	if b.Warmup.For == 0 && r.IntN(4) == 0 {
		open(t, &b, r)
	}
	b.StopOnFirstIdle = r.IntN(5) == 0
	failing := r.IntN(8)
	if failing == 0 {
		b.source.fail = func(index uint64, call int) error {
			if index%3 == 1 {
				return errBroken
			}
			return nil
		}
	}
	if r.IntN(4) == 0 {
		var cancel context.CancelFunc
		b.ctx, cancel = context.WithCancel(t.Context())
		b.abort = make(chan struct{})
		first := millis(r, 2000)
		time.AfterFunc(first, cancel)
		time.AfterFunc(first+millis(r, 500), func() { close(b.abort) })
	}
	w := watcher{most: n, open: map[string]bool{}, random: r}
	b.serve = w.serve
	result := b.must(t)
	if b.ctx != t.Context() {
		time.Sleep(3 * time.Second) // let the signals pass, whatever became of them
	}
	checkDue(t, &b, result)
	checkTotals(t, &b, result)
	for _, fault := range w.faults {
		t.Error(fault)
	}
}

// open makes the run an open loop of random arrivals.
func open(t *testing.T, b *bench, r *rand.Rand) {
	var times []time.Duration
	next := time.Duration(0)
	for range b.Budget + b.Warmup.Conversations {
		next += millis(r, 200)
		times = append(times, next)
	}
	var err error
	if b.Arrivals, err = load.Fixed(times); err != nil {
		t.Fatal(err)
	}
}

// watcher is a target that sees what is in flight.
type watcher struct {
	most   int
	mu     sync.Mutex
	open   map[string]bool
	random *rand.Rand
	faults []string
}

func (w *watcher) serve(ctx context.Context, c *call) {
	id := c.header("X-Session-Id")
	w.mu.Lock()
	if w.open[id] {
		w.faults = append(w.faults, "two turns of "+id+" in flight")
	}
	w.open[id] = true
	if len(w.open) > w.most {
		w.faults = append(w.faults, fmt.Sprintf("%d turns in flight with %d users", len(w.open), w.most))
	}
	wait, fate := millis(w.random, 500), w.random.IntN(20)
	w.mu.Unlock()
	ok := c.sleep(ctx, wait)
	w.mu.Lock()
	delete(w.open, id)
	w.mu.Unlock()
	switch {
	case !ok:
	case fate == 0:
		c.fail(sample.Reset)
	case fate == 1:
		c.fail(sample.ContextOverflow)
	case fate == 2:
		c.x.Outcome = sample.ConnectRefused // and no Done
	default:
		c.answer(plainAnswer)
	}
}

// checkDue checks that Due is what the plan says: the end of what the turn waits for and its delay.
func checkDue(t *testing.T, b *bench, result sched.Result) {
	t.Helper()
	plans := map[string]*trajectory.Trajectory{}
	for _, tr := range b.list {
		plans[tr.ID] = tr
	}
	start := map[sample.ID]sample.Conversation{}
	for _, c := range b.recorder.started {
		start[c.ID] = c
	}
	last := map[sample.ID]sample.Sample{}
	free := map[uint32]sample.Offset{} // by user
	for _, s := range b.recorder.samples {
		if !s.Timing.Sent.Set() {
			continue
		}
		delay := plans[s.Trajectory].Turns[s.Turn].Delay
		if b.MaxDelay > 0 && delay > b.MaxDelay {
			if s.DelayCut != delay-b.MaxDelay {
				t.Errorf("%v: %v of its delay cut", s.ID, s.DelayCut)
			}
			delay = b.MaxDelay
		}
		before, begun := last[s.Conversation()]
		last[s.Conversation()] = s
		base := before.Timing.Done
		switch arrival := start[s.Conversation()].Arrival; {
		case begun:
		case b.Arrivals.Open():
			base = arrival
		default:
			base = max(free[s.User], result.Start)
		}
		if want := base + sample.Offset(delay); s.Timing.Due != want {
			t.Errorf("%v: due %v, want %v", s.ID, time.Duration(s.Timing.Due), time.Duration(want))
		}
		if s.Timing.Sent < s.Timing.Due {
			t.Errorf("%v: sent before it was due", s.ID)
		}
		free[s.User] = s.Timing.Done
		if !s.Timing.Done.Set() {
			free[s.User] = sample.Unset
			for _, c := range b.recorder.ended {
				if c.ID == s.Conversation() {
					free[s.User] = c.End
				}
			}
		}
	}
}

// checkTotals checks that what was to be started was, and when the run ended.
func checkTotals(t *testing.T, b *bench, result sched.Result) {
	t.Helper()
	n := result.Counts
	if all := n.TurnsOK + n.TurnsFailed + n.TurnsCancelled + n.TurnsNotSent; all != int64(len(b.recorder.samples)) || all != n.TurnsPlanned {
		t.Errorf("%d samples; counts %+v", len(b.recorder.samples), n)
	}
	if int64(len(b.recorder.sent)) != n.TurnsSent {
		t.Errorf("%d turns recorded as sent, %d counted", len(b.recorder.sent), n.TurnsSent)
	}
	started := uint64(len(b.recorder.started))
	if result.Reason == sched.ReasonComplete && !b.StopOnFirstIdle {
		want := b.Budget + b.Warmup.Conversations
		if started < want || b.Warmup.For == 0 && started > want {
			t.Errorf("%d conversations started, %d asked for", started, want)
		}
		if n.TurnsCancelled > 0 {
			t.Errorf("complete, and %d turns cancelled", n.TurnsCancelled)
		}
	}
	if b.Duration > 0 {
		limit := time.Duration(max(result.Measure, result.Start)) + b.Duration + max(b.Grace, 0)
		if b.Warmup.Conversations > 0 && !result.Measure.Set() {
			limit = time.Duration(result.Start) + 2*b.Duration + max(b.Grace, 0)
		}
		if b.Warmup.For > 0 {
			limit = time.Duration(result.Start) + b.Warmup.For + b.Duration + max(b.Grace, 0)
		}
		if b.Grace == 0 {
			limit += sched.DefaultGrace
		}
		if time.Duration(result.End) > limit+2*ms { // the last stretch of a wait is not cut short
			t.Errorf("ended at %v, limit %v", time.Duration(result.End), limit)
		}
	}
}
