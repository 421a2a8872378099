package export

import (
	"encoding/json"

	"paceline/core/metrics"
	"paceline/core/report"
	"paceline/core/stats"
	"paceline/mlperf/describe"
)

// TargetTold is what the target reported of itself during the run, in result_summary.json: figures of its server, over all of
// its clients, that are measured by nobody else.
type TargetTold struct {
	State         string  `json:"state"` // reported, not_exposed, unread, not_asked
	Source        string  `json:"source,omitempty"`
	Engine        string  `json:"engine,omitempty"`
	Speculation   string  `json:"speculation"` // counted, none, not_exposed
	Acceptance    *Figure `json:"acceptance_rate"`
	AcceptedMean  *Figure `json:"mean_accepted_length"`
	DraftLength   *Figure `json:"draft_length"`
	HitRate       *Figure `json:"prefix_hit_rate"`
	Preemptions   *Figure `json:"preemptions"`
	ExpertBalance *Figure `json:"expert_balance"` // maximum / mean load of the devices' experts
}

// Figure is a number, or why there is none.
type Figure metrics.Figure

// MarshalJSON writes the number, or the reason in its place.
func (f *Figure) MarshalJSON() ([]byte, error) {
	if f.Value.Valid() {
		return json.Marshal(f.Value)
	}
	return json.Marshal(f.Reason)
}

// told is what the run's report has of it.
func (r *Run) told() TargetTold {
	t := r.Report.Target
	if t == nil {
		none := &Figure{Value: stats.None(), Reason: report.NotExposed}
		return TargetTold{State: "not_asked", Speculation: report.DraftsNotExposed, Acceptance: none, AcceptedMean: none, DraftLength: none, HitRate: none,
			Preemptions: none, ExpertBalance: none}
	}
	d := &t.Drafting
	return TargetTold{State: t.State, Source: t.Source, Engine: string(t.Engine), Speculation: d.State, Acceptance: (*Figure)(&d.Acceptance),
		AcceptedMean: (*Figure)(&d.AcceptedMean), DraftLength: (*Figure)(&d.DraftLength), HitRate: (*Figure)(&t.HitRate),
		Preemptions: (*Figure)(&t.Preemptions), ExpertBalance: (*Figure)(&t.Balance)}
}

// Drafter is the head of speculative decoding that a point's file names: as the run declares it, else as the description of
// the system has it; nil: none.
func (r *Run) Drafter(d *describe.Description) *describe.Drafter {
	s := &r.Settings.Target.Speculation
	switch {
	case !s.Declared():
		return d.Drafter
	case !s.Used():
		return nil
	}
	out := &describe.Drafter{ModelID: s.Drafter, Algorithm: s.Method, WeightChecksum: s.WeightChecksum, TargetChecksum: s.TargetChecksum}
	if len(s.Configuration) > 0 && json.Unmarshal(s.Configuration, &out.Configuration) != nil {
		out.Configuration = nil // run.json holds an object; what else stands there was not written by a run
	}
	return out
}
