package load

import "math"

// The arithmetic of arrivals gives the same bits on every machine: no assembly, and each product is rounded by itself, so
// that no compiler joins it with a sum. math.Log and math.Exp promise neither. Both agree with theirs to 1e-15.

// mul is a product rounded by itself.
func mul(a, b float64) float64 { return float64(a * b) }

// ln is the natural logarithm of a positive finite number, by the series of the inverse hyperbolic tangent.
func ln(x float64) float64 {
	m, e := math.Frexp(x) // both exact
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	s := (m - 1) / (m + 1)
	square := mul(s, s)
	sum := 0.0
	for k := 23; k >= 1; k -= 2 {
		sum = mul(sum, square) + 1/float64(k)
	}
	return mul(2*s, sum) + mul(float64(e), math.Ln2)
}

// exp is the exponential of a number between -700 and 700, by its series on what is left of multiples of ln 2.
func exp(x float64) float64 {
	n := math.Floor(mul(x, 1/math.Ln2) + 0.5)
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10 // of ln 2: n*high is exact
	r := x - mul(n, high) - mul(n, low)
	sum := 1.0
	for k := 18; k >= 1; k-- {
		sum = 1 + mul(sum, r)/float64(k)
	}
	return math.Ldexp(sum, int(n))
}
