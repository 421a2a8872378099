package host

import (
	"fmt"
	"sync"
	"time"

	"paceline/plugins/lock"
)

// bounds are the limits of one call.
type bounds struct {
	cpu    time.Duration
	wall   time.Duration
	memory int64 // resident memory of the worker, in bytes
}

// within gives the bounds of a limit of CPU time. A worker has the lowest priority, so on a busy machine a little CPU time
// takes seconds: below its least value the limit on the wall clock would take a slow machine for a hung guest.
func within(cpu time.Duration, memory int64) bounds {
	return bounds{cpu: cpu, wall: max(cpu*lock.WallFactor, lock.WallLeast), memory: memory}
}

// watch kills a worker whose call passes its bounds. Between calls it does nothing, and a call shorter than the first
// look costs one timer.
type watch struct {
	p *process

	mu      sync.Mutex
	active  bool
	call    uint64 // number of the call
	bounds  bounds
	started time.Time
	cpu     time.Duration // at the start of the call
	timer   *time.Timer
	verdict *Error // why the process was killed; nil while it was not
}

// The first looks come quickly, since a guest can take gigabytes in a second; later ones a little slower.
const (
	firstLook = 5 * time.Millisecond
	laterLook = 20 * time.Millisecond
	lookLater = time.Second
)

func newWatch(p *process) *watch {
	w := &watch{p: p}
	w.timer = time.AfterFunc(time.Hour, w.look)
	w.timer.Stop()
	return w
}

// begin starts watching a call and gives its number.
func (w *watch) begin(b bounds) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active, w.bounds, w.started = true, b, time.Now()
	w.cpu, _ = cpuTime(w.p.pid())
	w.timer.Reset(firstLook)
	w.call++
	return w.call
}

// end stops watching and tells why the process was killed, if it was.
func (w *watch) end() *Error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.active = false
	w.timer.Stop()
	return w.verdict
}

// condemn kills the process for a reason of the caller's while that call runs; once it has ended, nothing happens.
func (w *watch) condemn(call uint64, why *Error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.active && w.call == call {
		w.kill(why)
	}
}

// condemned reports whether the process was killed by this watch.
func (w *watch) condemned() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.verdict != nil
}

func (w *watch) kill(why *Error) {
	if w.verdict == nil {
		w.verdict = why
	}
	w.p.kill()
}

// look compares a running call with its bounds.
func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.active {
		return
	}
	passed := time.Since(w.started)
	var used time.Duration
	if now, ok := cpuTime(w.p.pid()); ok {
		used = now - w.cpu
	}
	resident, _ := residentMemory(w.p.pid())
	switch {
	case used > w.bounds.cpu:
		w.kill(&Error{Cause: Timeout, Limit: w.bounds.cpu.String(), Found: used.Round(time.Millisecond).String()})
	case passed > w.bounds.wall:
		w.kill(&Error{Cause: WallTimeout, Limit: w.bounds.wall.String(), Found: used.Round(time.Millisecond).String()})
	case resident > w.bounds.memory:
		w.kill(&Error{Cause: Memory, Limit: mebibytes(w.bounds.memory) + " for the worker process", Found: mebibytes(resident)})
	case passed < lookLater:
		w.timer.Reset(firstLook)
	default:
		w.timer.Reset(laterLook)
	}
}

func mebibytes(n int64) string { return fmt.Sprintf("%d MiB", n>>20) }
