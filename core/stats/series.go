package stats

import (
	"math"
	"math/big"
	"slices"
)

// Series is a list of values, sorted upwards, with its unit. Make one with
// NewSeries; the zero Series is an empty list.
type Series struct {
	sorted []int64
	scale  int64
}

// NewSeries takes ownership of values and sorts them in place. scale is the
// number of base units in one output unit, 1,000,000 for nanoseconds that are
// shown as milliseconds; a scale below 1 counts as 1.
func NewSeries(values []int64, scale int64) Series {
	slices.Sort(values)
	return Series{sorted: values, scale: max(scale, 1)}
}

// Len is the number of values.
func (s Series) Len() int { return len(s.sorted) }

// Values lists the values in base units, sorted upwards. The caller must not
// change the slice.
func (s Series) Values() []int64 { return s.sorted }

// Quantile is a share in thousandths: P999 asks for the value that 999 of 1,000
// do not exceed. A whole number, so that every position in a list is exact.
type Quantile int64

// The quantiles that a Summary shows.
const (
	P50  Quantile = 500
	P90  Quantile = 900
	P95  Quantile = 950
	P99  Quantile = 990
	P999 Quantile = 999
)

const mille = 1000

// Quantile is the linear quantile (type 7), in output units: between the two
// values around position (n - 1) q it interpolates. Missing for an empty list.
func (s Series) Quantile(q Quantile) Num { return s.QuantileWith(q, 0) }

// QuantileWith is the linear quantile of the list with infinite further values
// added at its upper end. It is missing where the quantile itself is infinite,
// and where there are no values at all.
func (s Series) QuantileWith(q Quantile, infinite int) Num {
	n := int64(len(s.sorted) + infinite)
	if n == 0 {
		return None()
	}
	at, rem := (n-1)*int64(q)/mille, (n-1)*int64(q)%mille
	have := int64(len(s.sorted))
	if at >= have || rem > 0 && at+1 >= have {
		return None()
	}
	v := new(big.Int).Mul(big.NewInt(s.sorted[at]), big.NewInt(mille))
	if rem > 0 {
		d := new(big.Int).Sub(big.NewInt(s.sorted[at+1]), big.NewInt(s.sorted[at]))
		v.Add(v, d.Mul(d, big.NewInt(rem)))
	}
	return ratio(v, big.NewInt(mille), s.unit())
}

// Lower is MLPerf's quantile, in base units: the value at position
// floor(percent/100 * (n - 1)), with the product taken in float64 as the
// reference does. The list must not be empty.
func (s Series) Lower(percent float64) int64 {
	pos := float64(float64(len(s.sorted)-1) * (percent / 100))
	return s.sorted[min(int(math.Floor(pos)), len(s.sorted)-1)]
}

// NearestRank is the value at rank ceil(n q), in base units. The list must not
// be empty.
func (s Series) NearestRank(q Quantile) int64 {
	n := int64(len(s.sorted))
	rank := (n*int64(q) + mille - 1) / mille
	return s.sorted[max(rank, 1)-1]
}

func (s Series) sums() sums {
	var t sums
	for _, v := range s.sorted {
		t.add(v)
	}
	return t
}

// Sum is the sum of all values in output units; 0 for an empty list.
func (s Series) Sum() Num {
	t := s.sums()
	return ratio(t.total(), s.unit())
}

// Mean is the mean in output units; missing for an empty list.
func (s Series) Mean() Num {
	t := s.sums()
	return ratio(t.total(), big.NewInt(int64(t.n)), s.unit())
}

// StdDev is the sample standard deviation, with n - 1, in output units;
// missing below two values.
func (s Series) StdDev() Num {
	t := s.sums()
	return s.stdDev(&t)
}

func (s Series) stdDev(t *sums) Num {
	if t.n < 2 {
		return None()
	}
	u := s.unit()
	v := t.variance()
	v.Quo(v, new(big.Rat).SetInt(u.Mul(u, u)))
	f, _ := v.Float64()
	return Of(math.Sqrt(f)) // IEEE 754 asks for a correctly rounded root, so it is the same everywhere.
}

func (s Series) unit() *big.Int { return big.NewInt(max(s.scale, 1)) }

// ratio is num over the product of dens, rounded once; missing where that is 0.
func ratio(num *big.Int, dens ...*big.Int) Num {
	den := big.NewInt(1)
	for _, d := range dens {
		den.Mul(den, d)
	}
	if den.Sign() == 0 {
		return None()
	}
	f, _ := new(big.Rat).SetFrac(num, den).Float64()
	return Of(f)
}

// Ratio is num over den, correctly rounded, and missing where den is 0.
func Ratio(num, den int64) Num { return ratio(big.NewInt(num), big.NewInt(den)) }

// Ratio3 is a times b over den without overflow, correctly rounded, and missing
// where den is 0.
func Ratio3(a, b, den int64) Num {
	return ratio(new(big.Int).Mul(big.NewInt(a), big.NewInt(b)), big.NewInt(den))
}
