package report

import (
	"math"
	"time"

	"paceline/core/engine"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/sample"
	"paceline/core/stats"
)

// States of what a target tells of itself.
const (
	TargetReported   = "reported"
	TargetNotExposed = "not_exposed"
	TargetUnread     = "unread" // it could not be read even once
)

// NotExposed is how the report words a figure that the target does not tell.
const NotExposed = "not exposed"

// Target is what the target's metrics page told during the run: figures of the server as it reports them, over all of its
// clients. None of them is measured here, and none is merged with what is.
type Target struct {
	State    string      `json:"state"`
	Reason   string      `json:"reason,omitempty"`
	Source   string      `json:"source"`
	Engine   engine.Kind `json:"engine,omitempty"`
	Readings int         `json:"readings"`
	Missing  int         `json:"missing_readings"`
	Restarts int         `json:"restarts"` // times that its counters began anew
	SpanMS   stats.Num   `json:"span_ms"`  // from the first reading to the last; what is counted, is counted over it

	Running     Gauge          `json:"running"`
	Waiting     Gauge          `json:"waiting"`
	KVUse       Gauge          `json:"kv_use"`
	Preemptions metrics.Figure `json:"preemptions"`
	HitRate     metrics.Figure `json:"prefix_hit_rate"`
	Drafting    Drafting       `json:"speculation"`
	Balance     metrics.Figure `json:"expert_balance"` // maximum / mean load of the devices' experts; 1 is even
}

// Gauge is a figure at the instants of the readings during the load.
type Gauge struct {
	Readings int       `json:"readings"`
	Mean     stats.Num `json:"mean"`
	Max      stats.Num `json:"max"`
	Reason   string    `json:"reason,omitempty"`
}

// Drafting is what the target told of speculative decoding.
type Drafting struct {
	State        string         `json:"state"` // counted, none, not_exposed
	Drafts       metrics.Figure `json:"drafts"`
	DraftTokens  metrics.Figure `json:"draft_tokens"`
	Accepted     metrics.Figure `json:"accepted_tokens"`
	Acceptance   metrics.Figure `json:"acceptance_rate"`           // accepted / drafted tokens
	AcceptedMean metrics.Figure `json:"mean_accepted_length"`      // tokens of one verification: 1 + accepted / drafts
	DraftLength  metrics.Figure `json:"draft_length"`              // drafted tokens / drafts
	ByPosition   []stats.Num    `json:"acceptance_by_position"`    // share of the drafts
	Basis        string         `json:"acceptance_basis,omitzero"` // counters, or server: the mean of what it worked out itself
}

// States of Drafting.
const (
	DraftsCounted    = "counted"
	DraftsNone       = "none"
	DraftsNotExposed = "not_exposed"
)

