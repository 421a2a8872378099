package viz

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// float takes a number, also one that was written as text, which packages have both ways.
func float(v any) (float64, bool) {
	var text string
	switch n := v.(type) {
	case float64:
		return n, finite(n)
	case json.Number:
		text = n.String()
	case string:
		text = strings.TrimSpace(n)
	default:
		return 0, false
	}
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil && finite(f)
}

// figure is a number as the file has it, or nil.
func figure(v any) any {
	f, ok := float(v)
	if !ok {
		return nil
	}
	if n, same := v.(json.Number); same {
		return n
	}
	return f
}

// text is a string or a number as text, and empty for anything else.
func text(v any) string {
	switch t := v.(type) {
	case string:
		return t
	case json.Number:
		return t.String()
	}
	return ""
}

// in walks down to a field of nested maps.
func in(d Document, keys ...string) any {
	var v any = d
	for _, k := range keys {
		m, ok := v.(Document)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}

// first is the first value that is there and not an empty text.
func first(values ...any) any {
	for _, v := range values {
		if v != nil && v != "" {
			return v
		}
	}
	return nil
}

// over is a/b where both are numbers and b is above zero.
func over(a, b any) any {
	x, ok := float(a)
	y, and := float(b)
	if !ok || !and || y <= 0 || !finite(x/y) {
		return nil
	}
	return x / y
}

// percentile reads a stat block. Packages write 90 and 90.0.
func percentile(block any, p string) any {
	d, ok := block.(Document)
	if !ok {
		return nil
	}
	return first(figure(in(d, "percentiles", p)), figure(in(d, "percentiles", p+".0")))
}

// milliseconds turns nanoseconds.
func milliseconds(v any) any { return over(v, 1e6) }
