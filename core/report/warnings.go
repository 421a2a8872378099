package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"paceline/core/metrics"
	"paceline/core/sample"
)

func (r *Result) warning(code, format string, args ...any) {
	r.Warnings = append(r.Warnings, Warning{Code: code, Message: fmt.Sprintf(format, args...)})
}

// warn lists what a reader should know, in a fixed order: the run, the files,
// the client, the figures, the judges.
func (r *Result) warn(in Input, s *settings, b *broken) {
	m := r.Metrics
	switch r.Status {
	case TimeLimit:
		r.warning("time_limit", "the time limit ended the run: %d turns were cancelled and %d not sent", m.Failures.Cancelled, m.Failures.NotSent)
	case Interrupted, Aborted, Incomplete:
		r.warning(string(r.Status), "%s: %d of %d planned turns of started conversations are ok", r.Reason, m.Failures.OK, m.Failures.Planned)
	case Failed:
		r.warning("failed", "%s", r.Reason)
	case Complete:
	}
	for _, w := range r.What.all() {
		if a := w.Again; a != nil && a.Error != "" && a.Error != r.Reason {
			r.warning("unsteady_workload", "%s", a.Error)
		}
	}
	r.warnBroken(b)
	if r.Failures.Exceeded {
		r.warning("failures", "%d of %d planned turns failed, more than the allowed %s", r.Failures.Failed, r.Failures.Planned, r.Failures.MaxFailed)
	}
	r.warnFiles()
	if h := &m.Honesty; h.State != metrics.Honest {
		for _, reason := range h.Reasons {
			r.warning("client_"+h.State, "%s", reason)
		}
	}
	if n := m.Honesty.Self.PlanWaits; n > 0 {
		r.warning("plan_waits", "users waited for a plan %d times, %v ms in all", n, m.Honesty.Self.PlanWaitMS)
	}
	r.warnTarget()
	r.warnTargets()
	r.warnEngine(in)
	r.warnMix(in)
	r.warnFigures(in, s)
	r.warnLengths()
	r.warnReach()
	for _, list := range [][]Judge{judges(r.Scores, func(s Score) Judge { return s.Judge }), judges(r.Verdicts, func(v Verdict) Judge { return v.Judge }), judges(r.Counters, func(c Counter) Judge { return c.Judge })} {
		for _, j := range list {
			if n := len(j.Errors); n > 0 {
				r.warning("judge_incomplete", "%s failed on %d units; the first: %s", j.Name, n, j.Errors[0].Error)
			}
			if j.Error != "" {
				r.warning("judge_failed", "%s failed: %s", j.Name, j.Error)
			}
		}
	}
}

// warnEngine repeats what was told before the load of the target's engine.
func (r *Result) warnEngine(in Input) {
	if in.Config.Engine == nil {
		return
	}
	for _, w := range in.Config.Engine.Warnings {
		r.warning(w.Code, "%s", w.Message)
	}
}

func judges[T any](list []T, of func(T) Judge) []Judge {
	out := make([]Judge, 0, len(list))
	for _, x := range list {
		out = append(out, of(x))
	}
	return out
}

func (r *Result) warnFiles() {
	j := &r.Journal
	if j.Incomplete && r.Status != Incomplete {
		r.warning("segment_incomplete", "a segment of the journal was not closed in order; %d turns were completed when it was read", j.Recovered)
	}
	if j.Torn > 0 {
		r.warning("torn", "%d bytes at the end of a segment held no whole record", j.Torn)
	}
	for _, d := range j.Damage {
		if !d.Tail {
			r.warning("damage", "%s", d.Error())
		}
	}
	if j.Unknown > 0 {
		r.warning("unknown_records", "%d records are of kinds that this version does not know", j.Unknown)
	}
}

// outcomes counts how the rechecks ended, by name.
func outcomes(list []sample.Recheck) string {
	counts := map[string]int{}
	for i := range list {
		counts[string(list[i].Outcome)]++
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		texts = append(texts, fmt.Sprintf("%s %d", name, counts[name]))
	}
	return strings.Join(texts, ", ")
}

func (r *Result) warnFigures(in Input, s *settings) {
	m := r.Metrics
	for _, c := range m.Answers.Finish {
		if c.Name == "none" && c.Count > 0 {
			r.warning("no_finish_reason", "%d of %d answers came without a finish reason: the target may have given them up", c.Count, m.Answers.Turns)
		}
	}
	k := &m.Tokens
	switch {
	case k.None > 0 && k.Usage+k.Counter == 0:
		r.warning("no_usage", "the target told no token counts for any of %d turns, so figures in tokens are null", k.None)
	case k.None > 0:
		r.warning("some_usage", "%d of %d turns have no token counts: rates in tokens lack them", k.None, k.None+k.Usage+k.Counter)
	}
	if k.Usage > 0 && k.Counter > 0 {
		r.warning("mixed_sources", "token counts come from the target for %d turns and from a counter for %d", k.Usage, k.Counter)
	}
	if in.Config.Salt.Scheme == "none" && m.Cache.FirstTurn > 0 {
		r.warning("cached_first_turns", "no salt, and %d first turns had cached tokens: an earlier run may have filled the target's cache", m.Cache.FirstTurn)
	}
	if n := m.Answers.NotStreamed; n > 0 {
		r.warning("not_streamed", "%d turns asked for a stream and got one document", n)
	}
	if list := in.Run.Rechecks; len(list) > 0 {
		r.warning("rechecked", "%d streams ended without a word; the same requests after the load, not streamed: %s", len(list), outcomes(list))
	}
	if n := m.Answers.Malformed; n > 0 {
		r.warning("malformed_events", "%d events of streams were not JSON", n)
	}
	if n := m.Answers.ConnectionRetries; n > 0 {
		r.warning("connection_retries", "%d requests were sent once more because a kept connection had died", n)
	}
	if n := m.Answers.DelaysCut; n > 0 {
		r.warning("delays_cut", "%d tool delays were cut, by %v ms in all", n, m.Answers.DelayCutMS)
	}
	if !s.Load.Delays && in.Config.Config != nil {
		r.warning("no_delays", "tool delays of the workload were left out")
	}
	if m.Window.OpenNS >= m.Window.CloseNS {
		r.warning("empty_window", "the window %s has no length", m.Window.Name)
	} else if m.Turns.Latency.Count == 0 && m.Status == metrics.StatusOK {
		r.warning("empty_window", "no turn ended ok inside the window %s", m.Window.Name)
	}
}
