package lock

import (
	"encoding/json"
	"fmt"
	"time"
)

// Limits bound one component. A zero field means the default. Times are CPU time of the worker; ten times that on the
// wall clock stands behind each.
type Limits struct {
	Memory   int64         // bytes of a guest's memory
	Open     time.Duration // Open, each step of CheckInputs and of Evaluate, and loading the module
	Plan     time.Duration
	Next     time.Duration
	Batch    time.Duration // any other call
	Log      int64         // bytes of log text per run
	Findings int           // findings kept per component
}

// Sizes that nothing changes, in bytes but for the turns.
const (
	MaxRequest    = 16 << 20
	MaxReply      = 64 << 20
	MaxTrajectory = 64 << 20
	MaxTurns      = 100_000
	MaxState      = 256 << 10
	MaxAccount    = 1 << 20
	MaxPrepared   = 64 << 20
)

// WallFactor is how many times a CPU limit may pass on the wall clock, and WallLeast what may pass in any case.
const (
	WallFactor = 10
	WallLeast  = 10 * time.Second
)

// pageSize is a page of a guest's memory; limits are whole pages.
const pageSize = 64 << 10

// DefaultLimits are the limits where nothing is said.
func DefaultLimits() Limits {
	return Limits{Memory: 256 << 20, Open: time.Minute, Plan: 2 * time.Second, Next: time.Second,
		Batch: 10 * time.Second, Log: 1 << 20, Findings: 1000}
}

// MaxLimits are the largest values that a run file may ask for.
func MaxLimits() Limits {
	d := DefaultLimits()
	return Limits{Memory: 4 << 30, Open: 10 * d.Open, Plan: 10 * d.Plan, Next: 10 * d.Next, Batch: 10 * d.Batch,
		Log: 64 << 20, Findings: 100_000}
}

// WithDefaults fills the fields that are zero.
func (l Limits) WithDefaults() Limits {
	d := DefaultLimits()
	fill(&l.Memory, d.Memory)
	fill(&l.Open, d.Open)
	fill(&l.Plan, d.Plan)
	fill(&l.Next, d.Next)
	fill(&l.Batch, d.Batch)
	fill(&l.Log, d.Log)
	fill(&l.Findings, d.Findings)
	return l
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Check lists every limit that is out of its range. Zero fields are fine.
func (l Limits) Check() error {
	var faults faults
	limit := MaxLimits()
	within(&faults, "memory", l.Memory, limit.Memory)
	if l.Memory > 0 && l.Memory < pageSize {
		faults.add("memory: %d bytes is below one page of %d", l.Memory, pageSize)
	}
	within(&faults, "open", l.Open, limit.Open)
	within(&faults, "plan", l.Plan, limit.Plan)
	within(&faults, "next", l.Next, limit.Next)
	within(&faults, "batch", l.Batch, limit.Batch)
	within(&faults, "log", l.Log, limit.Log)
	within(&faults, "findings", l.Findings, limit.Findings)
	return faults.err()
}

func within[T int | int64 | time.Duration](faults *faults, name string, value, limit T) {
	if value < 0 || value > limit {
		faults.add("%s: %v is not between 0 and %v", name, value, limit)
	}
}

// Pages is the memory limit in whole pages.
func (l Limits) Pages() uint32 { return uint32(l.Memory / pageSize) }

// limitsJSON is the form of limits in the lock.
type limitsJSON struct {
	Memory   int64 `json:"memory_bytes"`
	Open     int64 `json:"open_ms"`
	Plan     int64 `json:"plan_ms"`
	Next     int64 `json:"next_ms"`
	Batch    int64 `json:"batch_ms"`
	Log      int64 `json:"log_bytes"`
	Findings int   `json:"findings"`
}

// MarshalJSON writes whole milliseconds and bytes.
func (l Limits) MarshalJSON() ([]byte, error) {
	return json.Marshal(limitsJSON{Memory: l.Memory, Open: l.Open.Milliseconds(), Plan: l.Plan.Milliseconds(),
		Next: l.Next.Milliseconds(), Batch: l.Batch.Milliseconds(), Log: l.Log, Findings: l.Findings})
}

// UnmarshalJSON reads what MarshalJSON wrote, strictly.
func (l *Limits) UnmarshalJSON(data []byte) error {
	var j limitsJSON
	if err := decodeStrict(data, &j); err != nil {
		return err
	}
	for _, ms := range []int64{j.Open, j.Plan, j.Next, j.Batch} {
		if ms < 0 || ms > int64(24*time.Hour/time.Millisecond) {
			return fmt.Errorf("limits: %d ms is no time limit", ms)
		}
	}
	const ms = time.Millisecond
	*l = Limits{Memory: j.Memory, Open: time.Duration(j.Open) * ms, Plan: time.Duration(j.Plan) * ms,
		Next: time.Duration(j.Next) * ms, Batch: time.Duration(j.Batch) * ms, Log: j.Log, Findings: j.Findings}
	return nil
}
