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
			width.add(c.index, f.width)
			fan.add(c.index, int64(f.in-f.out))
			straggler.add(c.index, int64(f.in-f.fastest))
		}
		n, ns := k.criticalPath()
		turns.add(c.index, n)
		engine.add(c.index, ns)
		if busy := c.engine(); busy > 0 {
			parallel.add(c.index, mulDiv(c.latencies(), ppm, busy))
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

// latencies is the sum of the turns' times in flight.
func (c *conversation) latencies() int64 {
	var sum int64
	for _, t := range c.turns {
		if ns, ok := t.latency(); ok {
			sum += ns
		}
	}
	return sum
}

// linked is a conversation whose turns know each other.
type linked struct {
	*conversation
	place  map[uint32]*turn
	before map[*turn]*turn  // on the same branch
	first  map[uint32]*turn // of each branch
}

func (c *conversation) linked() *linked {
	k := &linked{c, make(map[uint32]*turn, len(c.turns)), map[*turn]*turn{}, map[uint32]*turn{}}
	last := map[uint32]*turn{}
	for _, t := range c.turns {
		k.place[t.Turn] = t
		if p := last[t.Branch]; p != nil {
			k.before[t] = p
		} else {
			k.first[t.Branch] = t
		}
		last[t.Branch] = t
	}
	return k
}

// branches is the number of branches beside the main line.
func (k *linked) branches() int64 {
	n := int64(len(k.first))
	if k.first[0] != nil {
		n--
	}
	return n
}

// waits are the turns that t waited for.
func (k *linked) waits(t *turn) []*turn {
	if t.Waits == nil {
		if p := k.before[t]; p != nil {
			return []*turn{p}
		}
		return nil
	}
	list := make([]*turn, 0, len(t.Waits))
	for _, w := range t.Waits {
		if p := k.place[w]; p != nil {
			list = append(list, p)
		}
	}
	return list
}

// over is when a turn was complete for those that wait for it.
func (t *turn) over() sample.Offset { return max(t.Timing.Done, t.Timing.NextDone) }

// free is when all that t waited for was complete; its Due where it waited for nothing.
func (k *linked) free(t *turn) sample.Offset {
	at := sample.Unset
	for _, w := range k.waits(t) {
		at = max(at, w.over())
	}
	if !at.Set() {
		return t.Timing.Due
	}
	return at
}

// fan is one turn that waits for other branches.
type fan struct {
	width            int64
	out, fastest, in sample.Offset
}

func (k *linked) fans() []fan {
	var list []fan
	for _, t := range k.turns {
		ends := map[uint32]sample.Offset{}
		for _, w := range k.waits(t) {
			if w.Branch != t.Branch {
				ends[w.Branch] = max(ends[w.Branch], w.Timing.Done)
			}
		}
		delete(ends, 0) // the main line is no sub-agent of a branch that waits for it
		if len(ends) == 0 || len(ends) == 1 && t == k.first[t.Branch] {
			continue // what the first turn of a branch waits for is what starts it
		}
		f := fan{width: int64(len(ends)), out: 1<<63 - 1, fastest: 1<<63 - 1}
		for branch, end := range ends {
			f.out = min(f.out, k.free(k.first[branch]))
			f.fastest, f.in = min(f.fastest, end), max(f.in, end)
		}
		list = append(list, f)
	}
	return list
}

// criticalPath is the number of turns of the path and their time in flight.
func (k *linked) criticalPath() (turns, ns int64) {
	for t := k.conversation.last(); t != nil && turns < int64(len(k.turns)); turns++ {
		if v, ok := t.latency(); ok {
			ns += v
		}
		waits := k.waits(t)
		t = nil
		if len(waits) > 0 {
			t = slices.MaxFunc(waits, func(a, b *turn) int {
				return cmp.Or(cmp.Compare(a.over(), b.over()), cmp.Compare(b.position, a.position))
			})
		}
	}
	return turns, ns
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
