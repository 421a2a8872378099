package fixed

import "math/bits"

// One is 1 in numbers with 16 binary places.
const One = 1 << 16

// The shape of the tables.
const (
	octaves = 32
	steps   = 32
	perUnit = 64
)

// Normal gives the quantile of the standard normal distribution at a probability of (u + 1/2) / 2^32.
func Normal(u uint32) int64 {
	if u >= 1<<31 {
		return above50(^u)
	}
	return -above50(u)
}

// above50 gives the quantile with a tail of (t + 1/2) / 2^32 above it, for t below 2^31.
func above50(t uint32) int64 {
	tail := uint64(t)<<1 | 1                    // with 33 binary places; 2^32 is 1/2
	octave := bits.LeadingZeros32(uint32(tail)) // tail is in (2^(31-octave), 2^(32-octave)]
	if octave == octaves-1 {                    // t is 0
		return int64(upper[len(upper)-1])
	}
	// place counts 2^20ths of a step from the octave's upper end, downwards.
	span := uint64(1) << (31 - octave)
	place := (2*span - tail) << 25 / span
	i, rest := octave*steps+int(place>>20), int64(place&(1<<20-1))
	low, high := int64(upper[i]), int64(upper[i+1])
	return low + ((high-low)*rest)>>20
}

// Below gives the probability of lying below a place of the standard normal distribution.
func Below(z int64) uint32 {
	if z < 0 {
		return aboveAt(-z)
	}
	return ^aboveAt(z)
}

func aboveAt(z int64) uint32 {
	scaled := z * perUnit
	i, rest := scaled>>16, scaled&(One-1)
	if i >= int64(len(above)-1) {
		return 0
	}
	low, high := int64(above[i]), int64(above[i+1])
	return uint32(min(low+((high-low)*rest)>>16, 1<<31-1))
}
