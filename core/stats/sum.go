package stats

import (
	"math/big"
	"math/bits"
)

// sums holds the exact sum of a list and the exact sum of its squares. The sum
// is two's complement over 128 bits, the squares fill 192 bits, so that no list
// of int64 that fits in memory overflows either.
type sums struct {
	n      int
	hi, lo uint64
	sq     [3]uint64
}

func (s *sums) add(v int64) {
	s.n++
	var c uint64
	s.lo, c = bits.Add64(s.lo, uint64(v), 0)
	s.hi, _ = bits.Add64(s.hi, uint64(v>>63), c)
	a := uint64(v)
	if v < 0 {
		a = -a
	}
	h, l := bits.Mul64(a, a)
	s.sq[0], c = bits.Add64(s.sq[0], l, 0)
	s.sq[1], c = bits.Add64(s.sq[1], h, c)
	s.sq[2] += c
}

// total is the exact sum.
func (s *sums) total() *big.Int {
	hi := new(big.Int).SetInt64(int64(s.hi))
	hi.Lsh(hi, 64)
	return hi.Add(hi, new(big.Int).SetUint64(s.lo))
}

func (s *sums) squares() *big.Int {
	r := new(big.Int).SetUint64(s.sq[2])
	for _, w := range []uint64{s.sq[1], s.sq[0]} {
		r.Lsh(r, 64)
		r.Add(r, new(big.Int).SetUint64(w))
	}
	return r
}

// variance is the exact sample variance, with n - 1; s.n is at least 2.
func (s *sums) variance() *big.Rat {
	n := big.NewInt(int64(s.n))
	num := new(big.Int).Mul(n, s.squares())
	t := s.total()
	num.Sub(num, t.Mul(t, t))
	return new(big.Rat).SetFrac(num, n.Mul(n, big.NewInt(int64(s.n-1))))
}
