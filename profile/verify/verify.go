// Package verify holds drawn traces against what they were made after: quantiles by position and of sums over a trace,
// autocorrelation and ideal hit rate.
package verify

import (
	"math"

	"paceline/profile/measure"
)

// FullDraws is the number of draws for which the bounds are meant. Fewer draws are noisier by themselves, so the bounds grow
// with the square root of what is missing.
const FullDraws = 100_000

// Bounds of a difference: quantiles relative, in percent, the others absolute.
const (
	turnMedian  = 2    // p50 of a quantity of turns, or of traces
	turnTail    = 5    // p99 of it
	sumMedian   = 6    // p50 of a sum over a trace
	sumRest     = 12   // its p25 to p99
	correlation = 0.03 // at lag 1
	hitRate     = 0.3  // percentage points
)

// Row is one comparison.
type Row struct {
	Name     string  `json:"name"`
	Position string  `json:"position,omitempty"`
	Measure  string  `json:"measure"` // p50, lag1, ...
	Expected float64 `json:"expected"`
	Found    float64 `json:"found"`
	Off      float64 `json:"off"`             // in percent; of correlations and hit rates the difference
	Bound    float64 `json:"bound,omitempty"` // 0: only shown
	OK       bool    `json:"ok"`
	// Scatter: out of the bound, and yet no further off than what is expected is uncertain by itself, being measured on so many
	// traces only.
	Scatter bool `json:"scatter,omitempty"`
}

// Held reports whether a bound is set on the comparison.
func (r *Row) Held() bool { return r.Bound > 0 }

// Against compares drawn traces with what is expected, in the order of the expectation. What one of them lacks is left out.
func Against(expected, drawn *measure.Summary) []Row {
	slack := math.Sqrt(max(1, float64(FullDraws)/float64(max(drawn.Traces, 1))))
	var out []Row
	for i := range expected.Quantities {
		want := &expected.Quantities[i]
		if have := find(drawn, want); have != nil {
			out = append(out, quantiles(want, have, expected.Percents, slack)...)
		}
	}
	for _, want := range expected.Correlation {
		for _, have := range drawn.Correlation {
			if want.Name == have.Name {
				out = append(out, difference(want.Name, "lag1", want.Lag1, have.Lag1, correlation*slack),
					difference(want.Name, "lag2", want.Lag2, have.Lag2, 0), difference(want.Name, "lag8", want.Lag8, have.Lag8, 0))
			}
		}
	}
	if expected.HitTokens > 0 {
		out = append(out, difference("ideal_hit_rate", "tokens", expected.HitTokens, drawn.HitTokens, hitRate*slack),
			difference("ideal_hit_rate", "traces", expected.HitTraces, drawn.HitTraces, hitRate*slack))
	}
	return out
}

func find(s *measure.Summary, like *measure.Quantity) *measure.Quantity {
	for i := range s.Quantities {
		if q := &s.Quantities[i]; q.Name == like.Name && q.Kind == like.Kind && q.Position == like.Position {
			return q
		}
	}
	return nil
}

func quantiles(want, have *measure.Quantity, percents []float64, slack float64) []Row {
	var out []Row
	for i, p := range percents {
		if i >= len(want.Quantiles) || i >= len(have.Quantiles) {
			break
		}
		r := Row{Name: want.Name, Position: want.Position, Measure: percentName(p), Expected: want.Quantiles[i], Found: have.Quantiles[i], Bound: bound(want.Kind, p) * slack}
		if enough := float64(min(want.Count, have.Count)) * min(p, 100-p) / 100; enough < 10 {
			r.Bound = 0 // fewer than ten values lie beyond it
		}
		r.Off = percent(r.Found-r.Expected, r.Expected)
		// Lengths are whole numbers: one more or less is no difference.
		r.OK = !r.Held() || math.Abs(r.Off) <= r.Bound || math.Abs(r.Found-r.Expected) <= 1
		if i < len(want.Low) && i < len(want.High) && !r.OK && r.Found >= want.Low[i] && r.Found <= want.High[i] {
			r.OK, r.Scatter = true, true
		}
		out = append(out, r)
	}
	return out
}

// bound gives the bound of a quantile in percent, 0 where none is set.
func bound(kind measure.Kind, p float64) float64 {
	switch {
	case kind == measure.Sum && p == 50:
		return sumMedian
	case kind == measure.Sum && p >= 25:
		return sumRest
	case kind == measure.Sum:
		return 0
	case p == 50:
		return turnMedian
	case p == 99:
		return turnTail
	}
	return 0
}

func difference(name, what string, want, have, bound float64) Row {
	r := Row{Name: name, Measure: what, Expected: want, Found: have, Off: round(have - want), Bound: round(bound)}
	r.OK = bound == 0 || math.Abs(r.Off) <= bound
	return r
}

// percent gives a part in percent, 0 where both are 0 and 100 where only the whole is.
func percent(part, whole float64) float64 {
	switch {
	case part == 0:
		return 0
	case whole == 0:
		return 100
	}
	return round(100 * part / whole)
}

func round(v float64) float64 { return math.Round(v*1e4) / 1e4 }
