package rules

import (
	"fmt"
	"math"
	"math/big"
	"time"
)

// Region is where a concurrency lies on a curve, as point.yaml spells it.
type Region string

// Regions.
const (
	LowLatency Region = "low_latency" // called Ultra Low in texts
	Low        Region = "low_concurrency"
	Medium     Region = "med_concurrency"
	High       Region = "high_concurrency"
	Margin     Region = "margin"
	Choice     Region = "submitters_choice" // a word that a point may declare; nothing is placed there
)

// Range is a range of concurrencies, both ends included. It is empty where Last is below First.
type Range struct{ First, Last int }

// Has says whether c lies in the range.
func (r Range) Has(c int) bool { return r.First <= c && c <= r.Last }

// Empty says whether no concurrency lies in the range.
func (r Range) Empty() bool { return r.Last < r.First }

// Regions are the regions of one curve. LowLatency is where a point is placed; what covers Ultra Low, or stands for it with
// an accuracy run, is any point of UltraLow, which overlaps Low and Medium unless C_min was overridden.
type Regions struct {
	CMin, CMax                            int
	LowLatency, Low, Medium, High, Margin Range
}

// NewRegions divides the concurrencies from cmin, the lowest of the curve, to cmax, the declared maximum.
func NewRegions(cmin, cmax int) (Regions, error) {
	if cmin < 1 || cmin > MaxUltraLow {
		return Regions{}, fmt.Errorf("the lowest concurrency C_min is %d; want 1 to %d", cmin, MaxUltraLow)
	}
	if cmax <= MaxUltraLow || cmax > math.MaxInt32 {
		return Regions{}, fmt.Errorf("the highest concurrency C_max is %d; want more than %d", cmax, MaxUltraLow)
	}
	span := int64(cmax - cmin)
	low, medium := cmin+cubeRoot(span, 1), cmin+cubeRoot(span, 2)
	return Regions{
		CMin: cmin, CMax: cmax, LowLatency: Range{1, cmin}, Low: Range{cmin + 1, low}, Medium: Range{low + 1, medium},
		High: Range{medium + 1, cmax}, Margin: Range{cmax + 1, int(math.Ceil(1.10 * float64(cmax)))}, // in float64, as the rules' own code
	}, nil
}

// cubeRoot is span^(power/3), rounded to the nearest integer. An odd number over two has no integer as its cube, so nothing
// lies in the middle, and integers give what the rules' logarithms give.
func cubeRoot(span int64, power int) int {
	k := int64(math.Cbrt(math.Pow(float64(span), float64(power))))
	for over(k, span, power) {
		k--
	}
	for !over(k+1, span, power) {
		k++
	}
	return int(k)
}

// over says whether k rounds up what is sought: (k-1/2)^3 > span^power.
func over(k, span int64, power int) bool {
	edge, odd := big.NewInt(8), big.NewInt(2*k-1)
	for range power {
		edge.Mul(edge, big.NewInt(span))
	}
	return new(big.Int).Exp(odd, big.NewInt(3), nil).Cmp(edge) > 0
}

// Of places a concurrency; ok is false where it lies above the margin or below 1.
func (r Regions) Of(c int) (Region, bool) {
	for _, e := range []struct {
		name Region
		in   Range
	}{{LowLatency, r.LowLatency}, {Low, r.Low}, {Medium, r.Medium}, {High, r.High}, {Margin, r.Margin}} {
		if e.in.Has(c) {
			return e.name, true
		}
	}
	return "", false
}

// Band is a region that a curve must cover, and where it must have an accuracy run.
type Band struct {
	Region Region
	Name   string // as texts call it
	In     Range
}

// Bands are the four bands. Ultra Low is 1 to 32, or 1 to C_min where C_min was overridden.
func (r Regions) Bands(overridden bool) []Band {
	ultra := Range{1, MaxUltraLow}
	if overridden {
		ultra.Last = r.CMin
	}
	return []Band{{LowLatency, "Ultra Low Concurrency", ultra}, {Low, "Low Concurrency", r.Low}, {Medium, "Medium Concurrency", r.Medium},
		{High, "High Concurrency", r.High}}
}

// MinDuration is how long a point of that concurrency must run at least.
func MinDuration(concurrency int) time.Duration {
	if concurrency <= MaxUltraLow {
		return 600 * time.Second
	}
	return 2400 * time.Second
}
