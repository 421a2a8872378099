package configschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paceline/workloads/checks/schema"
	"paceline/workloads/rawjson"
)

// MaxBytes bounds a schema.
const MaxBytes = 64 << 10

// maxSteps bounds one check.
const maxSteps = 10_000

// maxDepth bounds objects within objects that defaults are filled into, and references to references.
const maxDepth = 16

// Schema is the JSON Schema of one component's configuration.
type Schema struct{ root rawjson.Value }

// Read checks that raw is a schema of an object; empty is a schema that allows everything. Nothing else of it is checked: a
// keyword that makes no sense says nothing.
func Read(raw []byte) (*Schema, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		raw = []byte("{}")
	}
	if len(raw) > MaxBytes {
		return nil, fmt.Errorf("the schema has %d bytes, and at most %d are allowed", len(raw), MaxBytes)
	}
	if err := rawjson.Valid(raw); err != nil {
		return nil, fmt.Errorf("the schema is no JSON: %w", err)
	}
	if rawjson.Value(raw).Kind() != rawjson.Object {
		return nil, errors.New("the schema is no JSON object")
	}
	return &Schema{root: raw}, nil
}

// Fault is one thing wrong with a configuration.
type Fault struct {
	Path []string // keys and element numbers, from the configuration's root
	Text string
	// Near are the keys that are known where an unknown one stands.
	Near []string
}

// Complete gives a copy of the configuration with the schema's defaults where a key is absent or null, and the faults of that
// copy. Keys keep the values that they have; numbers keep their digits.
func (s *Schema) Complete(config map[string]any) (map[string]any, []Fault) {
	if config == nil {
		config = map[string]any{}
	}
	text, err := encode(config)
	if err != nil {
		return nil, []Fault{{Text: fmt.Sprintf("cannot be written as JSON: %v", err)}}
	}
	full, err := decode(text)
	if err != nil {
		return nil, []Fault{{Text: err.Error()}}
	}
	s.fill(s.root, full, 0)
	if text, err = encode(full); err != nil {
		return nil, []Fault{{Text: err.Error()}}
	}
	var faults []Fault
	checker := schema.New(s.root)
	checker.MaxSteps = maxSteps
	for _, f := range checker.Check(text).Faults {
		faults = append(faults, s.fault(f, text))
	}
	return full, faults
}

// fill sets defaults in an object, and in the objects that it has.
func (s *Schema) fill(node rawjson.Value, object map[string]any, depth int) {
	if depth > maxDepth {
		return
	}
	s.follow(node).Get("properties").Fields(func(name []byte, property rawjson.Value) {
		key := string(name)
		property = s.follow(property)
		value, there := object[key]
		if there && value == nil && !takesNull(property) {
			delete(object, key)
			there = false
		}
		if below, ok := value.(map[string]any); ok {
			s.fill(property, below, depth+1)
		}
		if there || property.Get("default") == nil {
			return
		}
		d := json.NewDecoder(bytes.NewReader(property.Get("default")))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil {
			object[key] = v
		}
	})
}

// takesNull says whether null is a value of its own there, and not the word for none.
func takesNull(node rawjson.Value) bool {
	has := func(key, want string) (found bool) {
		node.Get(key).Each(func(_ int, v rawjson.Value) bool {
			text, _ := v.Text()
			found = found || text == want || want == "" && v.Kind() == rawjson.Null
			return !found
		})
		return found
	}
	if text, ok := node.Get("type").Text(); ok {
		return text == "null"
	}
	switch {
	case node.Get("type") != nil:
		return has("type", "null")
	case node.Get("enum") != nil:
		return has("enum", "")
	}
	return node.Get("const") == nil || node.Get("const").Kind() == rawjson.Null
}

// follow goes to what a local reference points to.
func (s *Schema) follow(node rawjson.Value) rawjson.Value {
	for range maxDepth {
		text, ok := node.Get("$ref").Text()
		pointer, local := strings.CutPrefix(text, "#")
		if !ok || !local {
			return node
		}
		node = s.root
		if pointer == "" {
			continue
		}
		for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
			node = node.Get(unescape(part))
		}
	}
	return node
}

// at finds the part of the schema that speaks of a place; nil where that takes more than names and element numbers.
func (s *Schema) at(path []string) rawjson.Value {
	node := s.follow(s.root)
	for _, key := range path {
		next := node.Get("properties").Get(key)
		if _, err := strconv.Atoi(key); err == nil && next == nil {
			next = node.Get("items")
		}
		if next == nil {
			next = node.Get("additionalProperties")
		}
		if next == nil {
			return nil
		}
		node = s.follow(next)
	}
	return node
}

// fault says what is wrong in words of the schema.
func (s *Schema) fault(f schema.Fault, text rawjson.Value) Fault {
	out := Fault{Text: f.Message}
	if f.Pointer != "" {
		for part := range strings.SplitSeq(f.Pointer[1:], "/") {
			out.Path = append(out.Path, unescape(part))
		}
	}
	node, found := s.at(out.Path), valueAt(text, out.Path)
	switch f.Class {
	case schema.Unexpected:
		if n := len(out.Path); n > 0 {
			out.Text = "unknown key"
			s.at(out.Path[:n-1]).Get("properties").Fields(func(name []byte, _ rawjson.Value) { out.Near = append(out.Near, string(name)) })
			slices.Sort(out.Near)
		}
	case schema.Required, schema.Combination, schema.Unique:
	default:
		if want := Want(node); want != "" && found != nil {
			out.Text = short(found) + " does not fit; want " + want
		}
	}
	return out
}

func valueAt(v rawjson.Value, path []string) rawjson.Value {
	for _, key := range path {
		if v.Kind() == rawjson.Object {
			v = v.Get(key)
			continue
		}
		n, err := strconv.Atoi(key)
		if err != nil {
			return nil
		}
		var element rawjson.Value
		v.Each(func(i int, e rawjson.Value) bool {
			if i == n {
				element = e
			}
			return i < n
		})
		v = element
	}
	return v
}

func unescape(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
}

// short is a value for a message.
func short(v rawjson.Value) string {
	const most = 60
	if len(v) > most {
		return strings.ToValidUTF8(string(v[:most]), "") + "..."
	}
	return string(v)
}

func encode(v map[string]any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// decode makes a deep copy that keeps the digits of numbers.
func decode(text []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v map[string]any
	err := d.Decode(&v)
	return v, err
}
