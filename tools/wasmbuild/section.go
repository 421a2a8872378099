package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// canonical returns a manifest as canonical JSON, which has sorted keys, no white space, numbers as they were written and
// no escape that JSON does not ask for, and the plugin's name.
func canonical(source []byte) (manifest []byte, name string, err error) {
	d := json.NewDecoder(bytes.NewReader(source))
	d.UseNumber()
	var value map[string]any
	if err := d.Decode(&value); err != nil {
		return nil, "", err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, "", errors.New("more than one JSON value")
	}
	name, ok := value["name"].(string)
	if !ok || name == "" {
		return nil, "", errors.New("name is missing")
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, "", err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), name, nil
}

// appendSection appends a custom section to a module; one of that name must not be there yet.
func appendSection(module []byte, name string, content []byte) ([]byte, error) {
	names, err := customSections(module)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		if n == name {
			return nil, fmt.Errorf("the module has a section %s already", name)
		}
	}
	body := binary.AppendUvarint(nil, uint64(len(name)))
	body = append(append(body, name...), content...)
	out := append(bytes.Clone(module), 0)
	out = binary.AppendUvarint(out, uint64(len(body)))
	return append(out, body...), nil
}

// customSections lists the names of a module's custom sections.
func customSections(module []byte) ([]string, error) {
	rest, ok := bytes.CutPrefix(module, []byte("\x00asm\x01\x00\x00\x00"))
	if !ok {
		return nil, errors.New("not a WebAssembly module of version 1")
	}
	var names []string
	for len(rest) > 0 {
		id := rest[0]
		body, after, err := block(rest[1:])
		if err != nil {
			return nil, fmt.Errorf("section %d: %w", id, err)
		}
		rest = after
		if id != 0 {
			continue
		}
		name, _, err := block(body)
		if err != nil {
			return nil, fmt.Errorf("name of a custom section: %w", err)
		}
		names = append(names, string(name))
	}
	return names, nil
}

// block splits b into the bytes that its leading length counts, and what follows them.
func block(b []byte) (content, rest []byte, err error) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	return b[k : k+int(n)], b[k+int(n):], nil
}
