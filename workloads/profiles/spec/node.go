package spec

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"paceline/sdk"
	"paceline/workloads/rawjson"
)

// micro is 1 in the numbers of a profile, which have six decimal places.
const micro = 1_000_000

// node is a place in the document.
type node struct {
	v      rawjson.Value
	at     string // JSON pointer
	faults *sdk.Faults
}

func (n node) fault(code, expected, format string, args ...any) {
	*n.faults = append(*n.faults, sdk.Fault{Pointer: n.at, Code: code, Message: fmt.Sprintf(format, args...), Expected: expected})
}

func (n node) missing() bool { return n.v.Missing() }

// get gives a member.
func (n node) get(key string) node { return node{n.v.Get(key), n.at + "/" + key, n.faults} }

// object checks that the node is an object with known keys only; ok is false where it is no object.
func (n node) object(known ...string) (ok bool) {
	if n.v.Kind() != rawjson.Object {
		n.fault("profile-object", "an object with "+strings.Join(known, ", "), "%s is no object", n.name())
		return false
	}
	n.v.Fields(func(key []byte, _ rawjson.Value) {
		if !slices.Contains(known, string(key)) {
			n.get(string(key)).fault("unknown-key", "one of "+strings.Join(known, ", "), "%s has no key %q", n.name(), key)
		}
	})
	return true
}

func (n node) name() string {
	if n.at == "" {
		return "the profile"
	}
	return n.at[1:]
}

// list gives the elements of an array.
func (n node) list() []node {
	var out []node
	n.v.Each(func(i int, element rawjson.Value) bool {
		out = append(out, node{element, n.at + "/" + strconv.Itoa(i), n.faults})
		return len(out) <= maxList
	})
	return out
}

// number reads a number in micro-units between bounds.
func (n node) number(low, high int64) int64 {
	v, ok := int64(0), false
	if n.v.Kind() == rawjson.Number {
		v, ok = rawjson.Exact(n.v, 6)
	}
	if !ok || v < low || v > high {
		said := string(n.v)
		if n.missing() {
			said = "missing"
		}
		n.fault("profile-number", fmt.Sprintf("a number from %s to %s with at most 6 decimal places", decimal(low), decimal(high)), "%s is %s", n.name(), said)
		return low
	}
	return v
}

// whole reads a whole number.
func (n node) whole(low, high int64) int64 {
	v, ok := int64(0), false
	if n.v.Kind() == rawjson.Number {
		v, ok = rawjson.Integer(n.v)
	}
	if !ok || v < low || v > high {
		said := string(n.v)
		if n.missing() {
			said = "missing"
		}
		n.fault("profile-number", fmt.Sprintf("a whole number from %d to %d", low, high), "%s is %s", n.name(), said)
		return low
	}
	return v
}

// text reads a string, which may be absent.
func (n node) text(most int) string {
	if n.missing() {
		return ""
	}
	s, ok := n.v.Text()
	if !ok || len(s) > most {
		n.fault("profile-text", fmt.Sprintf("a text of at most %d bytes", most), "%s is no such text", n.name())
	}
	return s
}

func decimal(v int64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%d.%06d", v/micro, v%micro), "0"), ".")
}

// Lines tells every fault of a profile that was not read, each with its place and what was expected.
func Lines(err error) []string {
	var faults sdk.Faults
	if !errors.As(err, &faults) {
		return []string{err.Error()}
	}
	var out []string
	for _, f := range faults {
		out = append(out, fmt.Sprintf("%s: %s; expected %s", f.Pointer, f.Message, f.Expected))
	}
	return out
}
