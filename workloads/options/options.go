// Package options reads the configuration of a component: a JSON object with few known keys, each fault of it told with
// its place.
package options

import (
	"fmt"
	"slices"
	"strings"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// Reader takes options out of one configuration and gathers what is wrong with it.
type Reader struct {
	config rawjson.Value
	faults sdk.Faults
}

// Read checks that config is an object with no other keys than the known ones; empty is an empty object.
func Read(config []byte, known ...string) *Reader {
	r := &Reader{}
	trimmed := config[rawjson.Space(config, 0):]
	if len(trimmed) == 0 {
		return r
	}
	if err := rawjson.Valid(trimmed); err != nil || trimmed[0] != '{' {
		r.Fault("", "config-object", "a JSON object", "the configuration is no JSON object")
		return r
	}
	r.config = trimmed
	r.config.Fields(func(text []byte, _ rawjson.Value) {
		key := string(text)
		if !slices.Contains(known, key) {
			expected := "an empty object"
			if len(known) > 0 {
				expected = "one of " + strings.Join(known, ", ")
			}
			r.Fault("/"+escape(key), "unknown-key", expected, "there is no option %q", key)
		}
	})
	return r
}

// escape writes a key as part of a JSON pointer.
func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}

// Fault adds a fault.
func (r *Reader) Fault(pointer, code, expected, format string, args ...any) {
	r.faults = append(r.faults, sdk.Fault{Pointer: pointer, Code: code, Message: fmt.Sprintf(format, args...), Expected: expected})
}

// Err gives all faults as one error, nil where there are none.
func (r *Reader) Err() error {
	if len(r.faults) == 0 {
		return nil
	}
	return r.faults
}

// Micro reads a number from 0 to most as micro-units; set is false where the option is missing, null or faulty. Digits
// beyond the sixth decimal place are refused, not rounded.
func (r *Reader) Micro(key string, most int64) (micro int64, set bool) {
	v := r.config.Get(key)
	if v.Missing() {
		return 0, false
	}
	expected := fmt.Sprintf("a number from 0 to %d with at most 6 decimal places", most)
	if v.Kind() != rawjson.Number {
		r.Fault("/"+key, "option-type", expected, "%s is no number", key)
		return 0, false
	}
	micro, ok := rawjson.Exact(v, 6)
	if !ok || micro < 0 || micro > most*1_000_000 {
		r.Fault("/"+key, "option-range", expected, "%s is %s", key, v)
		return 0, false
	}
	return micro, true
}

// Count reads a whole number from 1; 0 where the option is missing, null or faulty.
func (r *Reader) Count(key string) uint64 {
	v := r.config.Get(key)
	if v.Missing() {
		return 0
	}
	n, ok := int64(0), false
	if v.Kind() == rawjson.Number {
		n, ok = rawjson.Integer(v)
	}
	if !ok || n < 1 {
		r.Fault("/"+key, "option-range", "a whole number from 1", "%s is %s", key, v)
		return 0
	}
	return uint64(n)
}

// Choice reads one of the given words; the first where the option is missing, null or faulty.
func (r *Reader) Choice(key string, words ...string) string {
	v := r.config.Get(key)
	if v.Missing() {
		return words[0]
	}
	if text, ok := v.Text(); ok && slices.Contains(words, text) {
		return text
	}
	r.Fault("/"+key, "option-choice", "one of "+strings.Join(words, ", "), "%s is %s", key, v)
	return words[0]
}
