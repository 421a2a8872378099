package chart

import "strconv"

// entry explains one sign of the drawing.
type entry struct {
	X, Y   px
	Status Status // a mark, or
	Class  string // a line, or
	Swatch string // a region
	Text   string
}

// layLegend explains what is there, and nothing else.
func (s *scene) layLegend(top px) {
	x, y := plotLeft, top+14
	add := func(e entry, sign px) {
		e.X, e.Y = x, y
		s.Legend = append(s.Legend, e)
		x += sign + width(e.Text, 13) + 26
	}
	has := map[Status]bool{}
	for _, p := range s.Curve.Points {
		has[p.Status()] = true
	}
	for _, st := range []Status{Passed, Failed, Unknown} {
		if has[st] {
			add(entry{Status: st, Text: string(st)}, 16)
		}
	}
	if s.Step != "" {
		add(entry{Class: "step", Text: "curve"}, 34)
	}
	if s.Hopeful != "" {
		add(entry{Class: "hopeful", Text: "curve with failed points"}, 34)
	}
	for _, t := range s.Rail.Tiles {
		if t.Text == "" {
			add(entry{Swatch: t.Class, Text: fit(t.Says, 13, 160)}, 26)
		}
	}
	for i, o := range s.Curve.Overlays {
		room := (plotRight-x)/px(len(s.Curve.Overlays)-i) - 60
		add(entry{Class: "overlay" + strconv.Itoa(i), Text: fit(o.Name, 13, room)}, 34)
	}
}
