package history

import (
	"time"

	"paceline/workloads/import/frame"
	"paceline/workloads/rawjson"
)

// layouts are the forms of instants that trace files have; without a zone they are taken as UTC.
var layouts = [...]string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999"}

// Instant reads an ISO 8601 text, or a number or a text of digits in units of 10^-scale seconds, as nanoseconds since 1970.
// frame.NoTime stands for what it cannot read.
func Instant(v rawjson.Value, scale int) int64 {
	switch v.Kind() {
	case rawjson.String:
		text, _ := v.Text()
		for _, layout := range layouts {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UnixNano()
			}
		}
		return number([]byte(text), scale)
	case rawjson.Number:
		return number(v, scale)
	}
	return frame.NoTime
}

// number scales a number of units of 10^-scale seconds to nanoseconds.
func number(text []byte, scale int) int64 {
	if n, ok := rawjson.Scaled(text, 9-scale); ok {
		return n
	}
	return frame.NoTime
}

// units are the steps of scale by the size that an instant of this century has in them.
var units = [...]struct {
	least int64
	scale int
}{{1e17, 9}, {1e14, 6}, {1e11, 3}, {0, 0}}

// Guess reads an instant whose unit is not told: an ISO 8601 text, or a number, or a text with one, which counts seconds,
// milliseconds, microseconds or nanoseconds since 1970, by its size.
func Guess(v rawjson.Value) int64 {
	text := []byte(v)
	if s, ok := v.Text(); ok {
		text = []byte(s)
	}
	whole, ok := rawjson.Scaled(text, 0)
	if !ok || whole < 0 {
		return Instant(v, 0)
	}
	for _, u := range units {
		if whole >= u.least {
			return number(text, u.scale)
		}
	}
	return frame.NoTime
}
