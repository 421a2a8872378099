package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"paceline/workloads/rawjson"
)

// callError is what is wrong with a call, told to the model.
type callError string

func (e callError) Error() string { return string(e) }

func wrong(format string, args ...any) error { return callError(fmt.Sprintf(format, args...)) }

// arguments are those of one call, each of a known name. Null is as if left out.
type arguments struct{ object rawjson.Value }

// parse takes the text of a call's arguments. Blank text is an empty object, since some servers send that for none.
func parse(tool, text string, known ...string) (arguments, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return arguments{}, nil
	}
	if err := rawjson.Valid([]byte(text)); err != nil {
		return arguments{}, wrong("the arguments are no JSON: byte %d: %s", err.Offset, err.Reason)
	}
	a := arguments{rawjson.Value(text)}
	if a.object.Kind() != rawjson.Object {
		return arguments{}, wrong("the arguments are no JSON object")
	}
	var unknown string
	a.object.Fields(func(key []byte, _ rawjson.Value) {
		if unknown == "" && !slices.Contains(known, string(key)) {
			unknown = string(key)
		}
	})
	if unknown != "" {
		return arguments{}, wrong("%s has no argument %s; it takes %s", tool, quote(unknown), strings.Join(known, ", "))
	}
	return a, nil
}

func (a arguments) text(name string) (string, bool, error) {
	v := a.object.Get(name)
	if v.Missing() {
		return "", false, nil
	}
	text, ok := v.Text()
	if !ok {
		return "", false, wrong("%s must be a string", name)
	}
	return text, true, nil
}

func (a arguments) flag(name string) (bool, error) {
	v := a.object.Get(name)
	if v.Missing() {
		return false, nil
	}
	if v.Kind() != rawjson.Bool {
		return false, wrong("%s must be true or false", name)
	}
	return v[0] == 't', nil
}

// count reads a whole number from 1, other where it is left out.
func (a arguments) count(name string, other int) (int, error) {
	v := a.object.Get(name)
	if v.Missing() {
		return other, nil
	}
	n, ok := int64(0), false
	if v.Kind() == rawjson.Number {
		n, ok = rawjson.Integer(v)
	}
	if !ok || n < 1 || n > 1<<30 {
		return 0, wrong("%s must be a whole number from 1", name)
	}
	return int(n), nil
}

// path reads a path of the tree: ./docs, /docs and docs/ are docs, and . is the root, which is "".
func (a arguments) path(name string) (string, bool, error) {
	text, ok, err := a.text(name)
	if err != nil || !ok {
		return "", false, err
	}
	var parts []string
	for part := range strings.SplitSeq(text, "/") {
		switch part {
		case "", ".":
		case "..":
			return "", false, wrong("%s: paths begin at the root of the tree and hold no ..", quote(text))
		default:
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "/"), true, nil
}

// quote repeats text of the model in an error, cut where it is long.
func quote(text string) string { return fmt.Sprintf("%q", cut(text, maxQuoted)) }

// cut shortens a text to a number of bytes, between characters, and marks that.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "..."
}
