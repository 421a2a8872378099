package sched

import (
	"sync"
	"sync/atomic"

	"paceline/core/sample"
)

// phases keeps the run's phase. Phases only go forward, and so do their instants.
type phases struct {
	recorder Recorder
	now      atomic.Int32 // rank of the current phase

	mu    sync.Mutex
	last  sample.Offset
	began [4]sample.Offset // by rank
}

func (p *phases) init(r Recorder) {
	p.recorder, p.last = r, 0
	for i := range p.began {
		p.began[i] = sample.Unset
	}
	p.now.Store(-1)
}

func rank(p sample.Phase) int32 {
	switch p {
	case sample.Prepare:
		return 0
	case sample.Warmup:
		return 1
	case sample.Measure:
		return 2
	default:
		return 3
	}
}

// current returns the phase without waiting for anybody.
func (p *phases) current() sample.Phase {
	switch p.now.Load() {
	case 1:
		return sample.Warmup
	case 2:
		return sample.Measure
	case 3:
		return sample.Drain
	default:
		return sample.Prepare
	}
}

// enter begins a phase at an instant, unless the run is in it or beyond it. It reports whether it did.
func (p *phases) enter(phase sample.Phase, at sample.Offset) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	k := rank(phase)
	if p.now.Load() >= k {
		return false
	}
	at = max(at, p.last)
	p.last, p.began[k] = at, at
	p.now.Store(k)
	p.recorder.Phase(phase, at)
	return true
}

func (p *phases) beganAt(phase sample.Phase) sample.Offset {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.began[rank(phase)]
}
