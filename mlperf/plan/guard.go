package plan

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"paceline/core/digest"
	"paceline/core/engine"
	"paceline/mlperf/rules"
)

// The components that every point is judged by.
const (
	Inline       = "std/mlperf/inline"
	OutputLength = "std/mlperf/output-length"
)

// Run is what the rules look at of the run that each point plays.
type Run struct {
	Salt, History, Order, Window string
	Stream, Delays, StopEarly    bool
	Asked                        uint64 // trajectories asked for; 0: whole passes
	Trajectories                 uint64 // of the data set; 0: not known
	MaxTokens                    uint32
	Params                       json.RawMessage
	Override                     bool // some parameter is overridden
	Unofficial                   []string
	Dataset                      *digest.SHA256 // nil: not known
	Judges                       []string       // full names of scorers and validators
	RoutingHeaders               []string
	Thinking                     string // keep, strip
	Identity                     Identity
	Speculation                  engine.Speculation
	Cohort                       *rules.Cohort // nil: not known
}

// Guard lists what the rules would refuse of results of this run, each with the fix. A rehearsal may go on with that.
func (s *Settings) Guard(r *Run) []string {
	var out []string
	want := func(ok bool, format string, args ...any) {
		if !ok {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	model, err := rules.FindModel(s.Model)
	want(err == nil, "model: %v", err)
	want(model.Status == rules.Submittable, "model %s is %s: %s", s.Model, model.Status, model.Reason)
	want(r.Salt == "mlperf", "salt is %s: the rules want salt: mlperf", r.Salt)
	want(r.History == "recorded", "history is %s: the rules want recorded", r.History)
	want(r.Order == "file", "load.order is %s: the rules want file", r.Order)
	want(r.Window == "first-idle", "window.kind is %s: the rules want first-idle", r.Window)
	want(r.Stream, "target.stream is off: the rules want streams")
	want(r.Delays, "load.delays is off: the rules want the recorded tool delays")
	want(!r.StopEarly, "load.stop_on_first_idle is on: the rules want the turns behind the window too")
	want(r.Asked%rules.Trajectories == 0, "load.trajectories is %d: the rules want multiples of %d; leave it out, and repeats say how many passes", r.Asked, rules.Trajectories)
	want(slices.Equal(r.RoutingHeaders, []string{"X-Session-ID"}), "routing_headers are %v: the rules want X-Session-ID", r.RoutingHeaders)
	want(!r.Override, "override changes parameters: the rules fix them; leave it out")
	want(model.MaxNewTokens == nil || r.MaxTokens == *model.MaxNewTokens, "max_tokens is %d: the rules want %d for %s", r.MaxTokens, deref(model.MaxNewTokens), s.Model)
	want(sameParams(model.Params, r.Params), "params are %s: the rules want %s for %s", orNone(r.Params), orNone(model.Params), s.Model)
	s.data(r, want)
	s.target(r, &model, want)
	for _, why := range r.Unofficial {
		want(false, "%s: such a run is not official", why)
	}
	return out
}

// data looks at the data set and at who judges.
func (s *Settings) data(r *Run, want func(bool, string, ...any)) {
	want(r.Trajectories == 0 || r.Trajectories == rules.Trajectories, "the data set has %d trajectories: the official one has %d", r.Trajectories, rules.Trajectories)
	want(r.Dataset == nil || r.Dataset.String() == rules.DatasetSHA256, "the data set is not the official one (its sha256 begins with %s)", rules.DatasetSHA256[:8])
	for _, name := range []string{Inline, OutputLength} {
		want(slices.Contains(r.Judges, name), "%s does not judge the run: every point needs it", name)
	}
	switch a := s.Accuracy; {
	case a.Level3 == Nowhere:
		want(false, "accuracy.level3 is none: a curve needs %d full accuracy runs", rules.AccuracyRuns)
	case a.Scorer == "":
		want(false, "accuracy.scorer names no component, and accuracy.level3 is %s: name the run's scorer that makes the full accuracy run", a.Level3)
	default:
		want(slices.Contains(r.Judges, a.Scorer), "accuracy.scorer: the run has no scorer %s", a.Scorer)
	}
}

func deref(n *uint32) uint32 {
	if n == nil {
		return 0
	}
	return *n
}

func orNone(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "none"
	}
	return string(raw)
}

// sameParams compares parameters as values, not as text. What the rules do not publish is not compared: the model's status tells.
func sameParams(rule, run json.RawMessage) bool {
	if string(rule) == "null" || len(rule) == 0 {
		return true
	}
	a, errA := canonical(rule)
	b, errB := canonical(run)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

func canonical(raw json.RawMessage) ([]byte, error) {
	v := map[string]any{}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, err
		}
	}
	return json.Marshal(v) // sorted by key, numbers in one form
}
