package chart

import (
	"slices"
	"strconv"
	"strings"
)

// table lists the points of one sweep, drawn or not.
type table struct {
	Name  string
	Heads []head
	Rows  []row
}

type head struct {
	Name, Unit string
	Figure     bool
}

type row struct {
	ID          string
	Concurrency string
	Region      string
	X, Y        string
	Why         string   // it is not drawn
	Known       []string // of X and Y, then
	Status      Status
	Class, Sign string
	Verdicts    []Verdict
	Held        string   // names of verdicts that passed and say no more
	Facts       []string // in the order of the heads
}

// tables are the curve's table and one for each overlay.
func tables(c Curve) []table {
	all := []table{newTable(0, "All points", c.Points, c)}
	for i, o := range c.Overlays {
		all = append(all, newTable(i+1, o.Name, o.Points, c))
	}
	return all
}

func newTable(n int, name string, points []Point, c Curve) table {
	facts := factNames(points)
	t := table{Name: name, Heads: []head{{Name: "Concurrency"}, {Name: "Region"}, {c.X.Name, c.X.Unit, true}, {c.Y.Name, c.Y.Unit, true}, {Name: "Verdict"}}}
	for _, f := range facts {
		t.Heads = append(t.Heads, head{Name: f})
	}
	for i, p := range points {
		t.Rows = append(t.Rows, newRow(rowID(n, i), p, c, facts))
	}
	return t
}

func newRow(id string, p Point, c Curve, facts []string) row {
	r := row{ID: id, Concurrency: grouped(strconv.Itoa(p.Concurrency)), Region: p.Region, Status: p.Status(), Verdicts: failedFirst(p.Verdicts)}
	r.Verdicts, r.Held = withoutPlain(r.Verdicts)
	r.Class, r.Sign = signs(r.Status)
	if r.Why = undrawable(p, c.X, c.Y); r.Why == "" {
		r.X, r.Y = number(*p.X), number(*p.Y)
	} else {
		r.Known = known(p, c)
	}
	for _, name := range facts {
		value := ""
		if i := slices.IndexFunc(p.Facts, func(f Fact) bool { return f.Name == name }); i >= 0 {
			value = p.Facts[i].Value
		}
		r.Facts = append(r.Facts, value)
	}
	return r
}

// known is what can be told of the axes of a point that is not drawn.
func known(p Point, c Curve) []string {
	var all []string
	for _, f := range []struct {
		axis  Axis
		value *float64
	}{{c.X, p.X}, {c.Y, p.Y}} {
		if f.value != nil && fits(*f.value) {
			all = append(all, f.axis.Name+" "+number(*f.value)+" "+f.axis.Unit)
		}
	}
	return all
}

func signs(s Status) (class, sign string) {
	switch s {
	case Passed:
		return "passed", "●"
	case Failed:
		return "failed", "✕"
	default:
		return "quiet", "◇"
	}
}

func failedFirst(all []Verdict) []Verdict {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Verdict) int {
		switch {
		case a.Passed == b.Passed:
			return 0
		case b.Passed:
			return -1
		}
		return 1
	})
	return all
}

// withoutPlain takes the verdicts that passed and have no text into one line.
func withoutPlain(all []Verdict) (rest []Verdict, held string) {
	var names []string
	for _, v := range all {
		if v.Passed && v.Text == "" {
			names = append(names, v.Name)
			continue
		}
		rest = append(rest, v)
	}
	return rest, strings.Join(names, ", ")
}

// factNames are the names of all facts, in the order in which they first come.
func factNames(points []Point) []string {
	var names []string
	for _, p := range points {
		for _, f := range p.Facts {
			if !slices.Contains(names, f.Name) {
				names = append(names, f.Name)
			}
		}
	}
	return names
}
