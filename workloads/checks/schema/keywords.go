package schema

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"paceline/workloads/checks/canon"
	"paceline/workloads/pattern"
	"paceline/workloads/rawjson"
)

// kind checks type. It is false where the keyword itself is none that could be meant.
func (p *pass) kind(w *place) bool {
	var names []string
	good := true
	add := func(_ int, v rawjson.Value) bool {
		name, ok := v.Text()
		switch name {
		case "null", "boolean", "object", "array", "number", "string", "integer":
		default:
			ok = false
		}
		names, good = append(names, name), good && ok
		return good
	}
	if w.word.Kind() == rawjson.Array {
		w.word.Each(add)
	} else {
		add(0, w.word)
	}
	if !good || len(names) == 0 {
		return false
	}
	for _, name := range names {
		if isA(w.value, name) {
			return true
		}
	}
	p.fault(Type, w.at, "it is %s, not %s", kindName(w.value), strings.Join(names, " or "))
	return true
}

func isA(v rawjson.Value, name string) bool {
	return kindName(v) == name || name == "number" && v.Kind() == rawjson.Number
}

func kindName(v rawjson.Value) string {
	switch v.Kind() {
	case rawjson.Null:
		return "null"
	case rawjson.Bool:
		return "boolean"
	case rawjson.String:
		return "string"
	case rawjson.Array:
		return "array"
	case rawjson.Object:
		return "object"
	}
	if canon.Whole(v) {
		return "integer"
	}
	return "number"
}

func equal(a, b rawjson.Value) bool {
	return bytes.Equal(canon.Append(nil, a), canon.Append(nil, b))
}

func (p *pass) choice(name string, w *place) bool {
	if name == "const" {
		if !equal(w.word, w.value) {
			p.fault(Choice, w.at, "it is not the one value that const allows")
		}
		return true
	}
	if w.word.Kind() != rawjson.Array {
		return false
	}
	found, n := false, 0
	value := canon.Append(nil, w.value)
	w.word.Each(func(_ int, v rawjson.Value) bool {
		n++
		found = bytes.Equal(value, canon.Append(nil, v))
		return !found
	})
	if !found {
		p.fault(Choice, w.at, "it is none of the %d values that enum allows", n)
	}
	return true
}

func (p *pass) object(name string, w *place) bool {
	switch name {
	case "properties":
		if w.word.Kind() != rawjson.Object {
			return false
		}
		w.value.Fields(func(key []byte, v rawjson.Value) {
			if s := w.word.Get(string(key)); s != nil {
				p.check(s, v, w.at+"/"+escape(string(key)), w.depth)
			}
		})
	case "required":
		return p.required(w)
	case "additionalProperties":
		p.additional(w)
	case "patternProperties":
		return p.byPattern(w)
	default:
		n := 0
		w.value.Fields(func([]byte, rawjson.Value) { n++ })
		return p.size(name == "minProperties", n, "members", w)
	}
	return true
}

func (p *pass) required(w *place) bool {
	if w.word.Kind() != rawjson.Array {
		return false
	}
	w.word.Each(func(_ int, v rawjson.Value) bool {
		if key, ok := v.Text(); ok && w.value.Get(key) == nil {
			p.fault(Required, w.at, "the property %q is missing", key)
		}
		return true
	})
	return true
}

// additional checks the members that neither properties nor patternProperties speak of.
func (p *pass) additional(w *place) {
	named, patterns := w.schema.Get("properties"), w.schema.Get("patternProperties")
	w.value.Fields(func(key []byte, v rawjson.Value) {
		name := string(key)
		if named.Get(name) != nil || p.matchesAny(patterns, name) {
			return
		}
		if w.word.Kind() == rawjson.Bool && w.word[0] == 'f' {
			p.fault(Unexpected, w.at+"/"+escape(name), "the property %q is not known", name)
			return
		}
		p.check(w.word, v, w.at+"/"+escape(name), w.depth)
	})
}

func (p *pass) matchesAny(patterns rawjson.Value, name string) (found bool) {
	patterns.Fields(func(expression []byte, _ rawjson.Value) {
		if here, ok := p.matches(string(expression), name); here || !ok { // what cannot be told is not held against it
			found = true
		}
	})
	return found
}

func (p *pass) byPattern(w *place) bool {
	if w.word.Kind() != rawjson.Object {
		return false
	}
	good := true
	w.word.Fields(func(expression []byte, s rawjson.Value) {
		w.value.Fields(func(key []byte, v rawjson.Value) {
			name := string(key)
			found, ok := p.matches(string(expression), name)
			if good = good && ok; found {
				p.check(s, v, w.at+"/"+escape(name), w.depth)
			}
		})
	})
	return good
}

