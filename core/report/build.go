package report

import (
	"fmt"
	"slices"

	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/sample"
	"paceline/core/verdict"
)

// Input is what the files of a run hold. Nothing in it is written to.
type Input struct {
	Run        *journal.Run
	Config     *journal.RunConfig
	Judgements []verdict.Judgement
}

// MetricsInput is what the metrics of a run are computed of. The session uses
// it too, so that judges see the very metrics of the report.
func MetricsInput(in Input) (*metrics.Input, error) {
	s, err := read(in.Config)
	if err != nil {
		return nil, err
	}
	c, err := s.metrics(in.Config)
	if err != nil {
		return nil, err
	}
	m := &metrics.Input{
		Samples: in.Run.Samples, Conversations: in.Run.Conversations, Counts: counts(in),
		SelfChecks: in.Run.SelfChecks, Measure: sample.Unset, Drain: sample.Unset, Config: c,
	}
	for _, p := range in.Run.Phases {
		switch {
		case p.Phase == sample.Measure && !m.Measure.Set():
			m.Measure = p.At
		case p.Phase == sample.Drain:
			m.Drain = p.At // The last one: a resumed run drains more than once.
		}
	}
	if in.Run.Foot != nil {
		m.Lost = in.Run.Foot.Lost
		m.Stopped = in.Run.Foot.Reason != journal.ReasonComplete
	}
	return m, nil
}

// counts are the tokens that the first counter told, one entry per sample.
func counts(in Input) []verdict.Count {
	for i := range in.Judgements {
		if j := &in.Judgements[i]; j.Kind == "counter" && len(j.Counts) == len(in.Run.Samples) {
			return j.Counts
		}
	}
	return nil
}

// Build computes the report of a run.
func Build(in Input) (*Result, error) {
	m, err := MetricsInput(in)
	if err != nil {
		return nil, err
	}
	s, err := read(in.Config)
	if err != nil {
		return nil, err
	}
	r := &Result{
		Schema:     Schema,
		Run:        in.Config.Run,
		What:       what(in, s),
		Journal:    journalState(in.Run),
		Metrics:    metrics.Compute(m),
		Scores:     []Score{},
		Verdicts:   []Verdict{},
		Counters:   []Counter{},
		Warnings:   []Warning{},
		Unofficial: unofficial(in.Config, s),
		Lengths:    lengths(in),
		Reach:      reach(in, s),
	}
	b := brokenOf(in.Run)
	r.Status, r.Reason = status(in.Run, r.Metrics, r.What.again(), b.invalid())
	r.Failures, err = allowed(s, &r.Metrics.Failures)
	if err != nil {
		return nil, err
	}
	for i := range in.Judgements {
		r.judged(&in.Judgements[i])
	}
	r.Preset = r.held(in, s)
	r.Target = targetOf(in.Run, "")
	for _, t := range targetsOf(in.Config) {
		r.Targets = append(r.Targets, ReportedTarget{t.Name, targetOf(in.Run, t.Name)})
	}
	r.Speculation = r.speculations(s.Target.Speculation)
	r.warn(in, s, &b)
	return r, nil
}

// status says how the run ended, and why in a few words; again is what a workload made otherwise the second time, and
// unplanned why trajectories are missing.
func status(run *journal.Run, m *metrics.Metrics, again *Again, unplanned string) (Status, string) {
	switch {
	case m.Status == metrics.StatusFailed:
		reason := "no turn succeeded"
		if run.Foot != nil && run.Foot.Cause != "" {
			reason += "; " + run.Foot.Cause
		} else if unplanned != "" {
			reason += "; " + unplanned
		}
		return Failed, reason
	case again != nil:
		return Failed, again.Error
	case unplanned != "":
		return Failed, unplanned
	case run.Foot == nil:
		return Incomplete, "the runner ended before it could close the journal"
	case run.Foot.Reason == journal.ReasonFailed:
		return Failed, run.Foot.Cause
	case run.Foot.Lost > 0:
		return Failed, fmt.Sprintf("the journal could not keep %d records", run.Foot.Lost)
	case run.Foot.Reason == journal.ReasonDuration:
		return TimeLimit, "the time limit was reached"
	case run.Foot.Reason == journal.ReasonInterrupted:
		return Interrupted, "asked to stop; open turns were waited for"
	case run.Foot.Reason == journal.ReasonAborted:
		return Aborted, "asked to stop twice; open turns were cut"
	}
	return Complete, run.Foot.Cause
}

// unofficial lists why nobody may take the run for an official one.
func unofficial(c *journal.RunConfig, s *settings) []string {
	list := []string{}
	if c.Lock.State != "pinned" {
		list = append(list, "plugins and inputs are unpinned: there was no lock")
	}
	list = append(list, c.Lock.Unofficial...)
	if c.Clock == journal.ClockSimulated {
		list = append(list, "it was played on a simulated clock")
	}
	if c.Build.Dirty {
		list = append(list, "the runner was built from a changed tree")
	}
	if !empty(s.Override) {
		list = append(list, "parameters were overridden")
	}
	if !c.TLSVerify && s.Target.Insecure {
		list = append(list, "the target's certificate was not checked")
	}
	if s.Unofficial {
		list = append(list, "the run file says so (unofficial: true)")
	}
	return slices.Compact(append(list, againstRules(c, s)...))
}

func allowed(s *settings, f *metrics.Failures) (Allowed, error) {
	most, err := millionths(s.MaxFailed)
	if err != nil {
		return Allowed{}, fmt.Errorf("read max_failed: %w", err)
	}
	a := Allowed{MaxFailed: s.MaxFailed, Failed: f.Failed, Planned: f.Planned}
	a.Exceeded = int64(f.Failed)*1_000_000 > most*int64(f.Planned)
	return a, nil
}
