package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"paceline/plugins/strict"
)

// decodeStrict reads one JSON document into v: unknown fields and anything after the document are errors.
func decodeStrict(data []byte, v any) error { return strict.Decode(data, v) }

// encodeStable writes v as indented JSON with a line feed at its end. Field order is that of the types, and no map is
// ever written.
func encodeStable(v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// schemaOf looks at a document's schema before its fields, so that a file of another version is told so and not a list
// of unknown fields.
func schemaOf(data []byte, want string) error {
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return err
	}
	switch head.Schema {
	case want:
		return nil
	case "":
		return fmt.Errorf("no schema is named, and %s is supported", want)
	}
	return fmt.Errorf("schema: found %s, supported %s", head.Schema, want)
}

// member is one key of an object with its value.
type member struct {
	name  string
	value json.RawMessage
}

// members reads an object in the order of its keys; a key that stands twice is an error.
func members(data json.RawMessage) ([]member, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, errors.New("not a JSON object")
	}
	var list []member
	seen := map[string]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		m := member{}
		m.name, _ = key.(string)
		if seen[m.name] {
			return nil, fmt.Errorf("the key %q is there twice", m.name)
		}
		seen[m.name] = true
		if err := d.Decode(&m.value); err != nil {
			return nil, err
		}
		list = append(list, m)
	}
	return list, nil
}
