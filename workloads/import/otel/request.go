package otel

import (
	"math"

	"paceline/workloads/import/history"
	"paceline/workloads/import/span"
	"paceline/workloads/rawjson"
)

func usage(a span.Attributes) history.Usage {
	return history.Usage{
		Input:     a.Tokens("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens"),
		Output:    a.Tokens("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens"),
		Cached:    a.Tokens("gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens"),
		Reasoning: a.Tokens("gen_ai.usage.reasoning.output_tokens"),
	}
}

func limit(a span.Attributes) uint32 {
	n := a.Tokens("gen_ai.request.max_tokens")
	if n < 0 || n > math.MaxUint32 {
		return 0
	}
	return uint32(n)
}

type parameter struct{ attribute, name string }

// parameters are the attributes that become parameters of the request, in the order of its body.
var parameters = [...]parameter{
	{"gen_ai.request.temperature", "temperature"}, {"gen_ai.request.seed", "seed"}, {"gen_ai.request.top_p", "top_p"},
	{"gen_ai.request.top_k", "top_k"}, {"gen_ai.request.stop_sequences", "stop"},
	{"gen_ai.request.presence_penalty", "presence_penalty"}, {"gen_ai.request.frequency_penalty", "frequency_penalty"},
}

func params(a span.Attributes) []byte {
	var out []byte
	for _, p := range parameters {
		out = history.WithMember(out, p.name, a.Get(p.attribute))
	}
	return out
}

// tools gives the definitions of tools as OpenAI's API wants them; nil where there are none. By older conventions each
// stands in numbered attributes.
func tools(a span.Attributes) []byte {
	if list := a.JSON("gen_ai.tool.definitions"); list.Kind() == rawjson.Array && !list.Empty() {
		return history.Tools(list)
	}
	var list []byte
	for _, n := range a.Tree("llm.request.functions.").List() {
		var tool []byte
		for _, name := range []string{"name", "description", "parameters"} {
			tool = history.WithMember(tool, name, span.Document(n.Get(name).Value))
		}
		list = append(append(list, ','), tool...)
	}
	if list == nil {
		return nil
	}
	list[0] = '['
	return history.Tools(append(list, ']'))
}
