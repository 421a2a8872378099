package chat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Layer is one source of request parameters: a JSON object, or nil for none, and the name that errors call it by.
type Layer struct {
	Name   string
	Params json.RawMessage
}

// owned are the fields that the runner alone writes.
var owned = []string{
	"model", "messages", "prompt", "input", "stream", "stream_options", "max_tokens", "max_completion_tokens", "max_new_tokens",
	"max_output_tokens",
}

// Owned reports whether the request field key is the runner's own, so that no layer may set it.
func Owned(key string) bool { return slices.Contains(owned, key) }

// CheckLayer reports what is wrong with a layer: not a JSON object, or a field that the runner owns.
func CheckLayer(l Layer) error {
	if len(l.Params) == 0 {
		return nil
	}
	if !json.Valid(l.Params) {
		return fmt.Errorf("params of %s: %w", l.Name, errJSON)
	}
	list, err := members(l.Params)
	if err != nil {
		return fmt.Errorf("params of %s: %w", l.Name, err)
	}
	var errs []error
	for _, m := range list {
		if Owned(m.key) {
			errs = append(errs, fmt.Errorf("params of %s: %q is set by the runner, not by params", l.Name, m.key))
		}
	}
	return errors.Join(errs...)
}

// param is one request parameter: its value is compact JSON.
type param struct {
	key   string
	value json.RawMessage
}

// Params are merged request parameters in the order of the wire. The zero Params are none.
type Params struct{ list []param }

// Merge applies the layers as JSON merge patches, from the lowest to the highest: an object is merged member by member, any
// other value replaces, null removes. Numbers and strings keep their bytes; only white space between tokens goes.
func Merge(layers ...Layer) (Params, error) {
	merged := []byte("{}")
	for _, l := range layers {
		if err := CheckLayer(l); err != nil {
			return Params{}, err
		}
		if len(l.Params) == 0 {
			continue
		}
		var err error
		if merged, err = mergePatch(merged, l.Params); err != nil {
			return Params{}, fmt.Errorf("params of %s: %w", l.Name, err)
		}
	}
	list, err := split(merged)
	if err != nil {
		return Params{}, fmt.Errorf("merge params: %w", err)
	}
	p := Params{list: list}
	p.sort()
	return p, nil
}

// sort puts the parameters in the order of the wire.
func (p Params) sort() {
	slices.SortStableFunc(p.list, func(a, b param) int {
		if d := rank(a.key) - rank(b.key); d != 0 {
			return d
		}
		return strings.Compare(a.key, b.key)
	})
}

// JSON returns the parameters as one JSON object, equal bytes for equal parameters.
func (p Params) JSON() json.RawMessage {
	b := []byte{'{'}
	for _, m := range p.list {
		b = appendMember(b, m.key, m.value)
	}
	return append(b, '}')
}

// Get returns the value of one parameter, nil where it is not set.
func (p Params) Get(key string) json.RawMessage {
	for _, m := range p.list {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// appendMember appends one member to an object that is being written.
func appendMember(b []byte, key string, value []byte) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = AppendQuoted(b, key)
	b = append(b, ':')
	return append(b, value...)
}

// split lists the members of an object; of equal keys the last value stays, at the place of the first.
func split(object []byte) ([]param, error) {
	found, err := members(object)
	if err != nil {
		return nil, err
	}
	list := make([]param, 0, len(found))
	for _, m := range found {
		list = set(list, m.key, object[m.from:m.to])
	}
	return list, nil
}

func set(list []param, key string, value []byte) []param {
	for i := range list {
		if list[i].key == key {
			list[i].value = value
			return list
		}
	}
	return append(list, param{key, value})
}

// mergePatch is RFC 7396 over bytes.
func mergePatch(target, patch []byte) ([]byte, error) {
	if i := skipSpace(patch, 0); i >= len(patch) || patch[i] != '{' {
		return compact(patch)
	}
	changes, err := split(patch)
	if err != nil {
		return nil, err
	}
	list, err := split(target)
	if err != nil { // what is no object is replaced by one
		list = nil
	}
	for _, c := range changes {
		if string(c.value) == "null" {
			list = slices.DeleteFunc(list, func(p param) bool { return p.key == c.key })
			continue
		}
		var old []byte
		for _, p := range list {
			if p.key == c.key {
				old = p.value
			}
		}
		value, err := mergePatch(old, c.value)
		if err != nil {
			return nil, err
		}
		list = set(list, c.key, value)
	}
	return Params{list: list}.JSON(), nil
}

func compact(raw []byte) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
