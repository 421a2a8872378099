package metrics

import (
	"paceline/core/sample"
	"paceline/core/stats"
)

// Milli is a time in milliseconds.
type Milli = stats.Num

func milli(ns int64) Milli { return stats.Ratio(ns, perMilli) }

// WindowView is one window with its main figures.
type WindowView struct {
	Span
	Chosen        bool   `json:"chosen"`
	Seconds       Figure `json:"seconds"`
	Turns         int    `json:"turns"` // ended ok inside
	TokensInside  int64  `json:"output_tokens_inside"`
	TokensOutside int64  `json:"output_tokens_outside"`
	System        Figure `json:"output_tokens_per_second"`
	UsersActive   Figure `json:"mean_users_active"`
	InFlight      Figure `json:"mean_in_flight"`
	TTFT          Dist   `json:"ttft_ms"`
	Latency       Dist   `json:"latency_ms"`
	TPOT          Dist   `json:"tpot_ms"`
}

// Throughput is what arrived inside the window over its length.
type Throughput struct {
	System        Figure `json:"output_tokens_per_second"`
	TokensInside  int64  `json:"output_tokens_inside"`
	TokensOutside int64  `json:"output_tokens_outside"`
	// Uncounted is the number of ok turns that ended inside and whose tokens
	// nobody told: the rate lacks them.
	Uncounted      int    `json:"uncounted_turns"`
	Input          Figure `json:"input_tokens_per_second"`
	Turns          Figure `json:"turns_per_second"`
	PerAccelerator Figure `json:"output_tokens_per_second_per_accelerator"`
}

// Tokens tells where counts came from, over the ok turns that ended inside.
type Tokens struct {
	Usage   int `json:"usage"`
	Counter int `json:"counter"`
	None    int `json:"none"`
	// Source is the one source of all of them, or mixed.
	Source string `json:"source"`
	Output Figure `json:"output"` // sums
	Input  Figure `json:"input"`
	Cached Figure `json:"cached"`
}

func (d *data) view(w Window, chosen bool) WindowView {
	in, out := d.tokenSums(w)
	v := WindowView{
		Span: spanOf(w), Chosen: chosen,
		Seconds:      figure(stats.Ratio(w.Span(), 1_000_000_000), NoTime),
		TokensInside: in, TokensOutside: out,
		System:      d.rate(w, in),
		UsersActive: figure(d.usersActive(w), NoTime),
		InFlight:    figure(d.inFlight(w), NoTime),
	}
	ttft, latency, tpot := list{scale: perMilli}, list{scale: perMilli}, list{scale: picoMilli}
	for _, t := range d.turns {
		if !t.ok() {
			continue
		}
		collect(&ttft, t, w, t.Timing.FirstToken, t.ttft)
		collect(&latency, t, w, t.Timing.Done, t.latency)
		collect(&tpot, t, w, t.Timing.Done, t.tpot)
		if w.Contains(t.Timing.Done) {
			v.Turns++
		}
	}
	v.TTFT = ttft.plain(d.noStream(w))
	v.Latency = latency.plain(NoSamples)
	v.TPOT = tpot.plain(d.noTokens(w))
	return v
}

// collect adds the figure of an ok turn to the list if its instant lies in w.
func collect(l *list, t *turn, w Window, at sample.Offset, f func() (int64, bool)) {
	if !w.Contains(at) {
		return
	}
	if v, ok := f(); ok {
		l.add(t.conv.index, v)
	}
}

// tokenSums adds up the output tokens of ok turns that arrived inside w, and
// those that did not.
func (d *data) tokenSums(w Window) (in, out int64) {
	for _, t := range d.turns {
		if t.ok() && t.out.ok {
			n := t.tokensIn(w)
			in += n
			out += t.out.n - n
		}
	}
	return in, out
}

