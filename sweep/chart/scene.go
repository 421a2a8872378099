package chart

import "strings"

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
