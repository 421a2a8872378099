package lax

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Shape is what a value must look like. The zero Shape takes anything.
type Shape struct {
	want   string // what a message asks for
	read   func(*Value) bool
	typed  func(*Value) bool // whether it is also written as what it is; nil: it always is
	fields []Named
	elem   *Shape // of a list, or of a map without given fields
	closed bool   // no other fields
}

// Named is a field of a map.
type Named struct {
	Name  string
	Shape Shape
	Need  Need
}

// Need says whether a field may be missing or null.
type Need uint8

// Needs.
const (
	Required Need = iota // there, and not null
	Optional             // may be missing, but not null
	Nullable             // may be missing or null
)

// Fault is a field that does not look as it must.
type Fault struct {
	Field string // dotted path, "" for the document
	Found string
	Want  string
}

func (f Fault) String() string {
	if f.Field == "" {
		return fmt.Sprintf("found %s, want %s", f.Found, f.Want)
	}
	return fmt.Sprintf("field %s: found %s, want %s", f.Field, f.Found, f.Want)
}

// Any takes anything.
func Any() Shape { return Shape{} }

// Custom takes what read takes.
func Custom(want string, read func(*Value) bool) Shape { return Shape{want: want, read: read} }

// WholeNumber is an integer.
func WholeNumber() Shape {
	return Shape{want: "a whole number", read: func(v *Value) bool { _, ok := v.Whole(); return ok }, typed: isKind(Int)}
}

// RealNumber is any number.
func RealNumber() Shape {
	return Shape{want: "a number", read: func(v *Value) bool { _, ok := v.Number(); return ok }, typed: isKind(Int, Float)}
}

// TruthValue is a boolean.
func TruthValue() Shape {
	return Shape{want: "true or false", read: func(v *Value) bool { _, ok := v.Truth(); return ok }, typed: isKind(Bool)}
}

// Words is a text.
func Words() Shape { return Shape{want: "a text", read: isKind(Text)} }

// Object is a map with the given fields; others are let through.
func Object(fields ...Named) Shape { return Shape{want: "a map", read: isKind(Map), fields: fields} }

// Each is a map of any keys whose values have one shape.
func Each(elem Shape) Shape { return Shape{want: "a map", read: isKind(Map), elem: &elem} }

// ListOf is a list whose elements have one shape.
func ListOf(elem Shape) Shape { return Shape{want: "a list", read: isKind(List), elem: &elem} }

// With adds fields.
func (s Shape) With(fields ...Named) Shape {
	s.fields = append(s.fields[:len(s.fields):len(s.fields)], fields...)
	return s
}

// Closed takes no other fields than the given ones.
func (s Shape) Closed() Shape { s.closed = true; return s }

// That narrows a shape: read must hold too.
func (s Shape) That(want string, read func(*Value) bool) Shape {
	before := s.read
	s.want, s.read = want, func(v *Value) bool { return before(v) && read(v) }
	return s
}

// From narrows to numbers from min on.
func (s Shape) From(least float64) Shape {
	return s.That(fmt.Sprintf("%s of at least %g", s.want, least), func(v *Value) bool { f, _ := v.Number(); return f >= least })
}

// UpTo narrows to numbers up to max.
func (s Shape) UpTo(most float64) Shape {
	return s.That(fmt.Sprintf("%s and at most %g", s.want, most), func(v *Value) bool { f, _ := v.Number(); return f <= most })
}

// Above narrows to numbers above a bound.
func (s Shape) Above(bound float64) Shape {
	return s.That(fmt.Sprintf("%s above %g", s.want, bound), func(v *Value) bool { f, _ := v.Number(); return f > bound })
}

// NotEmpty narrows to texts and lists that hold something.
func (s Shape) NotEmpty() Shape {
	return s.That(s.want+" that is not empty", func(v *Value) bool { return v.Text != "" || len(v.List) > 0 })
}

// AtMost narrows to lists of at most n elements.
func (s Shape) AtMost(n int) Shape {
	return s.That(fmt.Sprintf("%s of at most %d", s.want, n), func(v *Value) bool { return len(v.List) <= n })
}

// Choice is one of some words.
func Choice(words ...string) Shape {
	return Words().That("one of "+strings.Join(words, ", "), func(v *Value) bool {
		for _, w := range words {
			if v.Text == w {
				return true
			}
		}
		return false
	})
}

// CaselessChoice is one of some words in any case, spaces around it aside.
func CaselessChoice(words ...string) Shape {
	return Words().That("one of "+strings.Join(words, ", "), func(v *Value) bool {
		for _, w := range words {
			if strings.EqualFold(strings.TrimSpace(v.Text), w) {
				return true
			}
		}
		return false
	})
}

// Day is a text with a day in it, or an empty one.
func Day() Shape {
	return Words().That("a day as YYYY-MM-DD", func(v *Value) bool {
		_, err := time.Parse(time.DateOnly, v.Text)
		return err == nil || v.Text == ""
	})
}

// Short narrows to texts that show something in at most n characters.
func (s Shape) Short(n int) Shape {
	return s.That(fmt.Sprintf("a text of 1 to %d characters", n), func(v *Value) bool {
		return strings.TrimSpace(v.Text) != "" && utf8.RuneCountInString(v.Text) <= n
	})
}

func isKind(kinds ...Kind) func(*Value) bool {
	return func(v *Value) bool {
		for _, k := range kinds {
			if v.Kind == k {
				return true
			}
		}
		return false
	}
}

// maxFaults bounds how many faults one document is told.
const maxFaults = 50

// Faults are the fields of a document that do not look as they must, in the order of the shape.
func (s Shape) Faults(v *Value) []Fault {
	w := &walker{}
	w.check("", s, v)
	return w.faults
}

// Bent are the fields that are taken though they are not written as what they are, a number as text, say.
func (s Shape) Bent(v *Value) []Fault {
	w := &walker{strict: true}
	w.check("", s, v)
	return w.faults
}

type walker struct {
	strict bool
	faults []Fault
}

func (w *walker) add(path string, v *Value, want string) {
	if len(w.faults) < maxFaults {
		w.faults = append(w.faults, Fault{path, v.String(), want})
	}
}

func (w *walker) check(path string, s Shape, v *Value) {
	if s.read == nil {
		return
	}
	ok := s.read(v)
	switch {
	case !ok && !w.strict:
		w.add(path, v, s.want)
	case ok && w.strict && s.typed != nil && !s.typed(v):
		w.add(path, v, s.want+" written as one")
	}
	if !ok {
		return
	}
	for i, e := range v.List {
		if s.elem != nil {
			w.check(join(path, fmt.Sprint(i)), *s.elem, e)
		}
	}
	for _, f := range v.Fields {
		if s.elem != nil {
			w.check(join(path, f.Key), *s.elem, f.Value)
		}
	}
	w.named(path, s, v)
}

func (w *walker) named(path string, s Shape, v *Value) {
	for _, f := range s.fields {
		at := join(path, f.Name)
		switch got := v.Get(f.Name); {
		case got == nil && f.Need == Required && !w.strict:
			w.add(at, nil, f.Shape.want)
		case got == nil || got.Kind == Null && f.Need == Nullable:
		default:
			w.check(at, f.Shape, got)
		}
	}
	for _, f := range v.Fields {
		if s.closed && !w.strict && !s.has(f.Key) {
			w.add(join(path, f.Key), f.Value, "no such field")
		}
	}
}

func (s Shape) has(name string) bool {
	for _, f := range s.fields {
		if f.Name == name {
			return true
		}
	}
	return false
}
