package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (s *scene) layOverlay(i int, o Overlay, x, y linear) {
	l := layer{Class: "overlay" + strconv.Itoa(i), Name: o.Name, Step: step(frontier(o.Points, notFailed), x, y)}
	if l.Step == "" { // its marks tell that they failed
		l.Step = step(frontier(o.Points, every), x, y)
	}
	for j, p := range o.Points {
		if undrawable(p, s.Curve.X, s.Curve.Y) == "" {
			l.Marks = append(l.Marks, mark{x.at(*p.X), y.at(*p.Y), p.Status(), rowID(i+1, j), s.says(p, o.Name)})
		}
	}
	s.Overlays = append(s.Overlays, l)
}

// layMarks places the curve's points and the labels of those that have room, in the order of concurrency.
func (s *scene) layMarks(x, y linear) {
	for i, p := range s.Curve.Points {
		if why := undrawable(p, s.Curve.X, s.Curve.Y); why != "" {
			s.Missing = append(s.Missing, missing{p.Concurrency, why})
			continue
		}
		s.Marks = append(s.Marks, mark{x.at(*p.X), y.at(*p.Y), p.Status(), rowID(0, i), s.says(p, "")})
	}
	s.layLabels(x, y)
}

func (s *scene) layLabels(x, y linear) {
	var taken []box
	for _, m := range s.Marks {
		taken = append(taken, around(m.X, m.Y, markReach-1))
	}
	for _, l := range s.Overlays {
		for _, m := range l.Marks {
			taken = append(taken, around(m.X, m.Y, 4))
		}
	}
	points := slices.Clone(s.Curve.Points)
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.Concurrency, b.Concurrency) })
	for _, p := range points {
		if undrawable(p, s.Curve.X, s.Curve.Y) != "" {
			continue
		}
		l, b := place(x.at(*p.X), y.at(*p.Y), grouped(strconv.Itoa(p.Concurrency)), s.Plot, taken)
		if l.Dropped {
			continue
		}
		s.Labels = append(s.Labels, l)
		taken = append(taken, b)
	}
}

// says is a point in one sentence, for pointers and screen readers.
func (s *scene) says(p Point, of string) string {
	var parts []string
	if of != "" {
		parts = append(parts, of)
	}
	parts = append(parts, fmt.Sprintf("concurrency %s: %s %s %s, %s %s %s", grouped(strconv.Itoa(p.Concurrency)),
		s.Curve.X.Name, number(*p.X), s.Curve.X.Unit, s.Curve.Y.Name, number(*p.Y), s.Curve.Y.Unit))
	if p.Region != "" {
		parts = append(parts, p.Region)
	}
	parts = append(parts, string(p.Status()))
	for _, v := range p.Verdicts {
		if !v.Passed {
			parts = append(parts, "failed "+v.Name+": "+v.Text)
		}
	}
	return strings.Join(parts, "; ")
}

// rowID names a line of the page's tables: table 0 is the curve's.
func rowID(table, row int) string { return fmt.Sprintf("p%d-%d", table, row) }

// layNote tells below the drawing what is not in it.
func (s *scene) layNote() {
	if len(s.Missing) == 0 {
		return
	}
	var parts []string
	for _, m := range s.Missing {
		parts = append(parts, fmt.Sprintf("concurrency %d (%s)", m.Concurrency, m.Why))
	}
	s.Note = fit("Not drawn: "+strings.Join(parts, ", "), 12, s.Width-2*24)
	s.Height += 22
}
