package fixed

import "math/bits"

// LogBits is the number of binary places of a logarithm.
const LogBits = 24

// Log2 gives the logarithm to the base 2 of a number from 1; of 0 it gives that of 1.
func Log2(n uint64) int64 {
	if n <= 1 {
		return 0
	}
	whole := bits.Len64(n) - 1
	mantissa := n << (63 - whole) // in [2^63, 2^64): 1 to 2
	out := int64(whole)
	for range LogBits {
		high, _ := bits.Mul64(mantissa, mantissa) // with 62 binary places
		out <<= 1
		if high >= 1<<63 {
			out |= 1
			mantissa = high
		} else {
			mantissa = high << 1
		}
	}
	return out
}

// maxExponent bounds what Exp2 gives, so that products of it stay in 64 bits.
const maxExponent = 40 << LogBits

// Exp2 gives 2 to a power with 16 binary places; powers above 40 count as 40, and below -16 the result is 0.
func Exp2(power int64) int64 {
	power = min(power, maxExponent)
	whole, rest := power>>LogBits, uint64(power)&(1<<LogBits-1)
	if whole < -16 {
		return 0
	}
	out := uint64(1) << 32
	for i := range LogBits {
		if rest&(1<<(LogBits-1-i)) != 0 {
			high, low := bits.Mul64(out, roots[i])
			out = high<<32 | low>>32
		}
	}
	// out is 1 to 2 with 32 binary places.
	if shift := whole - 16; shift >= 0 {
		return int64(out << shift)
	} else {
		return int64(out >> -shift)
	}
}

// Sqrt gives the whole part of a square root.
func Sqrt(n uint64) uint64 {
	if n == 0 {
		return 0
	}
	x := uint64(1) << ((bits.Len64(n) + 1) / 2)
	for {
		y := (x + n/x) / 2
		if y >= x {
			return x
		}
		x = y
	}
}
