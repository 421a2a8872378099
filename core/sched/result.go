package sched

import (
	"fmt"
	"time"

	"paceline/core/sample"
)

// Reason says why a run ended; the words are those of the journal's foot.
type Reason string

// Reasons.
const (
	ReasonComplete    Reason = "complete"    // everything that was to be played was played, or the stop rule was met
	ReasonDuration    Reason = "duration"    // the time limit was reached
	ReasonInterrupted Reason = "interrupted" // the context ended: drained
	ReasonAborted     Reason = "aborted"     // open turns were cut
	ReasonFailed      Reason = "failed"      // the workload gives no trajectories any more
)

// Result is how a run went, beside what the Recorder was told.
type Result struct {
	Reason   Reason
	Cause    string        // one line where Reason alone does not say it
	Prepared time.Duration // from the call of Run to the start of the load
	// Start is the start of the load, Measure and Drain when those phases began, End when the last conversation ended.
	// Unset where it did not come to that.
	Start, Measure, Drain, End sample.Offset
	Counts                     Counts
	// Invalid lists why the run may not count, at most 20; Faults is how many reasons there were.
	Invalid []error
	Faults  int
}

// Valid reports whether nothing speaks against the run so far.
func (r *Result) Valid() bool { return r.Faults == 0 }

const maxInvalid = 20

func (r *Result) invalidate(err error) {
	r.Faults++
	if len(r.Invalid) < maxInvalid {
		r.Invalid = append(r.Invalid, err)
	}
}

// PlanError says that a trajectory could not be had from the workload.
type PlanError struct {
	Workload string
	Index    uint64
	Repeat   uint32
	Err      error
}

// Error implements error.
func (e *PlanError) Error() string {
	return fmt.Sprintf("workload %s: plan trajectory %d, repeat %d: %v", e.Workload, e.Index, e.Repeat, e.Err)
}

// Unwrap returns the last failure.
func (e *PlanError) Unwrap() error { return e.Err }

// RefusedError says that a trajectory was planned and cannot be played: it asks for what this runner does not play (then
// Err is a *trajectory.UnplayableError), or it does not go with the run's configuration.
type RefusedError struct {
	Workload   string
	Trajectory string
	Index      uint64
	Repeat     uint32
	Err        error
}

// Error implements error.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("workload %s: trajectory %d is refused: %v", e.Workload, e.Index, e.Err)
}

// Unwrap returns the reason.
func (e *RefusedError) Unwrap() error { return e.Err }
