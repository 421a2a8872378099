package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"paceline/plugins/wasmabi"
)

// Canonical gives a manifest's source as canonical JSON, which has sorted keys, no white space, numbers as they were written and
// no escape that JSON does not ask for. It is the form that a module carries. The content is not checked.
func Canonical(source []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(source))
	d.UseNumber()
	var value map[string]any
	if err := d.Decode(&value); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("manifest: more than one JSON value")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// Annotate puts a manifest, given as its author wrote it, into a module that has none, and checks that the result is a plugin. It
// is the one writer of the manifest's section.
func Annotate(module, source []byte) ([]byte, *Manifest, error) {
	text, err := Canonical(source)
	if err != nil {
		return nil, nil, err
	}
	m, err := ParseManifest(text)
	if err != nil {
		return nil, nil, err
	}
	if len(m.Native) > 0 {
		return nil, nil, errors.New("manifest: native names executables, and the plugin is a wasm module")
	}
	out := wasmabi.AppendCustom(module, wasmabi.ManifestSection, text)
	file, err := wasmabi.Parse(out)
	if err != nil {
		return nil, nil, err
	}
	return out, m, wasmabi.Check(file, wasmabi.Rules{Pure: m.Pure()})
}
