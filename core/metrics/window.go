package metrics

import (
	"cmp"
	"slices"

	"paceline/core/sample"
	"paceline/core/stats"
	"paceline/core/verdict"
)

// Names of windows.
const (
	// FirstIdle is MLPerf's: it closes when the first conversation ends, for
	// whatever reason, while none is left to start.
	FirstIdle = "first-idle"
	// Steady is the longest stretch with at least 90 % of the users active.
	Steady = "steady"
	// Trim drops a share at the start of the measuring time.
	Trim = "trim"
	// All reaches from the start of measuring to the last thing that happened.
	All = "all"
)

// steadyPermille is the share of users that Steady asks for.
const steadyPermille = 900

// Window is the half-open span [Open, Close).
type Window struct {
	Name        string
	Open, Close sample.Offset
}

// Contains reports whether the instant was reached and lies inside.
func (w Window) Contains(o sample.Offset) bool { return o.Set() && o >= w.Open && o < w.Close }

// Overlaps reports whether the closed span from a to b has an instant inside.
func (w Window) Overlaps(a, b sample.Offset) bool { return b >= w.Open && a < w.Close }

// Span is the length in nanoseconds.
func (w Window) Span() int64 { return max(int64(w.Close-w.Open), 0) }

// Holds reports whether the turn as a whole belongs to the window: whether
// its answer ended inside or, where none did, it was sent inside.
func (w Window) Holds(s *sample.Sample) bool {
	if s.Timing.Done.Set() {
		return w.Contains(s.Timing.Done)
	}
	return w.Contains(s.Timing.Sent)
}

// Windows finds every window of the run, in a fixed order; the one named
// chosen comes first in the second result.
func Windows(in *Input) (all []Window, chosen Window) { return join(in).windows() }

func (d *data) windows() ([]Window, Window) {
	start := d.start()
	idle, stop := d.firstIdle(), d.end+1
	if d.in.Drain.Set() {
		idle = min(idle, d.in.Drain)
	}
	if d.in.Drain.Set() && d.in.Stopped {
		stop = min(stop, max(d.in.Drain, start))
	}
	trimmed := start + sample.Offset(mulDiv(int64(stop-start), d.TrimPPM, ppm))
	all := []Window{
		{FirstIdle, start, min(max(idle, start), stop)},
		d.steady(start, stop),
		{Trim, trimmed, stop},
		// The last event lies inside, so the half-open span ends 1 ns after it.
		{All, start, d.end + 1},
	}
	for _, w := range all {
		if w.Name == d.Window {
			return all, w
		}
	}
	return all, all[len(all)-1]
}

// start is when measuring began; without that mark, the first conversation's.
func (d *data) start() sample.Offset {
	if d.in.Measure.Set() {
		return d.in.Measure
	}
	first := d.end
	for _, c := range d.convs {
		if c.Start.Set() {
			first = min(first, c.Start)
		}
	}
	return first
}

// firstIdle is when the first conversation ended after the last one had
// started: the first user that found nothing left.
func (d *data) firstIdle() sample.Offset {
	lastStart := sample.Unset
	for _, c := range d.convs {
		lastStart = max(lastStart, c.Start)
	}
	idle := d.end + 1
	for _, c := range d.convs {
		if c.End > lastStart {
			idle = min(idle, c.End)
		}
	}
	return idle
}

// steady is the longest stretch, the first of equals, inside [start, stop)
// with enough users active.
func (d *data) steady(start, stop sample.Offset) Window {
	type edge struct {
		at    sample.Offset
		delta int
	}
	var edges []edge
	for _, s := range d.busy() {
		s.from, s.to = max(s.from, start), min(s.to, stop)
		if s.from < s.to {
			edges = append(edges, edge{s.from, 1}, edge{s.to, -1})
		}
	}
	// At one instant starts come first, so a handover is no dip.
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(b.delta, a.delta)) })
	users := d.users()
	if d.OpenLoop { // Nobody asked for a number of users: the most there were stands for it.
		users = 0
		for i, active := 0, 0; i < len(edges); i++ {
			active += edges[i].delta
			users = max(users, active)
		}
	}
	need := max((users*steadyPermille+999)/1000, 1)
	best := Window{Steady, start, start}
	active, since := 0, sample.Unset
	for _, e := range edges {
		active += e.delta
		if active >= need && !since.Set() {
			since = e.at
		}
		if active < need && since.Set() {
			if int64(e.at-since) > best.Span() {
				best.Open, best.Close = since, e.at
			}
			since = sample.Unset
		}
	}
	return best
}

// usersActive is the time-weighted mean of users with a conversation.
func (d *data) usersActive(w Window) stats.Num { return meanActive(w, d.busy()) }

// inFlight is the time-weighted mean of turns between Sent and their end.
func (d *data) inFlight(w Window) stats.Num {
	var s []stretch
	for _, t := range d.turns {
		if t.Timing.Sent.Set() {
			s = append(s, stretch{t.Timing.Sent, t.end})
		}
	}
	return meanActive(w, s)
}

func meanActive(w Window, list []stretch) stats.Num {
	var whole, rest int64 // In units of the window's span, so that no sum overflows.
	for _, s := range list {
		rest += max(int64(min(s.to, w.Close)-max(s.from, w.Open)), 0)
		if n := w.Span(); n > 0 {
			whole, rest = whole+rest/n, rest%n
		}
	}
	part := stats.Ratio(rest, w.Span())
	if !part.Valid() {
		return part
	}
	return stats.Of(float64(whole) + part.Or(0))
}

// countAt is the counter's answer for a sample, nil where there is none.
func countAt(in *Input, i int) *verdict.Count {
	if i < len(in.Counts) {
		return &in.Counts[i]
	}
	return nil
}
