package session

import (
	"context"
	"encoding/json"
	"time"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/verdict"
)

// Plan is one run, resolved: everything that shapes it and everything that is written about it beforehand.
type Plan struct {
	Dir    string            // the run folder: new or empty
	Config journal.RunConfig // becomes run.json; it holds no secrets
	Lock   []byte            // becomes paceline.lock; nil where nothing was resolved into one
	Sched  sched.Config
	// Recheck asks about turns that ended without a word, after the load; see sample.Recheck.
	Recheck bool
}

// Prober fetches a fact from the target, outside the window. It always answers: a failure is a Fact with an Error.
type Prober interface {
	Probe(ctx context.Context, p verdict.Probe) verdict.Fact
}

// Parts is what a run is played with. Validators are asked before the load; they and the scorers judge afterwards.
type Parts struct {
	Source    sched.Source
	Folder    sched.Folder            // nil: the workload is not live
	Workloads map[string]sched.Supply // in place of both, of a mix: by the workloads' names
	Issuer    sched.Issuer
	Prober    Prober // nil: no probes
	// Tokenizer counts the newest answers of histories whose lengths follow what the target tells. nil: not wanted.
	Tokenizer sched.Tokenizer
	// Targets are in place of Issuer, Prober, Tokenizer and Meter: one without a name, or several in the order of Plan.Sched.Targets.
	Targets []Target
	// Meter is asked for the target's own figures before the load, each MeterEvery during it (0: DefaultMeterEvery) and after
	// the drain. nil: not wanted.
	Meter      Meter
	MeterEvery time.Duration
	Validators []judge.Validator
	Scorers    []judge.Scorer
	Counters   []judge.Counter
	// Epoch is the instant that Issuer's offsets count from.
	Epoch time.Time
	// Abort ends the run at once when it is closed: open turns are cut.
	Abort <-chan struct{}
	// WorkerCPU is the CPU time of the plugins' worker processes so far; nil: not known.
	WorkerCPU func() time.Duration
	// Progress is filled while the run plays; anyone may read it. nil: not wanted.
	Progress *sched.Progress
	// OnHead is told the digest of the run's head (see journal.HeadDigest) before the first request of the load. nil: not
	// wanted.
	OnHead func(digest.SHA256)
	// OnPhase is told each change of phase; it must return at once. nil: not wanted.
	OnPhase func(sample.Phase)
}

// PreflightError says that a validator refused the target before any load.
type PreflightError struct {
	Validator string
	Findings  []verdict.Finding // of severity error
}

// Error implements error.
func (e *PreflightError) Error() string {
	text := "preflight of " + e.Validator
	for _, f := range e.Findings {
		text += "\n" + f.Code + ": " + f.Message
	}
	return text
}

// Played is how the load ended, before anything was judged.
type Played struct {
	Result    sched.Result
	Preflight map[string][]verdict.Finding // by validator
	Lost      int64                        // records
}

// runConfigJSON is run.json as judges get it.
func runConfigJSON(c *journal.RunConfig) (json.RawMessage, error) { return json.Marshal(c) }
