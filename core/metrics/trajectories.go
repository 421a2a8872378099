package metrics

import (
	"cmp"
	"slices"

	"paceline/core/sample"
	"paceline/core/stats"
)

// Trajectories are the figures of whole conversations that are complete, every
// planned turn ok, and whose last answer ended inside the window.
type Trajectories struct {
	Completed int `json:"completed"`
	// Parts are conversations that are complete in the part of their trajectory
	// that they play. Of these no figure tells, but that those which end where
	// the trajectory does are counted as jobs.
	Parts int `json:"complete_parts,omitempty"`
	// Latency is from the first Sent to the last Done; Engine is the part of it
	// in which a turn was in flight, so without tool delays.
	Latency Dist `json:"latency_ms"`
	Engine  Dist `json:"engine_time_ms"`
	// TTFAT is from the start to the first content of the final answer.
	TTFAT      Dist   `json:"ttfat_ms"`
	FirstTTFT  Dist   `json:"first_request_ttft_ms"`
	DecodeRate Dist   `json:"decode_tokens_per_second"`
	Turns      Dist   `json:"turns"`
	JobsHour   Figure `json:"jobs_per_hour"`
	JobsUser   Figure `json:"jobs_per_hour_per_user"`
	JobsAccel  Figure `json:"jobs_per_hour_per_accelerator"`
}

// bounds are the first Sent and the last Done, Unset where there is none.
func (c *conversation) bounds() (first, last sample.Offset) {
	first, last = sample.Unset, sample.Unset
	for _, t := range c.turns {
		if t.Timing.Sent.Set() && (!first.Set() || t.Timing.Sent < first) {
			first = t.Timing.Sent
		}
		last = max(last, t.Timing.Done)
	}
	return first, last
}

// complete reports whether every planned turn is ok.
func (c *conversation) complete() bool {
	if c.State != sample.Complete || len(c.turns) == 0 || len(c.turns) < c.Planned {
		return false
	}
	return !slices.ContainsFunc(c.turns, func(t *turn) bool { return !t.ok() })
}

// final is the turn whose answer the user sees: that of the main line that ended last, where there is one.
func (c *conversation) final() *turn {
	return slices.MaxFunc(c.turns, func(a, b *turn) int {
		if (a.Branch == 0) != (b.Branch == 0) {
			return cmp.Compare(b.Branch, a.Branch)
		}
		return later(a, b)
	})
}

// last is the turn that ended last.
func (c *conversation) last() *turn { return slices.MaxFunc(c.turns, later) }

func later(a, b *turn) int {
	return cmp.Or(cmp.Compare(a.Timing.Done, b.Timing.Done), cmp.Compare(a.position, b.position))
}

// opening is the turn that was sent first.
func (c *conversation) opening() *turn {
	return slices.MinFunc(c.turns, func(a, b *turn) int {
		return cmp.Or(cmp.Compare(a.Timing.Sent, b.Timing.Sent), cmp.Compare(a.position, b.position))
	})
}

