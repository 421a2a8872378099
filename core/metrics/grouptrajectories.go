package metrics

import "paceline/core/stats"

// GroupTrajectories are the complete trajectories of a group, as Trajectories counts them.
type GroupTrajectories struct {
	Completed int    `json:"completed"`
	Latency   Dist   `json:"latency_ms"`
	TTFAT     Dist   `json:"ttfat_ms"`
	JobsHour  Figure `json:"jobs_per_hour"`
	Goodput   *Good  `json:"goodput,omitempty"` // where there are objectives
}

// Share is that of its goodput; nil without objectives.
func (g *GroupTrajectories) Share() *Figure {
	if g.Goodput == nil {
		return nil
	}
	return &g.Goodput.Share
}

// wholes gathers the trajectories of one group.
type wholes struct {
	completed      int
	latency, ttfat list
	good           Good
}

// whole counts a conversation in the group of that name.
func (s splits) whole(d *data, name string, c *conversation, w Window) {
	p := s[name]
	if p == nil {
		return // no turn of it ended in the window
	}
	if p.whole == nil {
		p.whole = &wholes{latency: list{scale: perMilli}, ttfat: list{scale: perMilli}}
	}
	p.whole.good.takeWhole(d, c, w)
	if _, last := c.bounds(); !c.complete() || !w.Contains(last) {
		return
	}
	p.whole.completed++
	if v, ok := c.latency(); ok {
		p.whole.latency.add(c.index, v)
	}
	if v, ok := c.ttfat(d.OpenLoop); ok {
		p.whole.ttfat.add(c.index, v)
	}
}

// figures of the group's trajectories.
func (h *wholes) figures(w Window, noStream string) *GroupTrajectories {
	g := &GroupTrajectories{
		Completed: h.completed, Latency: h.latency.plain(NoSamples), TTFAT: h.ttfat.plain(why(h.completed == 0, NoSamples, noStream)),
		JobsHour: figure(stats.Ratio3(int64(h.completed), 3_600_000_000_000, w.Span()), NoTime),
	}
	if h.good.Of > 0 {
		h.good.finish(w)
		g.Goodput = &h.good
	}
	return g
}
