package chart

import (
	"fmt"
	"strconv"
	"strings"
)

// scene is a curve laid out: all that the templates write.
type scene struct {
	Curve    Curve
	Inline   bool // inside the page, which has the title and lists what is not drawn
	Width    px
	Height   px
	Subtitle string
	Plot     box
	XTicks   []tick
	YTicks   []tick
	Areas    []area
	Step     string // path of the curve
	Hopeful  string // path of the curve with the failed points counted, where it differs
	Ends     string // what the curve says beyond its first and last point
	Overlays []layer
	Marks    []mark
	Labels   []label
	Rail     rail
	Legend   []entry
	Missing  []missing
	Note     string
}

type tick struct {
	At   px
	Text string
}

// area is a stretch under the curve, shaded as the region of the point that holds it up.
type area struct {
	box
	Class  string
	Name   string // where it has room
	MidX   px
	Beyond bool // left of the last point
}

// layer is one earlier sweep.
type layer struct {
	Class string
	Name  string
	Step  string
	Marks []mark
}

// mark is one point in the drawing. Row is its line in the page's table.
type mark struct {
	X, Y   px
	Status Status
	Row    string
	Says   string
}

// missing is a point without a place in the drawing.
type missing struct {
	Concurrency int
	Why         string
}

// Geometry of the drawing, in units of its view box.
const (
	sceneWidth = px(1160)
	plotHeight = px(420)
	plotLeft   = px(92)
	plotRight  = sceneWidth - 24
	headHeight = px(66)
	legendRow  = px(34)
	axisHeight = px(52)
)

// lay lays a clean curve out.
func lay(c Curve, inline bool) *scene {
	s := &scene{Curve: c, Inline: inline, Width: sceneWidth, Subtitle: strings.Join(c.Notes, " · ")}
	top := px(8)
	if !inline {
		top += headHeight
	}
	legend := top
	top += legendRow
	s.Plot = box{plotLeft, top, plotRight, top + plotHeight}
	x, y := s.layAxes()
	s.layCurve(x, y)
	for i, o := range c.Overlays {
		s.layOverlay(i, o, x, y)
	}
	s.layMarks(x, y)
	s.layRail(s.Plot.Bottom + axisHeight)
	s.layLegend(legend)
	s.Height = s.Rail.Bottom + 6
	if !inline {
		s.layNote()
	}
	return s
}

// layAxes makes both axes wide enough for every sweep.
func (s *scene) layAxes() (x, y linear) {
	var mostX, mostY float64
	all := [][]Point{s.Curve.Points}
	for _, o := range s.Curve.Overlays {
		all = append(all, o.Points)
	}
	for _, points := range all {
		for _, p := range points {
			if undrawable(p, s.Curve.X, s.Curve.Y) == "" {
				mostX, mostY = max(mostX, *p.X), max(mostY, *p.Y)
			}
		}
	}
	x = newLinear(s.Plot.Left, s.Plot.Right, mostX, 10)
	y = newLinear(s.Plot.Bottom, s.Plot.Top, mostY, 7)
	for _, v := range x.ticks() {
		s.XTicks = append(s.XTicks, tick{x.at(v), trimmed(v)})
	}
	for _, v := range y.ticks() {
		s.YTicks = append(s.YTicks, tick{y.at(v), trimmed(v)})
	}
	return x, y
}

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
