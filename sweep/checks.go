package sweep

import (
	"fmt"
	"strings"

	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/stats"
	"paceline/sweep/cache"
)

// Held says what came of one thing that a point is held to.
type Held string

// What came of a check.
const (
	Passed   Held = "passed"
	NotHeld  Held = "failed"
	Unproven Held = "unproven" // it could not be found out
	NoBounds Held = "no_bounds"
)

// Check is one thing that a point was held to.
type Check struct {
	Name string `json:"name"`
	Held Held   `json:"state"`
	Text string `json:"text,omitempty"`
}

// CacheCheck is the name of the check of what the point before left.
const CacheCheck = "cache_carried_over"

// durationCheck holds durationFigure to the least length of a window.
const (
	durationCheck  = "duration"
	durationFigure = "mlperf.duration_seconds"
)

// checks hold a point that was played whole to everything that it is held to.
func checks(p *Point, plan *PlannedPoint, r *report.Result) []Check {
	list := []Check{
		held("turns", !r.Failures.Exceeded, fmt.Sprintf("%d of %d turns failed, %s are allowed", r.Failures.Failed, r.Failures.Planned, r.Failures.MaxFailed)),
		held("client", r.Metrics.Honesty.State != metrics.Invalid, r.Metrics.Honesty.State),
	}
	if plan.MinSeconds > 0 {
		list = append(list, lasted(plan.MinSeconds, r.Metrics.MLPerf.DurationS))
	}
	list = append(list, cacheCheck(p.Cache))
	if s := r.Speculation; s != nil {
		list = append(list, Check{Name: "speculation", Held: Held(s.Held), Text: s.Reason})
	}
	for i := range r.Verdicts {
		list = append(list, ofVerdict(&r.Verdicts[i]))
	}
	for i := range r.Scores {
		list = append(list, ofScore(&r.Scores[i]))
	}
	for i := range r.Counters {
		list = append(list, held(r.Counters[i].Name, fault(&r.Counters[i].Judge) == "", fault(&r.Counters[i].Judge)))
	}
	if r.Preset != nil {
		for i := range r.Preset.Thresholds {
			t := &r.Preset.Thresholds[i]
			list = append(list, held(r.Preset.Name+" "+t.Name(), t.Passed, t.String()))
		}
	}
	return list
}

// held leaves the text out where nothing is wrong.
func held(name string, ok bool, text string) Check {
	if ok {
		return Check{Name: name, Held: Passed}
	}
	return Check{Name: name, Held: NotHeld, Text: text}
}

// lasted holds the time from the first request to the last answer to one of the window against the least.
func lasted(least int64, f metrics.Figure) Check {
	seconds, ok := f.Value.Get()
	if !ok {
		return Check{Name: durationCheck, Held: Unproven, Text: f.Reason}
	}
	return held(durationCheck, seconds >= float64(least), fmt.Sprintf("the window has %.1f s, and %d s are the least", seconds, least))
}

func cacheCheck(v *cache.Verdict) Check {
	switch {
	case v == nil:
		return Check{Name: CacheCheck, Held: Unproven, Text: "it was not asked"}
	case v.State == cache.NotProvable:
		return Check{Name: CacheCheck, Held: Unproven, Text: v.Reason}
	}
	return held(CacheCheck, v.State != cache.CarriedOver, v.Reason)
}

func ofVerdict(v *report.Verdict) Check {
	if text := fault(&v.Judge); text != "" {
		return held(v.Name, false, text)
	}
	if !v.Passed && strings.HasPrefix(v.Reason, report.NoBounds) {
		return Check{Name: v.Name, Held: NoBounds, Text: v.Reason}
	}
	return held(v.Name, v.Passed, v.Reason)
}

func ofScore(s *report.Score) Check {
	if text := fault(&s.Judge); text != "" {
		return held(s.Name, false, text)
	}
	if !s.Threshold.Valid() {
		return Check{Name: s.Name, Held: NoBounds, Text: "score " + number(s.Value, 4)}
	}
	return held(s.Name, s.Passed, fmt.Sprintf("score %s, threshold %s", number(s.Value, 4), number(s.Threshold, 4)))
}

// fault is why a judge could not do its work; empty where it could.
func fault(j *report.Judge) string {
	if j.Error == "" && len(j.Errors) > 0 {
		return fmt.Sprintf("it failed on %d units", len(j.Errors))
	}
	return j.Error
}

func number(n stats.Num, decimals int) string {
	v, ok := n.Get()
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.*f", decimals, v)
}
