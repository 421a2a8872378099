package chart

import (
	"cmp"
	"slices"
)

// frontier is the curve itself: the points that no other beats on both axes, from the most tokens per user to the least. At
// a given x the curve is the best y of all points that reached at least that x, so it is a step; nothing is interpolated.
func frontier(all []Point, counts func(Point) bool) []Point {
	var drawn []Point
	for _, p := range all {
		if p.X != nil && p.Y != nil && fits(*p.X) && fits(*p.Y) && counts(p) {
			drawn = append(drawn, p)
		}
	}
	slices.SortStableFunc(drawn, func(a, b Point) int {
		return cmp.Or(cmp.Compare(*b.X, *a.X), cmp.Compare(*b.Y, *a.Y), cmp.Compare(a.Concurrency, b.Concurrency))
	})
	var best []Point
	for _, p := range drawn {
		if len(best) == 0 || *p.Y > *best[len(best)-1].Y {
			best = append(best, p)
		}
	}
	return best
}

func notFailed(p Point) bool { return p.Status() != Failed }

func every(Point) bool { return true }
