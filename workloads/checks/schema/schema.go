package schema

import (
	"fmt"
	"slices"
	"strings"

	"paceline/workloads/pattern"
	"paceline/workloads/rawjson"
)

// Classes of faults: each is one way in which a value does not fit its schema.
const (
	Type        = "schema-type"        // type
	Choice      = "schema-choice"      // enum, const
	Required    = "schema-required"    // required
	Unexpected  = "schema-unexpected"  // additionalProperties, items or the schema is false
	Size        = "schema-size"        // least and largest lengths of strings, arrays and objects
	Range       = "schema-range"       // minimum, maximum, exclusive ones, multipleOf
	Pattern     = "schema-pattern"     // pattern
	Unique      = "schema-unique"      // uniqueItems
	Combination = "schema-combination" // anyOf, oneOf, allOf, not
)

// Classes lists all classes in a fixed order.
func Classes() []string {
	return []string{Type, Choice, Required, Unexpected, Size, Range, Pattern, Unique, Combination}
}

// Fault is one place of a value that does not fit.
type Fault struct {
	Class   string
	Pointer string // JSON pointer into the value
	Message string
}

// Result is what one check found.
type Result struct {
	Faults  []Fault  // the first ones
	Unknown []string // keywords on the way that are outside of the subset, each once, as first met
}

const (
	maxFaults = 16  // of one value
	maxDepth  = 128 // of schemas within schemas
)

// Checker holds values against one schema. It is used from one goroutine.
type Checker struct {
	// MaxSteps bounds how many schemas are looked at for one value. What is beyond it is not checked, and told as unknown.
	MaxSteps int

	root     rawjson.Value
	patterns map[string]*pattern.Pattern // nil where a pattern is none
	targets  map[string]rawjson.Value    // of references
}

// New returns a checker; root must be valid JSON.
func New(root rawjson.Value) *Checker {
	return &Checker{MaxSteps: 100_000, root: root, patterns: map[string]*pattern.Pattern{}, targets: map[string]rawjson.Value{}}
}

// Check holds a value, which must be valid JSON, against the schema.
func (c *Checker) Check(value rawjson.Value) Result {
	p := &pass{Checker: c}
	p.faults = &p.found
	p.check(c.root, value, "", 0)
	return Result{Faults: p.found, Unknown: p.unknown}
}

// pass is one check.
type pass struct {
	*Checker
	found   []Fault
	faults  *[]Fault // where faults go: found, or those of a branch of a combination
	unknown []string
	steps   int
}

func (p *pass) fault(class, at, format string, args ...any) {
	if len(*p.faults) < maxFaults {
		*p.faults = append(*p.faults, Fault{Class: class, Pointer: at, Message: fmt.Sprintf(format, args...)})
	}
}

// skip notes a keyword that is not checked.
func (p *pass) skip(keyword string) {
	if len(keyword) > 64 {
		keyword = strings.ToValidUTF8(keyword[:64], "") + "..."
	}
	if len(p.unknown) < 64 && !slices.Contains(p.unknown, keyword) {
		p.unknown = append(p.unknown, keyword)
	}
}

// check holds v against one schema; at is the pointer to v.
func (p *pass) check(s, v rawjson.Value, at string, depth int) {
	if p.steps++; p.steps > p.MaxSteps || depth > maxDepth {
		p.skip("(too deep or too large)")
		return
	}
	switch s.Kind() {
	case rawjson.Bool:
		if s[0] == 'f' {
			p.fault(Unexpected, at, "nothing is allowed here")
		}
	case rawjson.Object:
		s.Fields(func(key []byte, word rawjson.Value) {
			p.keyword(string(key), &place{schema: s, word: word, value: v, at: at, depth: depth + 1})
		})
	default:
		p.skip("(a schema that is no object)")
	}
}

// place is one keyword of a schema, and the value that it speaks of.
type place struct {
	schema, word, value rawjson.Value
	at                  string
	depth               int
}

func (p *pass) keyword(name string, w *place) {
	ok := true
	switch name {
	case "type":
		ok = p.kind(w)
	case "enum", "const":
		ok = p.choice(name, w)
	case "properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties":
		ok = w.value.Kind() != rawjson.Object || p.object(name, w)
	case "items", "prefixItems", "minItems", "maxItems", "uniqueItems":
		ok = w.value.Kind() != rawjson.Array || p.array(name, w)
	case "minLength", "maxLength", "pattern":
		ok = w.value.Kind() != rawjson.String || p.text(name, w)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		ok = w.value.Kind() != rawjson.Number || p.number(name, w)
	case "anyOf", "oneOf", "allOf", "not":
		ok = p.combine(name, w)
	case "$ref":
		ok = p.refer(w)
	case "$schema", "$id", "$comment", "$defs", "definitions", "title", "description", "default", "examples", "deprecated",
		"readOnly", "writeOnly", "format": // they say nothing against a value; format is an annotation in draft 2020-12
	default:
		ok = false
	}
	if !ok {
		p.skip(name)
	}
}

// fits reports whether v fits a schema, without keeping its faults.
func (p *pass) fits(s, v rawjson.Value, at string, depth int) bool {
	var mine []Fault
	before := p.faults
	p.faults = &mine
	p.check(s, v, at, depth)
	p.faults = before
	return len(mine) == 0
}

func (p *pass) combine(name string, w *place) bool {
	if name == "not" {
		if p.fits(w.word, w.value, w.at, w.depth) {
			p.fault(Combination, w.at, "it fits what not forbids")
		}
		return true
	}
	if w.word.Kind() != rawjson.Array || w.word.Empty() {
		return false
	}
	all, fit := 0, 0
	w.word.Each(func(_ int, s rawjson.Value) bool {
		all++
		if p.fits(s, w.value, w.at, w.depth) {
			fit++
		}
		return true
	})
	if name == "anyOf" && fit == 0 || name == "oneOf" && fit != 1 || name == "allOf" && fit != all {
		p.fault(Combination, w.at, "it fits %d of %d schemas of %s", fit, all, name)
	}
	return true
}

// refer follows a reference within the same document: # or a JSON pointer behind it.
func (p *pass) refer(w *place) bool {
	text, ok := w.word.Text()
	if !ok {
		return false
	}
	target, known := p.targets[text]
	if !known {
		target = p.target(text)
		p.targets[text] = target
	}
	if target.Kind() != rawjson.Object && target.Kind() != rawjson.Bool {
		return false
	}
	p.check(target, w.value, w.at, w.depth)
	return true
}

func (p *pass) target(text string) rawjson.Value {
	pointer, local := strings.CutPrefix(text, "#")
	if !local || pointer != "" && pointer[0] != '/' || strings.Contains(pointer, "%") {
		return nil
	}
	target := p.root
	if pointer != "" {
		for part := range strings.SplitSeq(pointer[1:], "/") {
			target = target.Get(strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~"))
		}
	}
	return target
}
