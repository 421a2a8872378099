package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"paceline/mlperf/rules"
)

// Check holds the points of a plan, which a person may have edited, against the rules of a curve. It names every fault with
// what would mend it.
func (s *Settings) Check(points []Point) error {
	if err := s.check(); err != nil {
		return err
	}
	r, err := s.regions()
	if err != nil {
		return err
	}
	var errs []error
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if n := len(points); n < rules.MinPoints || n > rules.MaxPoints {
		fail("%d points: the rules want %d to %d", n, rules.MinPoints, rules.MaxPoints)
	}
	lowest := s.CMax
	var all []int
	for _, p := range points {
		lowest = min(lowest, p.Concurrency)
		if _, ok := r.Of(p.Concurrency); !ok {
			fail("concurrency %d lies outside of the curve: want 1 to %d (C_max and its margin)", p.Concurrency, r.Margin.Last)
		}
		all = append(all, p.Concurrency)
	}
	switch {
	case s.Override && !slices.Contains(all, s.CMin):
		fail("c_min_override is declared and no point has %d users: add it, or take c_min of a point", s.CMin)
	case !s.Override && min(lowest, rules.MaxUltraLow) != s.CMin:
		fail("c_min is %d and the lowest point has %d users: make them equal, or declare c_min_override", s.CMin, lowest)
	}
	for _, b := range r.Bands(s.Override) {
		if !slices.ContainsFunc(all, b.In.Has) {
			fail("no point lies in %s: add one of %d to %d users", b.Name, b.In.First, b.In.Last)
		}
	}
	errs = append(errs, s.checkLevel3(r, points))
	return errors.Join(errs...)
}

// checkLevel3 holds the marks of full accuracy runs against what was chosen.
func (s *Settings) checkLevel3(r rules.Regions, points []Point) error {
	var marked []int
	for _, p := range points {
		if p.Level3 {
			marked = append(marked, p.Concurrency)
		}
	}
	switch s.Accuracy.Level3 {
	case EveryPoint:
		if len(marked) != len(points) {
			return fmt.Errorf("level3 is %s, and %d of %d points have accuracy: true", EveryPoint, len(marked), len(points))
		}
	case Nowhere:
		if len(marked) > 0 {
			return fmt.Errorf("level3 is none, and r%d has accuracy: true", marked[0])
		}
	default:
		bands := r.Bands(s.Override)
		if len(marked) != len(bands) || !assign(bands, marked) {
			return fmt.Errorf("accuracy: true stands at %v: want %d points, one for each band (%s)", marked, len(bands), names(bands))
		}
	}
	return nil
}

// assign says whether each band can have a point of its own. A point below Ultra Low's end may stand for that or for the region
// that it lies in.
func assign(bands []rules.Band, points []int) bool {
	if len(bands) == 0 {
		return true
	}
	for i, c := range points {
		if bands[0].In.Has(c) && assign(bands[1:], slices.Delete(slices.Clone(points), i, i+1)) {
			return true
		}
	}
	return false
}

func names(bands []rules.Band) string {
	text := ""
	for i, b := range bands {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf("%d-%d", b.In.First, b.In.Last)
	}
	return text
}

// Region is where a concurrency is placed, as point.yaml spells it; empty where it lies outside.
func (s *Settings) Region(concurrency int) string {
	r, err := s.regions()
	if err != nil {
		return ""
	}
	region, _ := r.Of(concurrency)
	return string(region)
}

// Place is a range of concurrencies as a drawing shows it.
type Place struct {
	Name, Title string
	In          rules.Range
	Margin      bool
}

// Places are the bands of the curve, which overlap where Ultra Low is not overridden, and its margin.
func (s *Settings) Places() []Place {
	r, err := s.regions()
	if err != nil {
		return nil
	}
	var list []Place
	for _, b := range r.Bands(s.Override) {
		list = append(list, Place{Name: string(b.Region), Title: strings.TrimSuffix(b.Name, " Concurrency"), In: b.In})
	}
	return append(list, Place{Name: string(rules.Margin), Title: "Margin", In: r.Margin, Margin: true})
}
