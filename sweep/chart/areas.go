package chart

import (
	"fmt"
	"strconv"
	"strings"
)

// layCurve draws the step and shades what is under it.
func (s *scene) layCurve(x, y linear) {
	best := frontier(s.Curve.Points, notFailed)
	s.Step = step(best, x, y)
	if hopeful := frontier(s.Curve.Points, every); step(hopeful, x, y) != s.Step {
		s.Hopeful = step(hopeful, x, y)
		if len(best) == 0 {
			best = hopeful
		}
	}
	if len(best) == 0 {
		return
	}
	last := best[len(best)-1]
	s.Ends = fmt.Sprintf("M%v %vV%vM%v %vH%v", x.at(*best[0].X), y.at(*best[0].Y), s.Plot.Bottom, x.at(*last.X), y.at(*last.Y), s.Plot.Left)
	for i, p := range best {
		left := s.Plot.Left
		if i+1 < len(best) {
			left = x.at(*best[i+1].X)
		}
		s.layArea(p.Region, box{left, y.at(*p.Y), x.at(*p.X), s.Plot.Bottom}, i+1 == len(best))
	}
}

// layArea adds a stretch under the curve. Stretches of one region bear its name once, on the widest that has room, and on what
// lies beyond the last point only where no other has.
func (s *scene) layArea(region string, b box, beyond bool) {
	class, ok := s.regionClass(region)
	if !ok {
		return
	}
	a := area{box: b, Class: class, MidX: (b.Left + b.Right) / 2, Beyond: beyond}
	if width(region, 12)+12 <= b.Right-b.Left && b.Bottom-b.Top > 30 {
		a.Name = region
	}
	for i := range s.Areas {
		o := &s.Areas[i]
		switch {
		case a.Name == "" || o.Name != a.Name:
		case beyond || o.Right-o.Left >= a.Right-a.Left:
			a.Name = ""
		default:
			o.Name = ""
		}
	}
	s.Areas = append(s.Areas, a)
}

// regionClass is how the region of that name is shaded: from light to dark in the order of the curve, margins hatched.
func (s *scene) regionClass(name string) (string, bool) {
	shade := 0
	for _, r := range s.Curve.Regions {
		if r.Last < r.First {
			continue
		}
		if r.Name == name && r.Margin {
			return "margin", true
		}
		if r.Name == name {
			return "region" + strconv.Itoa(shade%shades), true
		}
		if !r.Margin {
			shade++
		}
	}
	return "", false
}

// shades is how many shades of regions the style has.
const shades = 5

// step is the path of a curve: from each point to the left at its height, then up to the next.
func step(best []Point, x, y linear) string {
	var b strings.Builder
	for i, p := range best {
		if i == 0 {
			fmt.Fprintf(&b, "M%v %v", x.at(*p.X), y.at(*p.Y))
			continue
		}
		fmt.Fprintf(&b, "H%vV%v", x.at(*p.X), y.at(*p.Y))
	}
	return b.String()
}