// maxWork bounds one search for a pattern, as the product of the lengths of its program and the text.
const maxWork = 10_000_000

// matches looks for a pattern in a text. ok is false where the pattern is not supported, or the work too much.
func (p *pass) matches(expression, text string) (found, ok bool) {
	compiled, known := p.patterns[expression]
	if !known {
		compiled, _ = pattern.Compile(expression, pattern.Schema, false)
		p.patterns[expression] = compiled
	}
	if compiled == nil || compiled.Size()*(len(text)+1) > maxWork {
		return false, false
	}
	left := 4 * maxWork // more than what that product can take
	found, err := compiled.Match(text, &left)
	return found, err == nil
}

func (p *pass) array(name string, w *place) bool {
	switch name {
	case "items":
		if w.word.Kind() != rawjson.Object && w.word.Kind() != rawjson.Bool {
			return false
		}
		from := length(w.schema.Get("prefixItems"))
		w.value.Each(func(i int, v rawjson.Value) bool {
			if i >= from {
				p.check(w.word, v, w.at+"/"+strconv.Itoa(i), w.depth)
			}
			return p.steps <= p.MaxSteps
		})
	case "prefixItems":
		if w.word.Kind() != rawjson.Array {
			return false
		}
		var list []rawjson.Value
		w.word.Each(func(_ int, s rawjson.Value) bool { list = append(list, s); return true })
		w.value.Each(func(i int, v rawjson.Value) bool {
			if i < len(list) {
				p.check(list[i], v, w.at+"/"+strconv.Itoa(i), w.depth)
			}
			return i+1 < len(list)
		})
	case "uniqueItems":
		return p.unique(w)
	default:
		return p.size(name == "minItems", length(w.value), "elements", w)
	}
	return true
}

func length(v rawjson.Value) (n int) {
	v.Each(func(int, rawjson.Value) bool { n++; return true })
	return n
}

func (p *pass) unique(w *place) bool {
	if w.word.Kind() != rawjson.Bool {
		return false
	}
	if w.word[0] == 'f' {
		return true
	}
	first := map[string]int{}
	w.value.Each(func(i int, v rawjson.Value) bool {
		key := string(canon.Append(nil, v))
		if at, there := first[key]; there {
			p.fault(Unique, w.at, "elements %d and %d are equal", at, i)
			return false
		}
		first[key] = i
		return true
	})
	return true
}

func (p *pass) text(name string, w *place) bool {
	value, _ := w.value.Text()
	if name != "pattern" {
		return p.size(name == "minLength", utf8.RuneCountInString(value), "characters", w)
	}
	expression, ok := w.word.Text()
	if !ok {
		return false
	}
	found, ok := p.matches(expression, value)
	if ok && !found {
		p.fault(Pattern, w.at, "it does not match the pattern")
	}
	return ok
}

func (p *pass) size(least bool, n int, of string, w *place) bool {
	bound, ok := rawjson.Integer(w.word)
	if w.word.Kind() != rawjson.Number || !ok || bound < 0 {
		return false
	}
	if least && int64(n) < bound {
		p.fault(Size, w.at, "%d %s are fewer than %d", n, of, bound)
	}
	if !least && int64(n) > bound {
		p.fault(Size, w.at, "%d %s are more than %d", n, of, bound)
	}
	return true
}

// scale is how many decimal places multipleOf looks at.
const scale = 9

func (p *pass) number(name string, w *place) bool {
	order, ok := canon.Compare(w.value, w.word)
	if !ok {
		return false
	}
	bad := false
	switch name {
	case "minimum":
		bad = order < 0
	case "maximum":
		bad = order > 0
	case "exclusiveMinimum":
		bad = order <= 0
	case "exclusiveMaximum":
		bad = order >= 0
	case "multipleOf":
		n, okN := rawjson.Exact(w.value, scale)
		of, okOf := rawjson.Exact(w.word, scale)
		if !okN || !okOf || of <= 0 {
			return false
		}
		bad = n%of != 0
	}
	if bad {
		p.fault(Range, w.at, "%s is against %s %s", short(w.value), name, short(w.word))
	}
	return true
}

func short(v rawjson.Value) string {
	if len(v) > 40 {
		return fmt.Sprintf("%s... (%d characters)", v[:40], len(v))
	}
	return string(v)
}

func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
