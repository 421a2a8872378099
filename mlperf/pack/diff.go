package pack

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Kinds of differences.
const (
	KindPoint   = "point"   // one side lacks it
	KindFigure  = "figure"  // what was measured or scored
	KindSetting = "setting" // how it was set up, and on what
	KindFile    = "file"    // another file, or one that only one side has
)

// Difference is one thing that two packages, or a package and a sweep, do not have in common.
type Difference struct {
	Point string `json:"point,omitempty"` // empty: of the whole
	Kind  string `json:"kind"`
	At    string `json:"at"` // field, or path
	A     string `json:"a"`
	B     string `json:"b"`
}

// String tells a difference on one line.
func (d Difference) String() string {
	return fmt.Sprintf("%s %s: %s | %s", cmp.Or(d.Point, "package"), d.At, d.A, d.B)
}

// side is one of the two.
type side struct {
	points map[int]*sidePoint
	files  map[string]string // digests of what belongs to no point
	part   bool              // runs: what only a package tells is not held against them
}

// sidePoint is one point of a side: values by their place, and digests by file.
type sidePoint struct{ figures, settings, files map[string]string }

func newPoint() *sidePoint {
	return &sidePoint{map[string]string{}, map[string]string{}, map[string]string{}}
}

// Diff lists the differences between two packages, or runs and a package, in a fixed order.
func Diff(a, b string) ([]Difference, error) {
	x, err := readSide(a)
	if err != nil {
		return nil, err
	}
	y, err := readSide(b)
	if err != nil {
		return nil, err
	}
	var out []Difference
	loose := x.part || y.part
	if !loose {
		out = append(out, compareMaps("", KindFile, x.files, y.files, false)...)
	}
	for _, c := range slices.Sorted(maps.Keys(union(x.points, y.points))) {
		name := fmt.Sprintf("r%d", c)
		p, q := x.points[c], y.points[c]
		if p == nil || q == nil {
			out = append(out, Difference{name, KindPoint, name, presence(p), presence(q)})
			continue
		}
		out = append(out, compareMaps(name, KindFigure, p.figures, q.figures, loose)...)
		out = append(out, compareMaps(name, KindSetting, p.settings, q.settings, loose)...)
		out = append(out, compareMaps(name, KindFile, p.files, q.files, false)...)
	}
	return out, nil
}

func presence(p *sidePoint) string {
	if p == nil {
		return "absent"
	}
	return "there"
}

func union[V any](a, b map[int]V) map[int]V {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// compareMaps lists the keys with different values. loose leaves out keys that one side lacks.
func compareMaps(point, kind string, a, b map[string]string, loose bool) []Difference {
	all := maps.Clone(a)
	maps.Copy(all, b)
	var out []Difference
	for _, key := range slices.Sorted(maps.Keys(all)) {
		v, had := a[key]
		w, has := b[key]
		if v == w && had == has || loose && had != has {
			continue
		}
		out = append(out, Difference{point, kind, key, valueOr(v, had), valueOr(w, has)})
	}
	return out
}

func valueOr(v string, there bool) string {
	if !there {
		return "absent"
	}
	return v
}
