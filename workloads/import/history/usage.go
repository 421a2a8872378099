package history

import (
	"strconv"

	"paceline/workloads/rawjson"
)

// Usage is the recorded token counts of one request; what is below 0 was not told.
type Usage struct{ Input, Output, Cached, Reasoning int64 }

// NoUsage tells nothing.
func NoUsage() Usage { return Usage{-1, -1, -1, -1} }

// Tokens reads a count; -1 where it is none.
func Tokens(v rawjson.Value) int64 {
	if n, ok := rawjson.Integer(v); ok && n >= 0 {
		return n
	}
	return -1
}

// Truth gives the counts for a turn's truth: {"usage":{"input_tokens":..}}. It is nil where nothing was told.
func (u Usage) Truth() []byte {
	var out []byte
	for _, f := range [...]struct {
		name string
		n    int64
	}{{"input_tokens", u.Input}, {"output_tokens", u.Output}, {"cached_tokens", u.Cached}, {"reasoning_tokens", u.Reasoning}} {
		if f.n < 0 {
			continue
		}
		if out == nil {
			out = append(out, `{"usage":{`...)
		} else {
			out = append(out, ',')
		}
		out = rawjson.AppendString(out, f.name)
		out = append(out, ':')
		out = strconv.AppendInt(out, f.n, 10)
	}
	if out == nil {
		return nil
	}
	return append(out, '}', '}')
}
