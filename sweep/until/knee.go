package until

import (
	"cmp"
	"math"
	"slices"
)

// Spot is a point of a curve: what the system gives at a concurrency.
type Spot struct {
	Concurrency int
	Throughput  float64
}

// Knee is the concurrency behind which more users bring the system little: of the points, that which lies farthest above the
// line from the first to the last, concurrency on a logarithmic axis. It is 0 where fewer than three points are known or no point
// lies above the line by a twentieth of the rise.
func Knee(curve []Spot) int {
	c := slices.Clone(curve)
	slices.SortFunc(c, func(a, b Spot) int { return cmp.Compare(a.Concurrency, b.Concurrency) })
	if len(c) < 3 || c[len(c)-1].Concurrency == c[0].Concurrency {
		return 0
	}
	first, last := c[0], c[len(c)-1]
	top := first.Throughput
	for _, s := range c {
		top = max(top, s.Throughput)
	}
	width, rise := math.Log(float64(last.Concurrency)/float64(first.Concurrency)), top-first.Throughput
	if !(rise > 0) {
		return 0
	}
	best, farthest := 0, 0.05
	for _, s := range c[1 : len(c)-1] {
		along := math.Log(float64(s.Concurrency)/float64(first.Concurrency)) / width
		line := along * (last.Throughput - first.Throughput) / rise
		if d := (s.Throughput-first.Throughput)/rise - line; d > farthest {
			best, farthest = s.Concurrency, d
		}
	}
	return best
}
