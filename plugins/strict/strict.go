// Package strict reads JSON documents that strangers wrote: one document, no unknown field, nothing behind it, and, where a
// format has one form only, that form.
package strict

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Decode reads one JSON document into v. Unknown fields and anything after the document are errors.
func Decode(data []byte, v any) error {
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

// Form compares a document with the value that was read from it: but for white space they must be equal byte for byte. So a
// field that is there twice, has another case or is written in another way is found.
func Form(data []byte, v any) error {
	var want, have bytes.Buffer
	e := json.NewEncoder(&want)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	if err := json.Compact(&have, data); err != nil {
		return err
	}
	a, b := bytes.TrimSpace(want.Bytes()), bytes.TrimSpace(have.Bytes())
	if bytes.Equal(a, b) {
		return nil
	}
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	from := max(0, at-20)
	return fmt.Errorf("not in the form that the runner writes, near %q", b[from:min(len(b), at+20)])
}
