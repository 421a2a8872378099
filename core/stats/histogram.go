package stats

import (
	"math"
	"math/big"
	"sort"
)

// Bins is the number of bins of a Histogram.
const Bins = 30

// Histogram counts values in bins whose edges grow by one factor.
type Histogram struct {
	// Edges are the Bins + 1 borders in output units. A bin holds its lower
	// border, and the last one its upper border too.
	Edges []Num `json:"edges"`
	// Counts are the numbers of values per bin.
	Counts []int `json:"counts"`
}

// edgeBits is the number of binary digits that an edge has behind the point.
const edgeBits = 40

// Histogram spreads Bins bins evenly, by logarithm, over [a, b] with
// a = max(min, 1) and b = max(max, 10 a), in base units; values outside go to
// the nearest bin. It is empty for an empty list. Edges come from whole-number
// roots, so that no logarithm decides to which bin a value belongs.
func (s Series) Histogram() Histogram {
	n := len(s.sorted)
	if n == 0 {
		return Histogram{}
	}
	low := max(s.sorted[0], 1)
	high := new(big.Int).Mul(big.NewInt(low), big.NewInt(10))
	if last := big.NewInt(s.sorted[n-1]); last.Cmp(high) > 0 {
		high = last
	}
	h := Histogram{Edges: make([]Num, Bins+1), Counts: make([]int, Bins)}
	den := new(big.Int).Lsh(s.unit(), edgeBits)
	before := 0
	for i := range Bins + 1 {
		edge := geometric(big.NewInt(low), high, i)
		h.Edges[i] = ratio(edge, den)
		if i == 0 {
			continue
		}
		below := n
		if i < Bins {
			below = sort.Search(n, func(j int) bool {
				v := big.NewInt(s.sorted[j])
				return v.Lsh(v, edgeBits).Cmp(edge) >= 0
			})
		}
		h.Counts[i-1], before = below-before, below
	}
	return h
}

// geometric is the i-th of Bins + 1 borders from low to high, rounded down to
// a multiple of 2^-edgeBits and given in that unit.
func geometric(low, high *big.Int, i int) *big.Int {
	exp := func(b *big.Int, k int) *big.Int { return new(big.Int).Exp(b, big.NewInt(int64(k)), nil) }
	target := exp(low, Bins-i)
	target.Mul(target, exp(high, i)).Lsh(target, edgeBits*Bins)
	// A float64 is a good first guess; Newton's steps and the last comparisons
	// are exact, so the result does not depend on the guess.
	ratio, _ := new(big.Float).Quo(new(big.Float).SetInt(high), new(big.Float).SetInt(low)).Float64()
	guess, _ := new(big.Float).SetInt(low).Float64()
	guess *= math.Pow(ratio, float64(i)/Bins)
	root, _ := new(big.Float).SetMantExp(big.NewFloat(guess), edgeBits).Int(nil)
	if root.Sign() <= 0 {
		root.SetInt64(1)
	}
	one := big.NewInt(1)
	for {
		step := new(big.Int).Quo(target, exp(root, Bins-1))
		step.Sub(step, root).Quo(step, big.NewInt(Bins))
		if step.Sign() == 0 {
			break
		}
		root.Add(root, step)
	}
	for exp(root, Bins).Cmp(target) > 0 {
		root.Sub(root, one)
	}
	for next := new(big.Int).Add(root, one); exp(next, Bins).Cmp(target) <= 0; next.Add(next, one) {
		root.Set(next)
	}
	return root
}
