package stats

import "math"

// alpha is one minus the confidence of the early-stopping estimate.
const alpha = 0.01

// MinCount is the least number of values for which a quantile can be told at
// 99 % confidence: with fewer of them even the largest value may lie below it.
func MinCount(q Quantile) int { return MinPassing(1, q) + 1 }

// MinPassing is the least h with I_q(h, t+1) < 0.01, I being the regularized
// incomplete beta function: with h values below the quantile and t above it,
// the quantile is told at 99 % confidence.
func MinPassing(t int, q Quantile) int {
	high := max(t, 1)
	for !confident(high+t, t, q) {
		high *= 2
	}
	low := 0
	for low+1 < high {
		if mid := low + (high-low)/2; confident(mid+t, t, q) {
			high = mid
		} else {
			low = mid
		}
	}
	return high
}

// EarlyStopping is the t of MLPerf's early-stopping estimate for n values: the
// largest t with MinPassing(t) + t <= n. The t-th highest value is then, at
// 99 % confidence, not below the quantile. It is 0 where n is too small.
func EarlyStopping(n int, q Quantile) int {
	// The median of the number of values above the quantile is at most one more
	// than its mean, so no larger t can pass.
	low, high := 0, n*int(mille-q)/mille+2
	for low+1 < high {
		if mid := low + (high-low)/2; confident(n, mid, q) {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// Confident is the early-stopping estimate of the quantile in output units;
// missing where there are too few values.
func (s Series) Confident(q Quantile) Num {
	t := EarlyStopping(len(s.sorted), q)
	if t == 0 {
		return None()
	}
	return Ratio(s.sorted[len(s.sorted)-t], max(s.scale, 1))
}

// confident reports whether P(X <= t) < alpha for X binomial over n trials that
// each exceed the quantile with probability 1 - q. I_q(n-t, t+1) is the same
// probability.
//
// The terms follow from each other by products alone, each rounded explicitly,
// and the first one by repeated squaring; so no logarithm is needed and the
// answer is the same everywhere. sum is kept relative to the term at hand, and
// the term as a mantissa with an exponent of its own, because it starts far
// below the smallest float64.
func confident(n, t int, q Quantile) bool {
	if t >= n {
		return false
	}
	odds := float64(mille-q) / float64(q)
	m, e := power(float64(q)/mille, n)
	sum := 1.0
	for k := range t {
		step := float64(float64(float64(n-k)/float64(k+1)) * odds)
		sum = float64(sum/step) + 1
		if sum > 1e300 || step == 0 {
			return false
		}
		var x int
		m, x = math.Frexp(float64(m * step))
		e += x
	}
	return math.Ldexp(float64(sum*m), e) < alpha
}

// power is p to the n-th as a mantissa in [0.5, 1) and a binary exponent.
func power(p float64, n int) (float64, int) {
	m, e := 0.5, 1
	bm, be := math.Frexp(p)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			x := 0
			m, x = math.Frexp(float64(m * bm))
			e += x + be
		}
		x := 0
		bm, x = math.Frexp(float64(bm * bm))
		be = 2*be + x
	}
	return m, e
}
