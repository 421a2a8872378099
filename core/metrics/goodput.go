package metrics

import (
	"slices"
	"time"

	"paceline/core/stats"
)

// Goodput is how much of the work met every objective. Failed turns, and those
// that a failure kept from being sent, are in the denominators and meet none.
type Goodput struct {
	Objectives   []Goal `json:"objectives"`
	Turns        Good   `json:"turns"`
	Trajectories Good   `json:"trajectories"`
}

// Goal is an objective as it is shown.
type Goal struct {
	Workload string `json:"workload,omitempty"` // whose own it is, in a mix
	Metric   string `json:"metric"`
	AtMostMS Milli  `json:"at_most_ms"`
}

// Good counts what met the objectives inside the window.
type Good struct {
	Met       int    `json:"met"`
	Of        int    `json:"of"`
	Share     Figure `json:"share"`
	PerSecond Figure `json:"per_second"`
}

func (d *data) goodput(w Window) Goodput {
	g := Goodput{Objectives: d.goals()}
	if len(g.Objectives) == 0 {
		none := Good{Share: Figure{Reason: NoObjectives}, PerSecond: Figure{Reason: NoObjectives}}
		g.Turns, g.Trajectories = none, none
		return g
	}
	for _, t := range d.turns {
		g.Turns.take(d, t, w)
	}
	for _, c := range d.convs {
		g.Trajectories.takeWhole(d, c, w)
	}
	g.Turns.finish(w)
	g.Trajectories.finish(w)
	return g
}

// objectives are those of a workload: its own, else the run's.
func (d *data) objectives(workload string) []Objective {
	for i := range d.Workloads {
		if m := &d.Workloads[i]; m.Name == workload && m.Objectives != nil {
			return m.Objectives
		}
	}
	return d.Objectives
}

// goals lists the objectives that hold for any of the workloads: the run's, then those that workloads have of their own.
func (d *data) goals() []Goal {
	list := []Goal{}
	add := func(workload string, objectives []Objective) {
		for _, o := range objectives {
			list = append(list, Goal{workload, string(o.Metric), milli(int64(o.AtMost))})
		}
	}
	if len(d.Workloads) == 0 || slices.ContainsFunc(d.Workloads, func(m Mixed) bool { return m.Objectives == nil }) {
		add("", d.Objectives)
	}
	for _, m := range d.Workloads {
		add(m.Name, m.Objectives)
	}
	return list
}

// goodputIfAsked is nil where nobody gave an objective.
func (d *data) goodputIfAsked(w Window) *Goodput {
	if g := d.goodput(w); len(g.Objectives) > 0 {
		return &g
	}
	return nil
}

// take counts a turn that objectives hold for.
func (g *Good) take(d *data, t *turn, w Window) {
	if !(t.ok() || t.lost()) || !w.Contains(t.ended()) || len(d.objectives(t.Workload)) == 0 {
		return
	}
	g.Of++
	if t.ok() && d.meets(t) {
		g.Met++
	}
}

// takeWhole counts a trajectory that objectives hold for.
func (g *Good) takeWhole(d *data, c *conversation, w Window) {
	if _, last := c.bounds(); !w.Contains(max(last, c.End)) && !w.Contains(last) || !c.judged() || len(d.objectives(c.Workload)) == 0 {
		return
	}
	g.Of++
	if c.complete() && d.meetsAll(c) {
		g.Met++
	}
}

func (g *Good) finish(w Window) {
	g.Share = figure(stats.Ratio(int64(g.Met), int64(g.Of)), NoSamples)
	g.PerSecond = figure(stats.Ratio3(int64(g.Met), 1_000_000_000, w.Span()), NoTime)
}

// judged reports whether the conversation came to an end of its own: complete,
// or stopped by a failure.
func (c *conversation) judged() bool {
	if c.complete() {
		return true
	}
	for _, t := range c.turns {
		if t.Outcome.Failed() {
			return true
		}
	}
	return false
}

// meets reports whether an ok turn keeps all objectives of turns. An answer
// below two tokens has no TPOT to exceed.
func (d *data) meets(t *turn) bool {
	for _, o := range d.objectives(t.Workload) {
		var v int64
		ok := true
		switch o.Metric {
		case ObjTTFT:
			v, ok = t.ttft()
		case ObjTTFTAnswer:
			v, ok = t.ttftAnswer()
		case ObjLatency:
			v, ok = t.latency()
		case ObjResponse:
			v, ok = t.response()
		case ObjTPOT:
			if v, ok = t.tpot(); ok {
				v /= 1000
			} else if t.out.ok && t.out.n < 2 {
				continue
			}
		case ObjTrajectoryLatency, ObjTTFAT:
			continue
		}
		if !ok || time.Duration(v) > o.AtMost {
			return false
		}
	}
	return true
}

// meetsAll reports whether a complete conversation and all its turns keep the
// objectives.
func (d *data) meetsAll(c *conversation) bool {
	for _, o := range d.objectives(c.Workload) {
		var v int64
		ok := true
		switch o.Metric {
		case ObjTrajectoryLatency:
			v, ok = c.latency()
		case ObjTTFAT:
			v, ok = c.ttfat(d.OpenLoop)
		default:
			continue
		}
		if !ok || time.Duration(v) > o.AtMost {
			return false
		}
	}
	for _, t := range c.turns {
		if !d.meets(t) {
			return false
		}
	}
	return true
}
