package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// decodeStrict reads one JSON document into v: unknown fields and anything after the document are errors.
func decodeStrict(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		if errors.Is(err, io.EOF) {
			return errors.New("the document is empty")
		}
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the document")
	}
	return nil
}

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