// targetOf is what the journal keeps of a target's metrics page; nil: it was not asked. The one target of a run has no name.
func targetOf(run *journal.Run, name string) *Target {
	var all []journal.Telemetry
	for _, t := range run.Telemetry {
		if t.Target == name && (t.Reading != nil || t.Missing != "") {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return nil
	}
	out := &Target{Source: all[0].Source}
	var p pages
	for i := range all {
		if all[i].Reading == nil {
			out.Missing++
			continue
		}
		out.Source = all[i].Source
		p.at, p.list = append(p.at, all[i].At), append(p.list, all[i].Reading)
	}
	out.Readings = len(p.list)
	if len(p.list) == 0 {
		out.State, out.Reason = TargetUnread, all[0].Error
		if all[0].Missing == journal.NotExposed {
			out.State, out.Missing = TargetNotExposed, 0
		}
	} else {
		out.State, out.Engine = TargetReported, p.list[0].Engine
		out.SpanMS = stats.Ratio(int64(p.at[len(p.at)-1]-p.at[0]), int64(time.Millisecond))
		p.load = p.list[1:max(1, len(p.list)-1)]
	}
	out.fill(&p)
	return out
}

// pages are the readings of a run, in the order of time.
type pages struct {
	at   []sample.Offset
	list []*engine.Reading
	load []*engine.Reading // without the first and the last one, which are of an idle server
}

func (t *Target) fill(p *pages) {
	for i := 1; i < len(p.list); i++ {
		if p.restarted(i) {
			t.Restarts++
		}
	}
	t.Running, t.Waiting = p.gauge(engine.Running, 1), p.gauge(engine.Waiting, 1)
	t.KVUse = p.gauge(engine.KVUse, 1_000_000)
	t.Preemptions = p.counted(engine.Preemptions)
	t.HitRate = p.ratio(engine.PrefixHits, engine.PrefixQueries, 1)
	if !t.HitRate.Value.Valid() {
		if last, ok := p.last(engine.HitRate); ok {
			t.HitRate = metrics.Figure{Value: stats.Ratio(last, 1_000_000)}
		}
	}
	t.Drafting = p.drafting(t.Engine)
	if t.Balance = p.ratio(engine.BalanceCount, engine.BalanceSum, 1_000_000); !t.Balance.Value.Valid() {
		t.Balance.Reason = NotExposed
	}
}

// gauge is over the readings during the load.
func (p *pages) gauge(q engine.Quantity, scale int64) Gauge {
	var sum, most int64
	n := 0
	for _, r := range p.load {
		if v, ok := r.Get(q); ok {
			sum, most = plus(sum, v), max(most, v)
			n++
		}
	}
	if n == 0 {
		reason := NotExposed
		if _, ok := p.last(q); ok {
			reason = "no reading during the load"
		}
		return Gauge{Reason: reason}
	}
	return Gauge{Readings: n, Mean: stats.Ratio(sum, int64(n)*scale), Max: stats.Ratio(most, scale)}
}

// plus adds without overflow: a stranger's counters may be anything.
func plus(a, b int64) int64 { return min(a, math.MaxInt64-b) + b }

// last is a quantity as the last page that has it tells it.
func (p *pages) last(q engine.Quantity) (int64, bool) {
	for i := len(p.list) - 1; i >= 0; i-- {
		if v, ok := p.list[i].Get(q); ok {
			return v, true
		}
	}
	return 0, false
}

// increase is by how much a counter grew from the first reading to the last. One that is not on a page yet is 0, since some
// servers show a counter only once it counts; after a restart it counts from 0.
func (p *pages) increase(q engine.Quantity) (total int64, ok bool) {
	var before int64
	for i, r := range p.list {
		v, has := r.Get(q)
		if !has {
			continue
		}
		ok = true
		if i > 0 && p.restarted(i) {
			before = 0
		}
		if i > 0 {
			total = plus(total, max(v-before, 0))
		}
		before = v
	}
	return total, ok
}

// restarted says whether the server began anew between a reading and the one before: then some counter fell.
func (p *pages) restarted(i int) bool {
	for _, q := range []engine.Quantity{engine.Preemptions, engine.PrefixQueries, engine.PrefixHits, engine.Drafts, engine.DraftTokens, engine.AcceptTokens, engine.BalanceCount} {
		before, had := p.list[i-1].Get(q)
		if v, has := p.list[i].Get(q); had && has && v < before {
			return true
		}
	}
	return false
}

func (p *pages) counted(q engine.Quantity) metrics.Figure {
	n, ok := p.increase(q)
	if !ok {
		return metrics.Figure{Reason: NotExposed}
	}
	return metrics.Figure{Value: stats.Of(float64(n))}
}

// ratio is of two counters' increases, times scale.
func (p *pages) ratio(of, to engine.Quantity, scale int64) metrics.Figure {
	a, okA := p.increase(of)
	b, okB := p.increase(to)
	switch {
	case !okA || !okB:
		return metrics.Figure{Reason: NotExposed}
	case b == 0:
		return metrics.Figure{Reason: "nothing was counted"}
	}
	return metrics.Figure{Value: stats.Ratio3(a, scale, b)}
}
