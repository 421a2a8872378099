package metrics

import (
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
	g := Goodput{Objectives: []Goal{}}
	for _, o := range d.Objectives {
		g.Objectives = append(g.Objectives, Goal{string(o.Metric), milli(int64(o.AtMost))})
	}
	if len(d.Objectives) == 0 {
		none := Good{Share: Figure{Reason: NoObjectives}, PerSecond: Figure{Reason: NoObjectives}}
		g.Turns, g.Trajectories = none, none
		return g
	}
	for _, t := range d.turns {
		if !(t.ok() || t.lost()) || !w.Contains(t.ended()) {
			continue
		}
		g.Turns.Of++
		if t.ok() && d.meets(t) {
			g.Turns.Met++
		}
	}
	for _, c := range d.convs {
		if _, last := c.bounds(); !w.Contains(max(last, c.End)) && !w.Contains(last) || !c.judged() {
			continue
		}
		g.Trajectories.Of++
		if c.complete() && d.meetsAll(c) {
			g.Trajectories.Met++
		}
	}
	g.Turns.finish(w)
	g.Trajectories.finish(w)
	return g
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
	for _, o := range d.Objectives {
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
	for _, o := range d.Objectives {
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
