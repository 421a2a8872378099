package metrics

import "paceline/core/stats"

// Concurrency is what load the target really had, as time-weighted means over
// the window.
type Concurrency struct {
	Asked       int    `json:"users_asked"` // 0: not told
	Users       int    `json:"users"`       // that got a conversation
	UsersActive Figure `json:"mean_users_active"`
	InFlight    Figure `json:"mean_in_flight"`
	Waiting     Figure `json:"mean_waiting"` // active users without a turn in flight
	Achieved    Figure `json:"active_over_users"`
}

func (d *data) concurrency(w Window) Concurrency {
	c := Concurrency{Asked: d.Users, Users: d.users()}
	active, flight := d.usersActive(w), d.inFlight(w)
	c.UsersActive, c.InFlight = figure(active, NoTime), figure(flight, NoTime)
	c.Waiting, c.Achieved = Figure{Reason: NoTime}, Figure{Reason: NoTime}
	if active.Valid() && flight.Valid() {
		c.Waiting = Figure{Value: stats.Of(max(active.Or(0)-flight.Or(0), 0))}
		c.Achieved = share(c.UsersActive, int64(c.Users))
	}
	return c
}

// PerUser is the speed that one user sees. MLPerf's two forms are in MLPerf.
type PerUser struct {
	// Plain is the system's throughput over the number of users.
	Plain Figure `json:"output_tokens_per_second"`
	// Normalized is 1 / the 90th percentile of latency over output tokens.
	Normalized Figure `json:"e2e_normalized_interactivity"`
}

func (d *data) perUser(w Window, th *Throughput) PerUser {
	l := list{scale: picoMilli}
	for _, t := range d.turns {
		if t.ok() {
			collect(&l, t, w, t.Timing.Done, t.normalized)
		}
	}
	q := stats.NewSeries(l.values, l.scale).Quantile(stats.P90)
	return PerUser{
		Plain:      share(th.System, int64(d.users())),
		Normalized: figure(inverse(q), d.noCounts(w)),
	}
}

// inverse is the rate per second of a time in milliseconds.
func inverse(ms stats.Num) stats.Num {
	v, ok := ms.Get()
	if !ok || v <= 0 {
		return stats.None()
	}
	return stats.Of(1000 / v)
}

// noCounts says why figures that need nothing but a token count are missing.
func (d *data) noCounts(w Window) string {
	if r := d.noTokens(w); r != NotStreamed {
		return r
	}
	return NoTime
}

// MLPerf holds figures by the rules of MLPerf Endpoints, where those differ
// from ours. Its turns are those sent while its window, first-idle, was open,
// whenever they ended. Quantiles are by its method "lower". Its TTFT counts from
// the first byte handed to the kernel, ours from the same instant.
type MLPerf struct {
	Window     Span    `json:"window"`
	Issued     int     `json:"issued"`
	OK         int     `json:"ok"`
	Failed     int     `json:"failed"` // all that did not end ok
	DurationS  Figure  `json:"duration_seconds"`
	Output     int64   `json:"output_tokens"`
	SystemTPS  Figure  `json:"system_tps"`
	PerUser    Figure  `json:"tps_per_user"`
	E2EAverage Figure  `json:"e2e_avg_interactivity"`
	TTFTP90    Figure  `json:"ttft_p90_ms"`
	TPOTP90    Figure  `json:"tpot_p90_ms"`
	TPOT       Dist    `json:"tpot_ms"`
	MeanOutput Figure  `json:"mean_output_tokens"`
	QPS        Figure  `json:"qps"`
	TTFT       []Lower `json:"ttft_percentiles"`
	Latency    []Lower `json:"latency_percentiles"`
}

// Lower is one of MLPerf's percentiles with its early-stopping estimate, both
// in milliseconds.
type Lower struct {
	Percentile stats.Num `json:"percentile"`
	Value      stats.Num `json:"value_ms"`
	Estimate   stats.Num `json:"early_stopping_ms"`
}

func (d *data) mlperf(w Window) MLPerf {
	m := MLPerf{Window: spanOf(w)}
	ttft, latency, tpot := list{scale: perMilli}, list{scale: perMilli}, list{scale: picoMilli}
	var e2e, counted int64
	last := w.Open
	for _, t := range d.turns {
		if !w.Contains(t.Timing.Sent) {
			continue
		}
		m.Issued++
		if !t.ok() {
			m.Failed++
			continue
		}
		m.OK++
		last = max(last, t.Timing.Done)
		for _, f := range []struct {
			l *list
			f func() (int64, bool)
		}{{&ttft, t.ttft}, {&latency, t.latency}, {&tpot, t.mlperfTPOT}} {
			if v, ok := f.f(); ok {
				f.l.add(t.conv.index, v)
			}
		}
		if v, ok := t.latency(); ok && t.out.ok {
			e2e += v
			m.Output += t.out.n
			counted++
		}
	}
	elapsed := int64(last - w.Open)
	none := why(m.OK == 0, NoSamples, why(counted == 0, NoUsage, NoTime))
	m.DurationS = figure(stats.Ratio(elapsed, 1_000_000_000), NoTime)
	m.QPS = figure(stats.Ratio3(int64(m.OK), 1_000_000_000, elapsed), NoTime)
	m.SystemTPS, m.E2EAverage, m.MeanOutput = Figure{Reason: none}, Figure{Reason: none}, Figure{Reason: none}
	if counted > 0 {
		m.SystemTPS = figure(stats.Ratio3(m.Output, 1_000_000_000, elapsed), NoTime)
		m.E2EAverage = figure(stats.Ratio3(m.Output, 1_000_000_000, e2e), NoTime)
		m.MeanOutput = figure(stats.Ratio(m.Output, counted), NoSamples)
	}
	if m.Failed > 0 {
		m.E2EAverage = Figure{Reason: TurnsFailed}
	}
	m.TPOT = tpot.plain(why(m.OK > 0 && counted == 0, NoUsage, NoSamples))
	m.TTFT, m.Latency = lowers(&ttft), lowers(&latency)
	m.TTFTP90 = lower90(&ttft, why(m.OK > 0, NotStreamed, NoSamples))
	m.TPOTP90 = lower90(&tpot, m.TPOT.Reason)
	m.PerUser = figure(inverse(m.TPOTP90.Value), why(m.TPOT.Reason == "", NoTime, m.TPOT.Reason))
	return m
}

func lower90(l *list, reason string) Figure {
	s := stats.NewSeries(l.values, l.scale)
	if s.Len() == 0 {
		return Figure{Reason: reason}
	}
	return Figure{Value: stats.Ratio(s.Lower(90), l.scale)}
}

// lowers lists MLPerf's grid of percentiles.
func lowers(l *list) []Lower {
	out := []Lower{}
	s := stats.NewSeries(l.values, l.scale)
	if s.Len() == 0 {
		return out
	}
	for _, permille := range []int64{999, 990, 970, 950, 900, 800, 750, 500, 250, 100, 50, 10} {
		p := stats.Ratio(permille, 10)
		row := Lower{Percentile: p, Value: stats.Ratio(s.Lower(p.Or(0)), l.scale)}
		if permille >= 500 {
			row.Estimate = s.Confident(stats.Quantile(permille))
		}
		out = append(out, row)
	}
	return out
}
