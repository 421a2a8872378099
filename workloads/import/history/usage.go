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

// ReadUsage reads the usage object of an answer, under the names of OpenAI's two APIs and of Anthropic's. Anthropic's input
// leaves out what the cache held or took; here it is the sum.
func ReadUsage(v rawjson.Value) Usage {
	u := NoUsage()
	if v.Kind() != rawjson.Object {
		return u
	}
	u.Input = firstCount(v, "prompt_tokens", "input_tokens")
	u.Output = firstCount(v, "completion_tokens", "output_tokens")
	for _, name := range []string{"prompt_tokens_details", "input_tokens_details"} {
		if n := Tokens(v.Get(name).Get("cached_tokens")); n >= 0 {
			u.Cached = n
		}
	}
	for _, name := range []string{"completion_tokens_details", "output_tokens_details"} {
		if n := Tokens(v.Get(name).Get("reasoning_tokens")); n >= 0 {
			u.Reasoning = n
		}
	}
	read, made := Tokens(v.Get("cache_read_input_tokens")), Tokens(v.Get("cache_creation_input_tokens"))
	if v.Get("prompt_tokens") == nil && u.Input >= 0 {
		u.Input += max(read, 0) + max(made, 0)
		if read >= 0 {
			u.Cached = read
		}
	}
	return u
}

func firstCount(v rawjson.Value, names ...string) int64 {
	for _, name := range names {
		if n := Tokens(v.Get(name)); n >= 0 {
			return n
		}
	}
	return -1
}
