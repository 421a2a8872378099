package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/session"
	"paceline/plugins/wire"
)

// refused gives an error of before the load its exit code.
func refused(err error) error {
	var preflight *session.PreflightError
	var unplayable *sched.RefusedError
	switch {
	case errors.As(err, &preflight):
		return fail(exitTarget, err)
	case errors.As(err, &unplayable), errors.Is(err, journal.ErrNotEmpty):
		return fail(exitInput, err)
	}
	if _, ok := wire.IsPluginError(err); ok { // in a preflight, since nothing was sent
		return fail(exitInput, err)
	}
	return err
}

// outcome turns what came of a run into the exit code: the worst thing first.
func outcome(r *report.Result, played *session.Played, playErr error) error {
	switch {
	case playErr != nil:
		return refused(playErr)
	case played.Lost > 0:
		return fail(exitFailed, fmt.Errorf("the run is invalid: the journal lost %d records", played.Lost))
	case !played.Result.Valid():
		return fail(exitFailed, fmt.Errorf("the run is invalid: %s; the first: %w", plural(played.Result.Faults, "fault"), played.Result.Invalid[0]))
	case r.Status == report.Failed:
		return fail(exitFailed, fmt.Errorf("the run failed: %s%s", r.Reason, commonest(r)))
	case pluginFailed(r) != nil:
		return pluginFailed(r)
	case r.Status == report.Interrupted, r.Status == report.Aborted:
		return fail(exitInterrupted, fmt.Errorf("interrupted: the report is of what was played"))
	case r.Failures.Exceeded:
		return failHint(exitTurns, fmt.Errorf("%d of %d turns failed, and %s are allowed", r.Failures.Failed, r.Failures.Planned, r.Failures.MaxFailed),
			"--max-failed 5% allows more")
	case r.Status == report.TimeLimit && played.Result.Counts.TurnsCancelled > 0:
		return fail(exitLimit, fmt.Errorf("the time limit cut %d open turns", played.Result.Counts.TurnsCancelled))
	}
	return judged(r)
}

// pluginFailed is the failure of a run in which the workload plugin failed in the middle of conversations; nil: it did not.
func pluginFailed(r *report.Result) error {
	for _, w := range r.Warnings {
		if w.Code == report.CodePluginError {
			return fail(exitFailed, errors.New(w.Message))
		}
	}
	return nil
}

// commonest tells how most of the turns that failed have ended.
func commonest(r *report.Result) string {
	if r.Metrics == nil {
		return ""
	}
	outcomes := slices.DeleteFunc(slices.Clone(r.Metrics.Failures.Outcomes), func(c metrics.Class) bool { return c.Name == string(sample.NotSent) })
	if len(outcomes) == 0 {
		return ""
	}
	top := slices.MaxFunc(outcomes, func(a, b metrics.Class) int { return a.Count - b.Count })
	return fmt.Sprintf(" (%d of %d: %s)", top.Count, r.Metrics.Failures.Planned, top.Name)
}

// judged fails where a judge did not pass or could not judge everything, or a threshold of the preset does not hold. A validator that only lacks its bounds said so, and
// that is no failure.
func judged(r *report.Result) error {
	var errs []error
	for _, v := range r.Verdicts {
		if err := broken(&v.Judge); err != nil {
			errs = append(errs, err)
		} else if !v.Passed && !strings.HasPrefix(v.Reason, report.NoBounds) {
			errs = append(errs, fmt.Errorf("%s did not pass: %s", v.Name, v.Reason))
		}
	}
	for _, s := range r.Scores {
		if err := broken(&s.Judge); err != nil {
			errs = append(errs, err)
		} else if !s.Passed && s.Threshold.Valid() {
			errs = append(errs, fmt.Errorf("%s did not reach its threshold", s.Name))
		}
	}
	for i := range r.Counters {
		if err := broken(&r.Counters[i].Judge); err != nil {
			errs = append(errs, err)
		}
	}
	if s := r.Speculation; s != nil && s.Held == report.SpeculationFailed {
		errs = append(errs, errors.New(s.Reason))
	}
	if r.Preset != nil {
		for i := range r.Preset.Thresholds {
			if t := &r.Preset.Thresholds[i]; !t.Passed {
				errs = append(errs, fmt.Errorf("preset %s: %s: %s", r.Preset.Name, t.Name(), t))
			}
		}
	}
	if len(errs) == 0 {
		return nil
	}
	return fail(exitJudged, errors.Join(errs...))
}

// broken says why a judge could not do its work; nil where it could.
func broken(j *report.Judge) error {
	switch {
	case j.Error != "":
		return fmt.Errorf("%s: %s", j.Name, j.Error)
	case len(j.Errors) > 0:
		return fmt.Errorf("%s failed on %s; the first: %s", j.Name, plural(len(j.Errors), "unit"), j.Errors[0].Error)
	default:
		return nil
	}
}