// engine is the time in which at least one turn was in flight.
func (c *conversation) engine() int64 {
	spans := make([]stretch, 0, len(c.turns))
	for _, t := range c.turns {
		spans = append(spans, stretch{t.Timing.Sent, t.Timing.Done})
	}
	slices.SortFunc(spans, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	var sum int64
	until := sample.Unset
	for _, s := range spans {
		if s.to > max(until, s.from) {
			sum += int64(s.to - max(until, s.from))
			until = s.to
		}
	}
	return sum
}

// origin is where TTFAT starts: Due of the first turn in open loop, else its Sent.
func (c *conversation) origin(open bool) sample.Offset {
	t := c.opening()
	if open && t.Timing.Due.Set() {
		return t.Timing.Due
	}
	return t.Timing.Sent
}

func (c *conversation) latency() (int64, bool) {
	first, last := c.bounds()
	return span(last, first)
}

func (c *conversation) ttfat(open bool) (int64, bool) {
	return span(c.final().Timing.FirstAnswer, c.origin(open))
}

// decodeRate is the mean of its turns' decode rates in micro-tokens per second.
func (c *conversation) decodeRate() (int64, bool) {
	var sum, n int64
	for _, t := range c.turns {
		if v, ok := t.decodeRate(); ok {
			sum, n = sum+v, n+1
		}
	}
	if n == 0 {
		return 0, false
	}
	return sum / n, true
}

// finished lists the complete conversations of whole trajectories whose last Done lies in w.
func (d *data) finished(w Window) []*conversation {
	whole, _ := d.ended(w)
	return whole
}

// ended lists the complete conversations whose last Done lies in w: those of whole trajectories, and those of parts.
func (d *data) ended(w Window) (whole, parts []*conversation) {
	for _, c := range d.convs {
		if _, last := c.bounds(); !c.complete() || !w.Contains(last) {
			continue
		}
		if c.Part.Whole() {
			whole = append(whole, c)
		} else {
			parts = append(parts, c)
		}
	}
	return whole, parts
}

func (d *data) trajectories(w Window) Trajectories {
	ms := list{scale: perMilli}
	latency, engine, ttfat, ttft := ms, ms, ms, ms
	rate, turns := list{scale: microToken}, list{scale: 1}
	done, parts := d.ended(w)
	jobs := len(done)
	for _, c := range parts {
		if c.Part.Finishes() {
			jobs++
		}
	}
	for _, c := range done {
		if v, ok := c.latency(); ok {
			latency.add(c.index, v)
			engine.add(c.index, c.engine())
		}
		if v, ok := c.ttfat(d.OpenLoop); ok {
			ttfat.add(c.index, v)
		}
		if v, ok := c.opening().ttft(); ok {
			ttft.add(c.index, v)
		}
		if v, ok := c.decodeRate(); ok {
			rate.add(c.index, v)
		}
		turns.add(c.index, int64(len(c.turns)))
	}
	noStream := why(len(done) == 0, NoSamples, d.noStream(w))
	t := Trajectories{
		Completed:  len(done),
		Parts:      len(parts),
		Latency:    latency.full(NoSamples, "trajectory_latency", d.Seed),
		Engine:     engine.plain(NoSamples),
		TTFAT:      ttfat.full(noStream, "ttfat", d.Seed),
		FirstTTFT:  ttft.plain(noStream),
		DecodeRate: rate.plain(why(len(done) == 0, NoSamples, d.noTokens(w))),
		Turns:      turns.plain(NoSamples),
		JobsHour:   figure(stats.Ratio3(int64(jobs), 3_600_000_000_000, w.Span()), NoTime),
		JobsAccel:  Figure{Reason: NoAccelerators},
	}
	t.JobsUser = share(t.JobsHour, int64(d.users()))
	if d.Accelerators > 0 {
		t.JobsAccel = share(t.JobsHour, int64(d.Accelerators))
	}
	return t
}

// Trie holds figures by the definitions of Applied Compute's harness where
// they differ from ours; over the same conversations as Trajectories.
type Trie struct {
	TTFAT Dist `json:"ttfat_ms"` // to the first token of the final answer
	// SteadySlope is output tokens per second after the first 20 % of the wall time.
	SteadySlope Figure `json:"steady_output_tokens_per_second"`
	// Eligible is the share of cached tokens in prompt + completion of the turn
	// before, live history only.
	Eligible Figure `json:"eligible_hit_rate"`
}

func (d *data) trie(w Window) Trie {
	ttfat := list{scale: perMilli}
	for _, c := range d.finished(w) {
		if v, ok := span(c.final().Timing.FirstToken, c.origin(d.OpenLoop)); ok {
			ttfat.add(c.index, v)
		}
	}
	whole := Window{All, d.start(), d.end + 1}
	tail := Window{Trim, whole.Open + sample.Offset(whole.Span()/5), whole.Close}
	tokens, _ := d.tokenSums(tail)
	return Trie{
		TTFAT:       ttfat.plain(d.noStream(w)),
		SteadySlope: d.rate(tail, tokens),
		Eligible:    d.trieEligible(w),
	}
}
