package metrics

import (
	"encoding/binary"

	"paceline/core/seed"
	"paceline/core/stats"
)

// Reasons why a figure is null.
const (
	NoSamples      = "no samples"
	NoUsage        = "no usage"
	NotStreamed    = "not streamed"
	NoTime         = "no time"
	ClosedLoop     = "closed loop: only service time is measured"
	NoAccelerators = "accelerators not given"
	NoObjectives   = "no objectives"
	TurnsFailed    = "turns failed"
	NoCachedTokens = "cached tokens not told"
	ChunksNotTold  = "tokens per chunk not told"
)

// Figure is one number, or null and the reason.
type Figure struct {
	Value  stats.Num `json:"value"`
	Reason string    `json:"reason,omitempty"`
}

func figure(n stats.Num, reason string) Figure {
	if n.Valid() {
		reason = ""
	}
	return Figure{Value: n, Reason: reason}
}

// Dist describes a list of values: a summary, and where it is a main figure
// the confidence interval of its mean, the early-stopping estimates of its
// quantiles, and a histogram.
type Dist struct {
	stats.Summary
	// CI95 is the bootstrap interval of the mean over trajectories.
	CI95 *stats.Interval `json:"mean_ci95,omitempty"`
	// Confident holds, per quantile, a value that the true quantile does not
	// exceed at 99 % confidence.
	Confident *Confident       `json:"at_99_confidence,omitempty"`
	Histogram *stats.Histogram `json:"histogram,omitempty"`
	Reason    string           `json:"reason,omitempty"`
}

// Confident holds MLPerf's early-stopping estimates; null below the least
// count of the quantile.
type Confident struct {
	P50  stats.Num `json:"p50"`
	P90  stats.Num `json:"p90"`
	P95  stats.Num `json:"p95"`
	P99  stats.Num `json:"p99"`
	P999 stats.Num `json:"p99_9"`
}

// Units of lists: base units in one output unit.
const (
	perMilli   = 1_000_000     // nanoseconds in a millisecond
	picoMilli  = 1_000_000_000 // picoseconds in a millisecond
	microToken = 1_000_000     // micro-tokens in a token
)

// list gathers values in base units, and per conversation their sum and number.
type list struct {
	scale    int64
	values   []int64
	clusters []stats.Cluster
}

func (l *list) add(conversation int, v int64) {
	l.values = append(l.values, v)
	for len(l.clusters) <= conversation {
		l.clusters = append(l.clusters, stats.Cluster{})
	}
	l.clusters[conversation].Sum += v
	l.clusters[conversation].Count++
}

// plain summarizes the list; reason is told where it is empty.
func (l *list) plain(reason string) Dist {
	return plainOf(stats.NewSeries(l.values, l.scale), reason)
}

func plainOf(s stats.Series, reason string) Dist {
	d := Dist{Summary: s.Summary()}
	if d.Count == 0 {
		d.Reason = reason
	}
	return d
}

// full is plain with confidence interval, estimates and histogram.
func (l *list) full(reason, name string, root uint64) Dist {
	s := stats.NewSeries(l.values, l.scale)
	d := plainOf(s, reason)
	if d.Count == 0 {
		return d
	}
	derived := seed.Derive(root, seed.Bootstrap, []byte(name))
	ci := stats.Bootstrap(l.clusters, l.scale, binary.BigEndian.Uint64(derived[:8]), stats.Resamples)
	d.CI95 = &ci
	d.Confident = &Confident{
		P50: s.Confident(stats.P50), P90: s.Confident(stats.P90), P95: s.Confident(stats.P95),
		P99: s.Confident(stats.P99), P999: s.Confident(stats.P999),
	}
	h := s.Histogram()
	d.Histogram = &h
	return d
}