// rate is tokens per second of the window, null where no ok turn that ended
// inside has a count.
func (d *data) rate(w Window, tokens int64) Figure {
	if tokens == 0 {
		if reason := d.noTokens(w); reason == NoUsage || w.Span() > 0 && reason == NoSamples {
			return Figure{Reason: reason}
		}
	}
	return figure(stats.Ratio3(tokens, 1_000_000_000, w.Span()), NoTime)
}

// noTokens says why token figures are missing in w, if they are.
func (d *data) noTokens(w Window) string {
	reason := NoSamples
	for _, t := range d.turns {
		if !t.ok() || !w.Contains(t.Timing.Done) {
			continue
		}
		if t.out.ok {
			if !t.Timing.FirstToken.Set() {
				reason = NotStreamed
				continue
			}
			return NoSamples // Counted and streamed, and still nothing to show.
		}
		if reason == NoSamples {
			reason = NoUsage
		}
	}
	return reason
}

// noStream says why figures of a stream are missing in w, if they are.
func (d *data) noStream(w Window) string {
	reason := NoSamples
	for _, t := range d.turns {
		if !t.ok() || !w.Contains(t.Timing.Done) {
			continue
		}
		if t.Timing.FirstToken.Set() {
			return NoSamples
		}
		if t.visible || t.out.n > 0 {
			reason = NotStreamed
		}
	}
	return reason
}

func (d *data) throughput(w Window) Throughput {
	in, out := d.tokenSums(w)
	th := Throughput{System: d.rate(w, in), TokensInside: in, TokensOutside: out}
	var prompt, turns int64
	known := false
	for _, t := range d.turns {
		if !t.ok() || !w.Contains(t.Timing.Done) {
			continue
		}
		turns++
		if !t.out.ok {
			th.Uncounted++
		}
		if t.in.ok {
			known = true
			prompt += t.in.n
		}
	}
	th.Input = figure(stats.Ratio3(prompt, 1_000_000_000, w.Span()), NoTime)
	if !known {
		th.Input = Figure{Reason: why(turns == 0, NoSamples, NoUsage)}
	}
	th.Turns = figure(stats.Ratio3(turns, 1_000_000_000, w.Span()), NoTime)
	th.PerAccelerator = Figure{Reason: NoAccelerators}
	if d.Accelerators > 0 {
		th.PerAccelerator = share(th.System, int64(d.Accelerators))
	}
	return th
}

// share divides a figure by n, keeping its reason.
func share(f Figure, n int64) Figure {
	v, ok := f.Value.Get()
	if !ok || n == 0 {
		return Figure{Reason: why(ok, NoSamples, f.Reason)}
	}
	return Figure{Value: stats.Of(v / float64(n))}
}

func why(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func (d *data) tokens(w Window) Tokens {
	var k Tokens
	var sum [3]int64
	var known [3]bool
	for _, t := range d.turns {
		if !t.ok() || !w.Contains(t.Timing.Done) {
			continue
		}
		switch t.source {
		case SourceUsage:
			k.Usage++
		case SourceCounter:
			k.Counter++
		default:
			k.None++
		}
		for i, c := range []count{t.out, t.in, t.cached} {
			if c.ok {
				sum[i] += c.n
				known[i] = true
			}
		}
	}
	none := why(k.Usage+k.Counter+k.None == 0, NoSamples, NoUsage)
	sums := [3]Figure{{Reason: none}, {Reason: none}, {Reason: why(k.Usage > 0, NoCachedTokens, none)}}
	for i := range sums {
		if known[i] {
			sums[i] = Figure{Value: stats.Of(float64(sum[i]))}
		}
	}
	k.Output, k.Input, k.Cached = sums[0], sums[1], sums[2]
	k.Source = source(k)
	return k
}

func source(k Tokens) string {
	switch {
	case k.Usage > 0 && k.Counter+k.None == 0:
		return SourceUsage
	case k.Counter > 0 && k.Usage+k.None == 0:
		return SourceCounter
	case k.Usage+k.Counter == 0:
		return SourceNone
	}
	return "mixed"
}
