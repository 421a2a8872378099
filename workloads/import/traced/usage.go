package traced

import (
	"strings"

	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Usage reads token counts under the names of OpenAI's and Anthropic's APIs, of LangChain, and of Langfuse, whose counts of
// input and output leave out what is counted apart.
func Usage(v rawjson.Value) history.Usage {
	u := history.ReadUsage(v)
	if details := v.Get("input_token_details"); details != nil {
		u.Cached = history.Tokens(details.Get("cache_read"))
	}
	if details := v.Get("output_token_details"); details != nil {
		u.Reasoning = history.Tokens(details.Get("reasoning"))
	}
	for _, names := range [...]struct{ input, output string }{
		{"promptTokens", "completionTokens"}, {"inputTokens", "outputTokens"}, {"prompt_token_count", "candidates_token_count"},
		{"inputTokenCount", "outputTokenCount"}, {"input_token_count", "generated_token_count"},
	} {
		if u.Input < 0 {
			u.Input = history.Tokens(v.Get(names.input))
		}
		if u.Output < 0 {
			u.Output = history.Tokens(v.Get(names.output))
		}
	}
	if v.Get("input") != nil || v.Get("output") != nil {
		u = parted(v)
	}
	return u
}

// parted sums counts by the beginning of their names, as long as they stay within the total that is told.
func parted(v rawjson.Value) history.Usage {
	u := history.Usage{Input: history.Tokens(v.Get("input")), Output: history.Tokens(v.Get("output")), Cached: -1, Reasoning: -1}
	input, output := u.Input, u.Output
	v.Fields(func(key []byte, v rawjson.Value) {
		n, name := history.Tokens(v), string(key)
		switch {
		case n < 0 || strings.Contains(name, "priority"):
		case strings.HasPrefix(name, "input_") || strings.HasPrefix(name, "cache_"):
			input = max(input, 0) + n
			if strings.Contains(name, "cache_read") || strings.Contains(name, "cached") {
				u.Cached = max(u.Cached, 0) + n
			}
		case strings.HasPrefix(name, "output_"):
			output = max(output, 0) + n
			if strings.Contains(name, "reasoning") {
				u.Reasoning = max(u.Reasoning, 0) + n
			}
		}
	})
	if total := history.Tokens(v.Get("total")); total < 0 || max(input, 0)+max(output, 0) <= total {
		u.Input, u.Output = input, output
	}
	return u
}
