package configschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

func unescape(part string) string {
	return strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
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
