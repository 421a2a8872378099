package spec

import (
	"math/bits"
	"sort"

	"paceline/workloads/profiles/fixed"
)

// Dist is a distribution by its quantile function: values in micro-units.
type Dist interface {
	// At gives the value at a probability of u / 2^32. It never falls as u rises, except from one part of a mixture to the
	// next.
	At(u uint32) int64
}

// constant is one value.
type constant int64

// At implements Dist.
func (c constant) At(uint32) int64 { return int64(c) }

// log2e is the logarithm of e to the base 2, with fixed.LogBits binary places.
const log2e = 24204406

// lognormal is 2 to the power of a normal variable.
type lognormal struct {
	middle int64 // logarithm of the median in micro-units
	sigma  int64 // 16 binary places, natural logarithm
}

// At implements Dist.
func (d lognormal) At(u uint32) int64 {
	spread := (d.sigma * fixed.Normal(u)) >> 16
	return fixed.Exp2(d.middle+(spread*log2e)>>16) >> 16
}

// ofMean gives the lognormal distribution with a mean and a standard deviation.
func ofMean(mean, deviation int64) lognormal {
	// With r = deviation / mean, the variance of the logarithm is ln(1 + r^2).
	const places = 20
	ratio := uint64(deviation) << places / uint64(mean)
	variance := fixed.Log2(1<<places+(ratio*ratio)>>places) - places<<fixed.LogBits // times log2e
	natural := uint64(variance) << fixed.LogBits / log2e
	return lognormal{fixed.Log2(uint64(mean)) - variance/2, int64(fixed.Sqrt(natural << (32 - fixed.LogBits)))}
}

// normal is a normal variable.
type normal struct{ mean, deviation int64 }

// At implements Dist.
func (d normal) At(u uint32) int64 {
	z := fixed.Normal(u)
	return d.mean + (d.deviation>>8*z)>>8
}

// quantiles is a table: probabilities that rise from 0, and values that do not fall.
type quantiles struct {
	at     []uint32
	values []int64
	logs   []int64 // of the values, where lines are straight in their logarithms
}

// At implements Dist.
func (d *quantiles) At(u uint32) int64 {
	i := min(max(sort.Search(len(d.at), func(i int) bool { return d.at[i] > u }), 1), len(d.at)-1)
	share := int64((uint64(u-d.at[i-1]) << 16) / uint64(d.at[i]-d.at[i-1]))
	low, high := d.values[i-1], d.values[i]
	if d.logs != nil && low > 0 {
		return fixed.Exp2(d.logs[i-1]+((d.logs[i]-d.logs[i-1])*share)>>16) >> 16
	}
	return low + between(high-low, share)
}

// between gives a share, with 16 binary places, of a span that may be long.
func between(span, share int64) int64 {
	high, low := bits.Mul64(uint64(span), uint64(share))
	return int64(high<<48 | low>>16)
}

// zipf is the rank of one of some things of which the k-th is k^-exponent as likely as the first.
type zipf struct {
	upTo []uint32 // cumulative
	from int64
}

// At implements Dist.
func (d *zipf) At(u uint32) int64 { return (d.from + d.rank(u)) * micro }

// rank counts from 0.
func (d *zipf) rank(u uint32) int64 {
	return int64(min(sort.Search(len(d.upTo), func(i int) bool { return u < d.upTo[i] }), len(d.upTo)-1))
}

// newZipf sums up the weights; the exponent has 16 binary places.
func newZipf(count int, exponent, from int64) *zipf {
	sums, total := make([]uint64, count), uint64(0)
	for i := range count {
		// 40 binary places, of which Exp2 gives 16.
		total += uint64(fixed.Exp2(24<<fixed.LogBits - (exponent*fixed.Log2(uint64(i+1)))>>16))
		sums[i] = total
	}
	d := &zipf{from: from}
	for _, s := range sums {
		high, low := bits.Mul64(s, 1<<32)
		share, _ := bits.Div64(high, low, total+1)
		d.upTo = append(d.upTo, uint32(share))
	}
	return d
}

// mixture is one of several distributions, by weight.
type mixture struct {
	upTo  []uint32
	parts []Dist
}

// At implements Dist.
func (d *mixture) At(u uint32) int64 {
	i := min(sort.Search(len(d.upTo), func(i int) bool { return u < d.upTo[i] }), len(d.parts)-1)
	from := uint32(0)
	if i > 0 {
		from = d.upTo[i-1]
	}
	span := uint64(d.upTo[i]) - uint64(from)
	if i == len(d.parts)-1 {
		span = 1<<32 - uint64(from)
	}
	return d.parts[i].At(uint32(min(uint64(u-from)<<32/max(span, 1), 1<<32-1)))
}

// bounded is the part of a distribution that lies between two values, moved.
type bounded struct {
	of       Dist
	from, to uint32
	add      int64
}

// At implements Dist.
func (d *bounded) At(u uint32) int64 {
	span := uint64(d.to-d.from) + 1
	return d.of.At(d.from+uint32(uint64(u)*span>>32)) + d.add
}

// bound cuts a distribution; ok is false where nothing of it is left.
func bound(of Dist, low, high, add int64) (Dist, bool) {
	const all = 1 << 32
	from := sort.Search(all, func(u int) bool { return of.At(uint32(u)) >= low })
	to := sort.Search(all, func(u int) bool { return of.At(uint32(u)) > high }) - 1
	if from >= all || to < from {
		return of, false
	}
	return &bounded{of, uint32(from), uint32(to), add}, true
}
