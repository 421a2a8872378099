package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// rail is the scale below the plot: regions are ranges of concurrency, which is on neither axis of the plot.
type rail struct {
	Top, Bottom px
	Left, Right px
	TitleY      px
	Tiles       []tile
	Marks       []mark
	Labels      []tick
	LineY       px
	LabelY      px
}

type tile struct {
	box
	Class string
	Text  string // where it has room
	Says  string
	MidX  px
	TextY px
}

const (
	tileHeight = px(24)
	laneGap    = px(3)
)

// layRail draws the regions, those that overlap in lanes of their own, and every point on the scale of concurrency.
func (s *scene) layRail(top px) {
	r := rail{Top: top, Left: s.Plot.Left, Right: s.Plot.Right, TitleY: top + 16}
	most := 1
	for _, p := range s.Curve.Points {
		most = max(most, p.Concurrency)
	}
	for _, g := range s.Curve.Regions {
		most = max(most, g.Last)
	}
	scale := newOctaves(r.Left, r.Right, most)
	lanes := s.layTiles(&r, scale)
	r.LineY = top + px(lanes)*(tileHeight+laneGap) + 14
	r.layTicks(s.Curve.Points, scale)
	r.LabelY = r.LineY + 22
	r.Bottom = r.LabelY + 8
	s.Rail = r
}

// layTiles returns how many lanes the regions need.
func (s *scene) layTiles(r *rail, scale octaves) int {
	var ends []int // last concurrency of each lane
	for _, g := range s.Curve.Regions {
		if g.Last < g.First {
			continue
		}
		lane := 0
		for lane < len(ends) && ends[lane] >= g.First {
			lane++
		}
		if lane == len(ends) {
			ends = append(ends, 0)
		}
		ends[lane] = g.Last
		from, to := scale.tile(g.First, g.Last)
		y := r.Top + px(lane)*(tileHeight+laneGap)
		class, _ := s.regionClass(g.Name)
		r.Tiles = append(r.Tiles, newTile(g, class, box{from, y, to, y + tileHeight}))
	}
	return len(ends)
}

func newTile(g Region, class string, b box) tile {
	span := fmt.Sprintf("%s–%s", grouped(strconv.Itoa(g.First)), grouped(strconv.Itoa(g.Last)))
	if g.First == g.Last {
		span = grouped(strconv.Itoa(g.First))
	}
	t := tile{box: b, Class: class, Says: g.Name + ": " + span, MidX: (b.Left + b.Right) / 2, TextY: b.Top + 16.5}
	for _, text := range []string{g.Name + "  " + span, g.Name, span} {
		if width(text, 12)+8 <= b.Right-b.Left {
			t.Text = text
			break
		}
	}
	return t
}

// layTicks marks the points and numbers as many as fit.
func (r *rail) layTicks(points []Point, scale octaves) {
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b Point) int { return cmp.Compare(a.Concurrency, b.Concurrency) })
	free := r.Left - 20
	for _, p := range sorted {
		at := scale.at(float64(p.Concurrency))
		r.Marks = append(r.Marks, mark{X: at, Y: r.LineY, Status: p.Status()})
		text := grouped(strconv.Itoa(p.Concurrency))
		if half := width(text, 12) / 2; at-half >= free {
			r.Labels = append(r.Labels, tick{at, text})
			free = at + half + 6
		}
	}
}
