// Package session is one run from plan to report: it probes the target, plays the plan through the scheduler while it
// looks at its own process, closes the journal, and has it judged and reported.
package session

import (
	"math"
	"runtime/metrics"
	"time"
)

// client looks at this process: what it used, and how long its goroutines had to wait.
type client struct {
	samples []metrics.Sample
	pauses  []uint64 // counts at the look before, to tell what is new
	waits   []uint64
}

// Names of the runtime's own measurements.
const (
	gcPauses  = "/sched/pauses/total/gc:seconds"
	schedWait = "/sched/latencies:seconds"
	heapBytes = "/memory/classes/heap/objects:bytes"
)

func newClient() *client {
	return &client{samples: []metrics.Sample{{Name: gcPauses}, {Name: schedWait}, {Name: heapBytes}}}
}

// look is what one look found.
type look struct {
	cpu                          time.Duration
	gcPause, gcPauseMax, waitMax time.Duration
	heap                         int64
}

func (c *client) look() look {
	metrics.Read(c.samples)
	l := look{cpu: processCPU()}
	if h := histogram(c.samples[0]); h != nil {
		l.gcPause = total(h)
		l.gcPauseMax = highestNew(h, c.pauses)
		c.pauses = append(c.pauses[:0], h.Counts...)
	}
	if h := histogram(c.samples[1]); h != nil {
		l.waitMax = highestNew(h, c.waits)
		c.waits = append(c.waits[:0], h.Counts...)
	}
	if c.samples[2].Value.Kind() == metrics.KindUint64 {
		l.heap = int64(c.samples[2].Value.Uint64())
	}
	return l
}

func histogram(s metrics.Sample) *metrics.Float64Histogram {
	if s.Value.Kind() != metrics.KindFloat64Histogram {
		return nil
	}
	return s.Value.Float64Histogram()
}

// total is the sum of all pauses, each counted as the lower border of its bucket.
func total(h *metrics.Float64Histogram) time.Duration {
	var sum float64
	for i, n := range h.Counts {
		if low := h.Buckets[i]; n > 0 && !math.IsInf(low, 0) {
			sum += float64(n) * low
		}
	}
	return time.Duration(sum * 1e9)
}

// highestNew is the upper border of the highest bucket that grew since the counts before, its lower one where that has no
// upper border.
func highestNew(h *metrics.Float64Histogram, before []uint64) time.Duration {
	for i := len(h.Counts) - 1; i >= 0; i-- {
		if h.Counts[i] == 0 || i < len(before) && h.Counts[i] == before[i] {
			continue
		}
		edge := h.Buckets[i+1]
		if math.IsInf(edge, 1) {
			edge = h.Buckets[i]
		}
		return time.Duration(max(edge, 0) * 1e9)
	}
	return 0
}
