package python

import (
	"strconv"
	"strings"
)

// Kind is the type of a value, by Python's exact type: a bool is no int.
type Kind byte

// The kinds. The zero Kind is none of Python's: a value that is not there.
const (
	Absent Kind = iota
	None
	Bool
	Int
	Float
	Str
	List
	Dict
)

var kindNames = [...]string{"nothing", "NoneType", "bool", "int", "float", "str", "list", "dict"}

// String is the type's name in Python.
func (k Kind) String() string { return kindNames[min(int(k), len(kindNames)-1)] }

// Value is one value, of few words, since it is handed on by value. It is not changed once it is shared.
type Value struct {
	Kind Kind
	// Text of a str; of an int its digits with a sign, without leading zeros; of a float what was read; of a bool true or false.
	Text  string
	parts *parts // of a list or dict that is not empty
}

// parts are what a list or dict holds.
type parts struct {
	items []Value
	keys  []string       // of a dict, in the order of their first appearance, beside items
	index map[string]int // of a dict: key to its place
}

// Text makes a str.
func Text(s string) Value { return Value{Kind: Str, Text: s} }

// Truth makes a bool.
func Truth(b bool) Value { return Value{Kind: Bool, Text: strconv.FormatBool(b)} }

// ListOf makes a list.
func ListOf(items []Value) Value { return Value{Kind: List, parts: &parts{items: items}} }

// Items are the elements of a list, or the values of a dict beside its keys.
func (v Value) Items() []Value {
	if v.parts == nil {
		return nil
	}
	return v.parts.items
}

// Keys are the keys of a dict, in the order of their first appearance.
func (v Value) Keys() []string {
	if v.parts == nil {
		return nil
	}
	return v.parts.keys
}

// Float is the number of a float.
func (v Value) Float() float64 {
	f, _ := strconv.ParseFloat(v.Text, 64) // out of range: an infinity, as in Python
	return f
}

// place finds a key of a dict; -1 where there is none.
func (v Value) place(key string) int {
	if v.parts != nil {
		if i, ok := v.parts.index[key]; ok {
			return i
		}
	}
	return -1
}

// Get returns the value of a key of a dict, Absent where there is none or v is no dict.
func (v Value) Get(key string) Value {
	if i := v.place(key); i >= 0 {
		return v.parts.items[i]
	}
	return Value{}
}

// Has reports whether v is a dict with that key.
func (v Value) Has(key string) bool { return v.place(key) >= 0 }

// Set puts a value under a key of a dict: in its place where it is there, else at the end. Only for a dict that its maker
// still holds alone.
func (v *Value) Set(key string, item Value) {
	if i := v.place(key); i >= 0 {
		v.parts.items[i] = item
		return
	}
	if v.parts == nil {
		v.parts = &parts{index: map[string]int{}}
	}
	p := v.parts
	p.index[key] = len(p.keys)
	p.keys, p.items = append(p.keys, key), append(p.items, item)
}

// Delete takes a key out of a dict, under the terms of Set.
func (v *Value) Delete(key string) {
	old := *v
	v.parts = nil
	for i, k := range old.Keys() {
		if k != key {
			v.Set(k, old.Items()[i])
		}
	}
}

// Clone copies a dict one level deep, so that the copy may be changed.
func (v Value) Clone() Value {
	out := Value{Kind: v.Kind}
	for i, key := range v.Keys() {
		out.Set(key, v.Items()[i])
	}
	return out
}

// IsEmptyText reports the str of no characters, which stands for "may be left out" in BFCL's answers.
func (v Value) IsEmptyText() bool { return v.Kind == Str && v.Text == "" }

// In reports whether a list holds a value equal to v.
func (v Value) In(list []Value) bool {
	for i := range list {
		if Equal(v, list[i]) {
			return true
		}
	}
	return false
}

// Equal is Python's ==: numbers by their value whatever their type, lists item by item, dicts without order.
func Equal(a, b Value) bool {
	if x, ok := a.number(); ok {
		y, ok := b.number()
		return ok && equalNumbers(x, y)
	}
	if a.Kind != b.Kind {
		return false
	}
	switch a.Kind {
	case Str:
		return a.Text == b.Text
	case List:
		return equalLists(a.Items(), b.Items())
	case Dict:
		if len(a.Keys()) != len(b.Keys()) {
			return false
		}
		for i, key := range a.Keys() {
			j := b.place(key)
			if j < 0 || !Equal(a.Items()[i], b.Items()[j]) {
				return false
			}
		}
	}
	return true
}

func equalLists(a, b []Value) bool {
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

// number gives a bool, int or float as a number.
func (v Value) number() (Value, bool) {
	switch v.Kind {
	case Bool:
		if v.Text == "true" {
			return Value{Kind: Int, Text: "1"}, true
		}
		return Value{Kind: Int, Text: "0"}, true
	case Int, Float:
		return v, true
	}
	return v, false
}

// equalNumbers compares ints and floats exactly: a float that is whole has an expansion in digits, and no other float equals
// an int.
func equalNumbers(a, b Value) bool {
	switch {
	case a.Kind == Int && b.Kind == Int:
		return a.Text == b.Text
	case a.Kind == Float && b.Kind == Float:
		return a.Float() == b.Float()
	case a.Kind == Float:
		return equalNumbers(b, a)
	}
	digits := strconv.FormatFloat(b.Float(), 'f', -1, 64)
	if strings.ContainsAny(digits, ".NI") {
		return false
	}
	digits = strconv.FormatFloat(b.Float(), 'f', 0, 64) // the exact expansion, not the shortest
	if digits == "-0" {
		digits = "0"
	}
	return a.Text == digits
}
