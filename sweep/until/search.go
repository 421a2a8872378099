package until

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Result is one point that was played.
type Result struct {
	Concurrency int
	// Load is the worst of the objectives: what was measured over what is allowed, so up to 1 all are kept. Infinite stands
	// for a point that has no figure, which keeps nothing.
	Load float64
}

// Search looks for the highest concurrency between Low and High.
type Search struct {
	Low, High int
	Points    int // at most; Check says how few
}

// Bounds of a search.
const (
	MinPoints = 3
	MaxPoints = 64
	MaxUsers  = 1_000_000
)

// Check reports what is wrong with the search.
func (s *Search) Check() error {
	switch {
	case s.Low < 1 || s.High > MaxUsers || s.Low >= s.High:
		return fmt.Errorf("search: from %d to %d users; want a range within 1 to %d", s.Low, s.High, MaxUsers)
	case s.Points < MinPoints || s.Points > MaxPoints:
		return fmt.Errorf("search: %d points; want %d to %d", s.Points, MinPoints, MaxPoints)
	}
	return nil
}

// Answer is where a search stands.
type Answer struct {
	// Next is the concurrency to play next; 0: the search is over.
	Next int
	// Best is the highest concurrency that was played and kept the objectives, once noise is smoothed away; 0: none did.
	Best int
	// Fails is the lowest one above Best that was played and did not; 0: none.
	Fails int
	// Exact says that no concurrency of the grid lies between the two, or that Best is the upper end.
	Exact bool
}

// Next says where the search stands after these points, in any order.
func (s *Search) Next(results []Result) Answer {
	list := grid(s.Low, s.High)
	known := smooth(results)
	var a Answer
	lower, upper := -1, len(list) // places on the grid that are known to keep, and not to keep
	for _, r := range known {
		i := at(list, r.Concurrency)
		if r.Load <= 1 {
			a.Best, lower = r.Concurrency, i
		} else if upper == len(list) {
			a.Fails, upper = r.Concurrency, i
		}
	}
	a.Exact = upper-lower == 1
	if len(results) >= s.Points {
		return a
	}
	if a.Exact {
		a.Next = doubtful(known, results)
		return a
	}
	if len(known) == 0 {
		a.Next = list[at(list, int(math.Sqrt(float64(s.Low)*float64(s.High))))]
		return a
	}
	i := guess(list, known, results, lower, upper)
	a.Next = list[i]
	return a
}

// guess is the place to play next, strictly between two places: where a line through the nearest points, both axes
// logarithmic, crosses 1; from one side only it goes at most a factor of eight.
func guess(list []int, known, results []Result, lower, upper int) int {
	first, last := lower+1, upper-1
	middle := (first + last) / 2
	below, above := neighbours(known)
	target := float64(list[middle])
	switch {
	case below != nil && above != nil && !math.IsInf(above.Load, 1):
		target = cross(below, above, streak(results))
	case above == nil:
		target = reach(below, known, 1)
	case below == nil && !math.IsInf(above.Load, 1):
		target = reach(above, known, -1)
	}
	return min(max(at(list, int(target)), first), last)
}

// doubt is how near to 1 a load may have come about by noise.
const doubt = 0.06

// doubtful is the concurrency whose load is nearest to 1 of the two that the answer hangs on, where it lies within
// doubt and was not played three times; 0: none.
func doubtful(known, results []Result) int {
	nearest, distance := 0, doubt
	below, above := neighbours(known)
	for _, r := range []*Result{below, above} {
		if r == nil || math.Abs(r.Load-1) >= distance {
			continue
		}
		played := 0
		for _, x := range results {
			if x.Concurrency == r.Concurrency {
				played++
			}
		}
		if played < 3 {
			nearest, distance = r.Concurrency, math.Abs(r.Load-1)
		}
	}
	return nearest
}

// neighbours are the highest point that keeps the objectives and the lowest that does not.
func neighbours(known []Result) (below, above *Result) {
	for i := range known {
		if known[i].Load <= 1 {
			below = &known[i]
		} else if above == nil {
			above = &known[i]
		}
	}
	return below, above
}

// streak counts the last points that fell on one side: positive where they keep the objectives, else negative.
func streak(results []Result) int {
	n := 0
	for i := len(results) - 1; i >= 0; i-- {
		keeps := results[i].Load <= 1
		if keeps != (results[len(results)-1].Load <= 1) {
			break
		}
		n++
	}
	if results[len(results)-1].Load > 1 {
		return -n
	}
	return n
}

// cross is where the line between two points has a load of 1. Where points keep falling on one side the other end is
// discounted by half for each, as the Illinois method does, since loads may be flat and then steep.
func cross(a, b *Result, streak int) float64 {
	x, y := math.Log(float64(a.Concurrency)), math.Log(float64(b.Concurrency))
	p, q := math.Log(max(a.Load, 1e-3)), math.Log(b.Load)
	if streak > 1 {
		q = math.Ldexp(q, 1-streak)
	} else if streak < -1 {
		p = math.Ldexp(p, 1+streak)
	}
	return math.Exp(x + (y-x)*(0-p)/(q-p))
}

// reach goes on from the outermost point of one side: along the line of the two outermost, else as if the load grew with
// the concurrency.
func reach(from *Result, known []Result, direction int) float64 {
	slope := 1.0
	if len(known) > 1 {
		a, b := known[len(known)-2], known[len(known)-1]
		if direction < 0 {
			a, b = known[0], known[1]
		}
		rise := math.Log(max(b.Load, 1e-3)) - math.Log(max(a.Load, 1e-3))
		slope = max(rise/(math.Log(float64(b.Concurrency))-math.Log(float64(a.Concurrency))), 0.3)
	}
	factor := math.Exp(-math.Log(max(from.Load, 1e-3)) / slope)
	return float64(from.Concurrency) * min(max(factor, 1.0/8), 8)
}

// smooth sorts the points and makes their loads rise with the concurrency: neighbours that do not are given their mean, as
// isotonic regression does. Equal concurrencies are one point with the mean of their loads.
func smooth(results []Result) []Result {
	sorted := slices.Clone(results)
	slices.SortStableFunc(sorted, func(a, b Result) int { return cmp.Compare(a.Concurrency, b.Concurrency) })
	type block struct {
		sum   float64
		count int
		at    []int // concurrencies
	}
	var blocks []block
	for i, r := range sorted {
		if i > 0 && r.Concurrency == sorted[i-1].Concurrency {
			b := &blocks[len(blocks)-1]
			b.sum, b.count = b.sum+r.Load, b.count+1
		} else {
			blocks = append(blocks, block{r.Load, 1, []int{r.Concurrency}})
		}
		for n := len(blocks); n > 1 && blocks[n-2].sum/float64(blocks[n-2].count) > blocks[n-1].sum/float64(blocks[n-1].count); n-- {
			last := blocks[n-1]
			b := &blocks[n-2]
			b.sum, b.count, b.at = b.sum+last.sum, b.count+last.count, append(b.at, last.at...)
			blocks = blocks[:n-1]
		}
	}
	var out []Result
	for _, b := range blocks {
		for _, n := range b.at {
			out = append(out, Result{n, b.sum / float64(b.count)})
		}
	}
	return out
}
