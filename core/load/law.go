package load

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Law is how the gaps between arrivals are spread around their mean. The zero Law has equal gaps.
type Law struct {
	kind  lawKind
	shape float64
}

type lawKind uint8

const (
	equal lawKind = iota
	exponential
	gamma
)

// Equal has every gap as long as the mean.
func Equal() Law { return Law{} }

// Poisson has exponential gaps: arrivals that know nothing of each other.
func Poisson() Law { return Law{kind: exponential} }

// Bounds of a gamma law's shape.
const (
	MinShape = 0.01
	MaxShape = 1000
)

// Gamma has gaps of a gamma distribution with that shape, which benchmarks also call burstiness: 1 is Poisson, below it
// arrivals come in bursts, above it they are more regular. The gaps' variance is the mean squared divided by the shape. Gaps are
// whole nanoseconds: at a small shape many are none.
func Gamma(shape float64) (Law, error) {
	if !(shape >= MinShape && shape <= MaxShape) {
		return Law{}, fmt.Errorf("gamma arrivals: the shape %v does not lie between %v and %v", shape, MinShape, MaxShape)
	}
	return Law{kind: gamma, shape: shape}, nil
}

// gap draws a gap whose mean is 1.
func (l Law) gap(r *rand.Rand) float64 {
	switch l.kind {
	case exponential:
		return -ln(unit(r))
	case gamma:
		return drawGamma(r, l.shape) / l.shape
	default:
		return 1
	}
}

// unit draws from (0, 1].
func unit(r *rand.Rand) float64 { return float64(r.Uint64()>>11+1) / (1 << 53) }

// drawGamma draws from the gamma distribution with a scale of 1: Marsaglia and Tsang, ACM Transactions on Mathematical
// Software 26, 2000; below a shape of 1 by their reduction to the next higher one.
func drawGamma(r *rand.Rand, shape float64) float64 {
	if shape < 1 {
		power := max(ln(unit(r))/shape, -700)
		return mul(drawGamma(r, shape+1), exp(power))
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(mul(9, d))
	for {
		x := normal(r)
		v := 1 + mul(c, x)
		if v <= 0 {
			continue
		}
		v = mul(mul(v, v), v)
		if ln(unit(r)) < mul(mul(0.5, x), x)+d-mul(d, v)+mul(d, ln(v)) {
			return mul(d, v)
		}
	}
}

// normal draws from the standard normal distribution by Marsaglia's polar method.
func normal(r *rand.Rand) float64 {
	for {
		x, y := 2*unit(r)-1, 2*unit(r)-1
		s := mul(x, x) + mul(y, y)
		if s > 0 && s < 1 {
			return mul(x, math.Sqrt(mul(-2, ln(s))/s))
		}
	}
}
