package plan

import (
	"fmt"
	"slices"

	"paceline/mlperf/rules"
)

// Point is one planned point of a curve.
type Point struct {
	Concurrency int
	Spare       bool // may be withdrawn without breaking the curve: points cannot be added after the upload
	Level3      bool // carries a full accuracy run
}

// Make plans so many points, and spares beside them: C_min, C_max and the middle of Low and Medium, so that every band has one,
// then wherever the step to the next concurrency is the largest. Spares go where a band has the fewest points.
func Make(s Settings, points, spares int) ([]Point, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := fits(s, points, spares); err != nil {
		return nil, err
	}
	r, err := s.regions()
	if err != nil {
		return nil, err
	}
	taken := []int{s.CMin, middle(r.Low.First, r.Low.Last), middle(r.Medium.First, r.Medium.Last), s.CMax}
	for len(taken) < points {
		taken = add(taken, rules.Range{First: s.CMin, Last: s.CMax})
	}
	curve := make([]Point, 0, points+spares)
	for _, c := range taken {
		curve = append(curve, Point{Concurrency: c})
	}
	for range spares {
		with := add(taken, thinnest(r, taken))
		for _, c := range with {
			if !slices.Contains(taken, c) {
				curve = append(curve, Point{Concurrency: c, Spare: true})
			}
		}
		taken = with
	}
	slices.SortFunc(curve, func(a, b Point) int { return a.Concurrency - b.Concurrency })
	s.mark(r, curve)
	return curve, nil
}

// fits says whether so many different concurrencies are to be had and allowed.
func fits(s Settings, points, spares int) error {
	room := s.CMax - s.CMin + 1
	switch {
	case points < rules.MinPoints:
		return fmt.Errorf("%d points are too few: the rules want %d at least (one in Ultra Low, Low, Medium and High, and three more)", points, rules.MinPoints)
	case spares < 0:
		return fmt.Errorf("%d spares: want 0 or more", spares)
	case points+spares > rules.MaxPoints:
		return fmt.Errorf("%d points and %d spares are too many: the rules take %d in all", points, spares, rules.MaxPoints)
	case points+spares > room:
		text := fmt.Sprintf("from C_min %d to C_max %d there are %d concurrencies, and %d points are asked for", s.CMin, s.CMax, room, points+spares)
		if low := largestMin(s.CMax, points+spares); low > 0 {
			return fmt.Errorf("%s: take C_min %d or lower", text, low)
		}
		return fmt.Errorf("%s: take fewer", text)
	}
	return nil
}

// middle is the geometric middle of two positive integers, rounded down, so it is the same on every machine.
func middle(a, b int) int {
	k := a
	for (k+1)*(k+1) <= a*b {
		k++
	}
	return k
}

// add puts one more concurrency into a sorted list: into the middle of the largest step, by ratio, that has room inside the
// range. There is room.
func add(taken []int, in rules.Range) []int {
	best, at := -1, 0
	for i := range len(taken) - 1 {
		a, b := taken[i], taken[i+1]
		low, high := max(a+1, in.First), min(b-1, in.Last)
		if low > high {
			continue
		}
		if best < 0 || b*taken[best] > taken[best+1]*a {
			best, at = i, min(max(middle(a, b), low), high)
		}
	}
	if best < 0 {
		return taken
	}
	return slices.Insert(slices.Clone(taken), best+1, at)
}

// thinnest is the region of the fewest points that has room for one more.
func thinnest(r rules.Regions, taken []int) rules.Range {
	best, least := rules.Range{First: r.CMin, Last: r.CMax}, -1
	for _, in := range []rules.Range{r.Low, r.Medium, r.High} {
		n := 0
		for _, c := range taken {
			if in.Has(c) {
				n++
			}
		}
		if room := in.Last - in.First + 1; n < room && (least < 0 || n < least) {
			best, least = in, n
		}
	}
	return best
}

// mark chooses the points of the full accuracy runs: in each band the highest concurrency, where such a run is the shortest.
// C_min lies in Ultra Low alone, so that band always has one left.
func (s *Settings) mark(r rules.Regions, curve []Point) {
	if s.Accuracy.Level3 == EveryPoint {
		for i := range curve {
			curve[i].Level3 = true
		}
	}
	if s.Accuracy.Level3 != Bands {
		return
	}
	for _, band := range slices.Backward(r.Bands(s.Override)) {
		for i := len(curve) - 1; i >= 0; i-- {
			if p := &curve[i]; band.In.Has(p.Concurrency) && !p.Spare && !p.Level3 {
				p.Level3 = true
				break
			}
		}
	}
}
