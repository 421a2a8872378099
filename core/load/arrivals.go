package load

import (
	"fmt"
	"slices"
	"time"
)

// Arrivals says when conversations start, as times since the start of the load. The zero Arrivals are none: users start
// the next conversation as soon as they are free (closed loop).
type Arrivals struct {
	kind    arrivalKind
	times   []time.Duration
	process *process
	size    uint64 // of a burst
	every   time.Duration
}

type arrivalKind uint8

const (
	none arrivalKind = iota
	fixed
	recorded
	byLaw
	inBursts
)

// Fixed returns arrivals at the given times: conversation k arrives at times[k]. The list is copied. Times that are
// negative or go back are an error.
func Fixed(times []time.Duration) (Arrivals, error) {
	for i, t := range times {
		if t < 0 {
			return Arrivals{}, fmt.Errorf("arrival %d: %v lies before the start of the load", i, t)
		}
		if i > 0 && t < times[i-1] {
			return Arrivals{}, fmt.Errorf("arrival %d: %v lies before arrival %d at %v", i, t, i-1, times[i-1])
		}
	}
	return Arrivals{kind: fixed, times: slices.Clone(times)}, nil
}

// Drawn returns arrivals without end at a rate: their gaps follow the law around a mean that changes with the rate, so that a
// law at rate 1, seen through the integral of the rate, is the law. The level of the last stage holds on behind it; where that is
// 0, later arrivals never come. The stages must have passed CheckStages.
func Drawn(law Law, rate []Stage, root uint64) Arrivals {
	return Arrivals{kind: byLaw, process: newProcess(law, rate, root)}
}

// MaxBurst is the largest burst.
const MaxBurst = 1_000_000

// Bursts returns arrivals without end, size of them at once every so often, the first ones when the load starts.
func Bursts(size int, every time.Duration) (Arrivals, error) {
	if size < 1 || size > MaxBurst || every <= 0 {
		return Arrivals{}, fmt.Errorf("bursts of %d every %v: want 1 to %d, and some time between them", size, every, MaxBurst)
	}
	return Arrivals{kind: inBursts, size: uint64(size), every: every}, nil
}

// Recorded returns arrivals at the trajectories' own recorded start offsets.
func Recorded() Arrivals { return Arrivals{kind: recorded} }

// Open reports whether conversations arrive by themselves (open loop).
func (a Arrivals) Open() bool { return a.kind != none }

// Count returns the number of arrivals, and false where it is not fixed beforehand.
func (a Arrivals) Count() (uint64, bool) { return uint64(len(a.times)), a.kind == fixed }

// Endless reports whether arrivals come as long as anybody waits for them.
func (a Arrivals) Endless() bool { return a.kind == byLaw || a.kind == inBursts }

// At returns when the conversation of item arrives; start is the recorded offset of its trajectory, nil where it has
// none. It is an error to ask for the arrival of a conversation that has none: behind the end of a fixed list, without a
// recorded offset, or in a later pass over recorded offsets, since a recording does not say when it would begin again.
func (a Arrivals) At(item Item, start *time.Duration) (time.Duration, error) {
	switch {
	case a.kind == byLaw:
		return a.process.at(item.Number), nil
	case a.kind == inBursts:
		return min(time.Duration(min(item.Number/a.size, uint64(never/a.every)))*a.every, never), nil
	case a.kind == fixed && item.Number < uint64(len(a.times)):
		return a.times[item.Number], nil
	case a.kind == fixed:
		return 0, fmt.Errorf("conversation %d: only %d arrivals are given", item.Number, len(a.times))
	case a.kind == recorded && item.Repeat > 0:
		return 0, fmt.Errorf("conversation %d: recorded arrivals cover one pass over the workload", item.Number)
	case a.kind == recorded && start == nil:
		return 0, fmt.Errorf("conversation %d: its trajectory has no recorded start", item.Number)
	case a.kind == recorded && *start < 0:
		return 0, fmt.Errorf("conversation %d: its recorded start %v lies before the start of the load", item.Number, *start)
	case a.kind == recorded:
		return *start, nil
	}
	return 0, nil
}
