// Package lax reads JSON and YAML documents of strangers as the libraries behind the official MLPerf Endpoints checker read them:
// YAML 1.1 words (an unquoted no is a boolean, 2026-10-21 a date), integers of any size, NaN, the last of two equal keys; and it
// takes "4" or 4.0 for the integer 4 where a field wants one. A Shape says what a document must look like and names every field that
// does not. Sizes, depth and the number of values are limited, so that no document can exhaust the reader.
package lax

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// Limits of one document.
const (
	maxDepth  = 100
	maxValues = 500_000
	maxDigits = 4300 // of an integer
)

// Kind is what a value is.
type Kind uint8

// Kinds.
const (
	Null Kind = iota
	Bool
	Int
	Float
	Text
	List
	Map
	Date // only YAML has them
)

// Value is one value of a document. The zero Value is null.
type Value struct {
	Kind   Kind
	Bool   bool
	Int    *big.Int
	Float  float64
	Text   string // of a Text, and the spelling of a Date
	List   []*Value
	Fields []Field // of a Map, in the order of the document
}

// Field is one entry of a map. Keys that are no text are spelled as text.
type Field struct {
	Key   string
	Value *Value
}

// set adds a field, or replaces the one of the same key: the last one counts.
func (v *Value) set(index map[string]int, key string, val *Value) {
	if at, ok := index[key]; ok {
		v.Fields[at].Value = val
		return
	}
	index[key] = len(v.Fields)
	v.Fields = append(v.Fields, Field{key, val})
}

// Get is the field of that name, nil where there is none or v is no map.
func (v *Value) Get(key string) *Value {
	if v == nil || v.Kind != Map {
		return nil
	}
	for _, f := range v.Fields {
		if f.Key == key {
			return f.Value
		}
	}
	return nil
}

// At follows names down.
func (v *Value) At(keys ...string) *Value {
	for _, k := range keys {
		v = v.Get(k)
	}
	return v
}

// IsNull says whether there is no value, or null.
func (v *Value) IsNull() bool { return v == nil || v.Kind == Null }

// String shows a value in a message: short, and quoted where it is text.
func (v *Value) String() string {
	if v == nil {
		return "nothing"
	}
	switch v.Kind {
	case Null:
		return "null"
	case Bool:
		return fmt.Sprint(v.Bool)
	case Int:
		return clip(v.Int.String())
	case Float:
		return fmt.Sprint(v.Float)
	case Text:
		return fmt.Sprintf("%q", clip(v.Text))
	case Date:
		return "the date " + clip(v.Text)
	case List:
		return fmt.Sprintf("a list of %d", len(v.List))
	}
	return fmt.Sprintf("a map of %d", len(v.Fields))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return s
}

// Equal compares two values as the checker does: 1, 1.0 and true are equal, and so are two NaN.
func Equal(a, b *Value) bool {
	if a == nil || b == nil {
		return a == b
	}
	if x, ok := a.number(); ok {
		y, ok := b.number()
		return ok && same(x, y)
	}
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case List:
		return equalLists(a.List, b.List)
	case Map:
		return equalMaps(a, b)
	}
	return a.Text == b.Text
}

func equalLists(a, b []*Value) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

func equalMaps(a, b *Value) bool {
	if len(a.Fields) != len(b.Fields) {
		return false
	}
	other := make(map[string]*Value, len(b.Fields))
	for _, f := range b.Fields {
		other[f.Key] = f.Value
	}
	for _, f := range a.Fields {
		if v, ok := other[f.Key]; !ok || !Equal(f.Value, v) {
			return false
		}
	}
	return true
}

// number is a value that compares as a number.
func (v *Value) number() (*big.Float, bool) {
	switch v.Kind {
	case Bool:
		if v.Bool {
			return big.NewFloat(1), true
		}
		return big.NewFloat(0), true
	case Int:
		return new(big.Float).SetInt(v.Int), true
	case Float:
		if math.IsNaN(v.Float) {
			return nil, true
		}
		return big.NewFloat(v.Float), true
	}
	return nil, false
}

func same(x, y *big.Float) bool {
	if x == nil || y == nil {
		return x == y
	}
	return x.Cmp(y) == 0
}

// Walk visits every value below v with its dotted path, in document order.
func (v *Value) Walk(visit func(path string, v *Value)) { v.walk("", visit) }

func (v *Value) walk(path string, visit func(string, *Value)) {
	visit(path, v)
	for i, e := range v.List {
		e.walk(join(path, fmt.Sprint(i)), visit)
	}
	for _, f := range v.Fields {
		f.Value.walk(join(path, f.Key), visit)
	}
}

// Size is the number of values below v, its own included.
func (v *Value) Size() int {
	n := 1
	for _, e := range v.List {
		n += e.Size()
	}
	for _, f := range v.Fields {
		n += f.Value.Size()
	}
	return n
}

func join(path, key string) string { return strings.TrimPrefix(path+"."+key, ".") }
