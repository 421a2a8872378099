package metrics

// Turns are the figures of single turns that ended ok, each counted by its
// own instant.
type Turns struct {
	TTFT          Dist `json:"ttft_ms"`
	TTFTAnswer    Dist `json:"ttft_answer_ms"`
	Latency       Dist `json:"latency_ms"`
	TPOT          Dist `json:"tpot_ms"`
	ITL           Dist `json:"itl_ms"`       // per token
	ChunkGap      Dist `json:"chunk_gap_ms"` // between events
	Interactivity Dist `json:"interactivity_tokens_per_second"`
	Output        Dist `json:"output_tokens"`
	Input         Dist `json:"input_tokens"`
	Cached        Dist `json:"cached_tokens"`
	// Response is Done - Due and told in open loop only; Service is Done - Sent.
	Response      Dist `json:"response_time_ms"`
	Service       Dist `json:"service_time_ms"`
	ScheduleError Dist `json:"schedule_error_ms"` // of every turn that was sent inside
	Connecting    Dist `json:"connecting_ms"`     // of those that opened a connection
	// Late is the number of turns sent more than half a millisecond after Due.
	Late int `json:"late_sends"`
	// The error-adjusted quantiles count a failed turn as infinitely slow.
	TTFTAdjusted    Adjusted `json:"ttft_ms_error_adjusted"`
	LatencyAdjusted Adjusted `json:"latency_ms_error_adjusted"`
}

// late is the schedule error above which a send is called late.
const late = 500_000

type turnLists struct {
	ttft, answer, latency, tpot, itl, gap, inter, out, in, cached, response, schedule, connect list
	late                                                                                       int
}

func newTurnLists() *turnLists {
	ms, ps, one := list{scale: perMilli}, list{scale: picoMilli}, list{scale: 1}
	return &turnLists{
		ttft: ms, answer: ms, latency: ms, tpot: ps, itl: ps, gap: ms, inter: list{scale: microToken},
		out: one, in: one, cached: one, response: ms, schedule: ms, connect: ms,
	}
}

func (d *data) turnFigures(w Window) Turns {
	l := newTurnLists()
	for _, t := range d.turns {
		if t.Timing.Sent.Set() && w.Contains(t.Timing.Sent) {
			l.sent(t)
		}
		if t.ok() {
			l.take(t, w)
			l.stream(t, w)
		}
	}
	noStream, noTokens := d.noStream(w), d.noTokens(w)
	lost := d.lostIn(w)
	noUsage := why(noTokens == NoUsage, NoUsage, NoSamples)
	f := Turns{
		Service:         l.latency.plain(NoSamples),
		TTFTAdjusted:    adjusted(&l.ttft, lost),
		LatencyAdjusted: adjusted(&l.latency, lost),
		TTFT:            l.ttft.full(noStream, "ttft", d.Seed),
		TTFTAnswer:      l.answer.plain(noStream),
		Latency:         l.latency.full(NoSamples, "latency", d.Seed),
		TPOT:            l.tpot.full(noTokens, "tpot", d.Seed),
		ITL:             l.itl.plain(noTokens),
		ChunkGap:        l.gap.plain(noStream),
		Interactivity:   l.inter.plain(noTokens),
		Output:          l.out.full(noUsage, "output_tokens", d.Seed),
		Input:           l.in.plain(noUsage),
		Cached:          l.cached.plain(why(noUsage == NoUsage, NoUsage, NoCachedTokens)),
		Response:        l.response.plain(NoSamples),
		ScheduleError:   l.schedule.plain(NoSamples),
		Connecting:      l.connect.plain(NoSamples),
		Late:            l.late,
	}
	if f.ITL.Count == 0 && f.TPOT.Count > 0 {
		f.ITL.Reason = ChunksNotTold
	}
	if !d.OpenLoop {
		f.Response = (&list{}).plain(ClosedLoop)
	}
	return f
}

func (l *turnLists) sent(t *turn) {
	ns, connecting, ok := t.scheduleError()
	if !ok {
		return
	}
	l.schedule.add(t.conv.index, ns)
	if connecting > 0 {
		l.connect.add(t.conv.index, connecting)
	}
	if ns > late {
		l.late++
	}
}

func (l *turnLists) take(t *turn, w Window) {
	collect(&l.ttft, t, w, t.Timing.FirstToken, t.ttft)
	collect(&l.answer, t, w, t.Timing.FirstAnswer, t.ttftAnswer)
	for _, f := range []struct {
		l *list
		f func() (int64, bool)
	}{
		{&l.latency, t.latency}, {&l.tpot, t.tpot}, {&l.inter, t.interactivity}, {&l.response, t.response},
		{&l.out, t.out.get}, {&l.in, t.in.get}, {&l.cached, t.cached.get},
	} {
		collect(f.l, t, w, t.Timing.Done, f.f)
	}
}

func (c count) get() (int64, bool) { return c.n, c.ok }

// stream adds the gaps of one turn: between chunks as they came, and divided
// over the tokens of the later chunk, once per token. The first chunk is no gap.
func (l *turnLists) stream(t *turn, w Window) {
	if !t.Timing.FirstToken.Set() {
		return
	}
	toldEach, perToken := t.perToken()
	for a := range t.arrivals() {
		if !a.text || a.head || !w.Contains(a.at) {
			continue
		}
		l.gap.add(t.conv.index, a.gap)
		if !perToken {
			continue
		}
		n := int64(1)
		if toldEach {
			n = told(a.Tokens).n
		}
		for range min(n, 1<<16) {
			l.itl.add(t.conv.index, mulDiv(a.gap, 1000, n))
		}
	}
}
