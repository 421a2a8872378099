package recompute

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Difference is the first place at which two texts differ.
type Difference struct {
	At       string `json:"at"` // field, or line
	Recorded string `json:"recorded"`
	Again    string `json:"again"`
}

// Compare finds the first difference; nil: the bytes are equal. JSON is compared field by field, anything else by lines.
func Compare(recorded, again []byte) *Difference {
	if bytes.Equal(recorded, again) {
		return nil
	}
	a, errA := decode(recorded)
	b, errB := decode(again)
	if errA == nil && errB == nil {
		if d := walk("", a, b); d != nil {
			return d
		}
	}
	return lines(recorded, again)
}

func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v)
}

func walk(at string, a, b any) *Difference {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := slices.Concat(slices.Collect(maps.Keys(x)), slices.Collect(maps.Keys(y)))
		slices.Sort(keys)
		for _, key := range slices.Compact(keys) {
			v, had := x[key]
			w, has := y[key]
			below := strings.TrimPrefix(at+"."+key, ".")
			if had != has {
				return &Difference{below, shown(v, had), shown(w, has)}
			}
			if d := walk(below, v, w); d != nil {
				return d
			}
		}
		return nil
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		for i := range min(len(x), len(y)) {
			if d := walk(at+"["+strconv.Itoa(i)+"]", x[i], y[i]); d != nil {
				return d
			}
		}
		if len(x) != len(y) {
			return &Difference{at, fmt.Sprintf("%d items", len(x)), fmt.Sprintf("%d items", len(y))}
		}
		return nil
	}
	if a != b {
		return &Difference{at, shown(a, true), shown(b, true)}
	}
	return nil
}

// longest is how much of a value is shown.
const longest = 80

func shown(v any, there bool) string {
	if !there {
		return "nothing"
	}
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return short(string(text))
}

func short(text string) string {
	if len(text) > longest {
		return text[:longest] + "..."
	}
	return text
}

func lines(recorded, again []byte) *Difference {
	a, b := strings.Split(string(recorded), "\n"), strings.Split(string(again), "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return &Difference{fmt.Sprintf("line %d", i+1), short(strings.TrimSpace(a[i])), short(strings.TrimSpace(b[i]))}
		}
	}
	return &Difference{fmt.Sprintf("line %d", min(len(a), len(b))+1), fmt.Sprintf("%d lines", len(a)), fmt.Sprintf("%d lines", len(b))}
}
