package traced

import (
	"math"

	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// parameters are the sampling parameters that become the trajectory's, in the order of its bodies.
var parameters = [...]string{
	"temperature", "top_p", "top_k", "min_p", "seed", "stop", "presence_penalty", "frequency_penalty", "repetition_penalty",
	"tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort",
}

// limits are the names of the most tokens that an answer may have.
var limits = [...]string{"max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens", "max_new_tokens"}

// beside are the members of a request that are read elsewhere or are the runner's own.
var beside = map[string]bool{
	"messages": true, "input": true, "inputs": true, "prompt": true, "prompts": true, "system": true, "instructions": true, "tools": true,
	"model": true, "model_name": true, "stream": true, "stream_options": true, "_type": true, "functions": true,
}

// Params reads the parameters of a request from objects, of which earlier ones go before later ones. unknown counts others.
func Params(objects ...rawjson.Value) (params []byte, limit uint32, unknown int) {
	known := map[string]bool{}
	for _, name := range parameters {
		known[name] = true
		for _, v := range objects {
			if value := v.Get(name); !value.Missing() {
				params = history.WithMember(params, name, plain(value))
				break
			}
		}
	}
	for _, name := range limits {
		known[name] = true
		for _, v := range objects {
			if n, ok := rawjson.Integer(plain(v.Get(name))); ok && n > 0 && n <= math.MaxUint32 && limit == 0 {
				limit = uint32(n)
			}
		}
	}
	for _, v := range objects {
		v.Fields(func(key []byte, value rawjson.Value) {
			if !known[string(key)] && !beside[string(key)] && !value.Missing() {
				unknown++
			}
		})
	}
	return params, limit, unknown
}

// plain gives a number that stands in quotes as such.
func plain(v rawjson.Value) rawjson.Value {
	if text, ok := v.Text(); ok && rawjson.Valid([]byte(text)) == nil && rawjson.Value(text).Kind() == rawjson.Number {
		return rawjson.Value(text)
	}
	return v
}

// ToolList writes definitions of tools as a list; nil where there are none.
func (s *Spoken) ToolList() []byte {
	if len(s.Tools) == 0 {
		return nil
	}
	var out []byte
	for _, tool := range s.Tools {
		out = element(out, tool)
	}
	return listOf(out)
}

// AddTools adds definitions of tools from further places, where none was found so far.
func (s *Spoken) AddTools(list rawjson.Value) {
	if len(s.Tools) == 0 {
		s.tools(list)
	}
}
