package metrics

import (
	"cmp"
	"slices"

	"paceline/core/sample"
)

// Branching are the figures of trajectories that branch: those of Trajectories that have a turn beside the main line, or one
// that waits for others than the turn before it.
type Branching struct {
	Completed int  `json:"completed"`
	Branches  Dist `json:"branches"` // per trajectory, the main line not counted
	// Fans are turns that wait for at least one other branch. Width is the number of branches that each waits for; Span runs
	// from the instant at which the first of them could begin to the Done of the slowest, and Straggler from the Done of the
	// fastest to that of the slowest.
	Fans      int  `json:"fans"`
	Width     Dist `json:"fan_width"`
	Span      Dist `json:"fan_ms"`
	Straggler Dist `json:"straggler_ms"`
	// The critical path goes from the turn that ended last back to whichever turn kept each from being sent. Engine is its time
	// in flight, which no further branches could shorten.
	PathTurns  Dist `json:"critical_path_turns"`
	PathEngine Dist `json:"critical_path_engine_ms"`
	// Parallel is the sum of the turns' latencies over the time in which any was in flight.
	Parallel Dist `json:"parallelism"`
	// InFlight and Peak are requests in flight in the window, whatever their conversations; users are counted in Concurrency.
	InFlight Figure `json:"mean_in_flight"`
	Peak     int    `json:"peak_in_flight"`
}

// branching makes the figures; nil where nothing branches.
func (d *data) branching(w Window) *Branching {
	if !slices.ContainsFunc(d.convs, (*conversation).branches) {
		return nil
	}
	b := &Branching{InFlight: figure(d.inFlight(w), NoTime), Peak: d.peak(w)}
	ms, one := list{scale: perMilli}, list{scale: 1}
	fan, straggler, engine := ms, ms, ms
	branches, width, turns, parallel := one, one, one, list{scale: ppm}
	for _, c := range d.finished(w) {
		if !c.branches() {
			continue
		}
		b.Completed++
		k := c.linked()
		branches.add(c.index, k.branches())
		for _, f := range k.fans() {
			b.Fans++
			width.add(c.index, int64(f.Branches))
			fan.add(c.index, int64(f.In-f.Out))
			straggler.add(c.index, int64(f.In-f.Fastest))
		}
		path := k.criticalPath()
		turns.add(c.index, int64(len(path)))
		engine.add(c.index, latencies(path))
		if busy := c.engine(); busy > 0 {
			parallel.add(c.index, mulDiv(latencies(c.turns), ppm, busy))
		}
	}
	b.Branches, b.Width = branches.plain(NoSamples), width.plain(NoSamples)
	b.Span, b.Straggler = fan.plain(NoSamples), straggler.plain(NoSamples)
	b.PathTurns, b.PathEngine = turns.plain(NoSamples), engine.plain(NoSamples)
	b.Parallel = parallel.plain(NoSamples)
	return b
}

// branches reports whether the conversation does more than play one turn after another.
func (c *conversation) branches() bool {
	return slices.ContainsFunc(c.turns, func(t *turn) bool { return t.Branch != 0 || t.Waits != nil })
}

// latencies is the sum of turns' times in flight.
func latencies(turns []*turn) int64 {
	var sum int64
	for _, t := range turns {
		if ns, ok := t.latency(); ok {
			sum += ns
		}
	}
	return sum
}

// peak is the most turns that were in flight at one instant of w.
func (d *data) peak(w Window) int {
	type change struct {
		at sample.Offset
		by int
	}
	var list []change
	for _, t := range d.turns {
		from, to := max(t.Timing.Sent, w.Open), min(t.end, w.Close)
		if t.Timing.Sent.Set() && from < to {
			list = append(list, change{from, 1}, change{to, -1})
		}
	}
	slices.SortFunc(list, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	now, most := 0, 0
	for _, c := range list {
		now += c.by
		most = max(most, now)
	}
	return most
}
