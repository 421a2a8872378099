package toolcalls

import (
	"strings"

	"paceline/workloads/rawjson"
)

// markups are texts by which models write calls, and which the server should have turned into calls.
var markups = [...]string{
	"<tool_call>", "</tool_call>", "<tool_calls>", "</tool_calls>", "<function_calls>", "<function_call>", // Hermes, Qwen and kin
	"<|tool_call|>", "<|tool_calls|>", "<|tool_call_start|>", "<|tool_call_begin|>", "<|tool_calls_section_begin|>", // Granite, LFM, Kimi
	"<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜DSML｜", // DeepSeek
	"[TOOL_CALLS]", "[TOOL_REQUEST]", // Mistral, LM Studio
	"<function=", "<parameter=", "<invoke name=", "<arg_key>", "<minimax:tool_call>", // Qwen Coder, Llama; MiniMax; GLM
	"<|python_tag|>", "<|action_start|>", "<|channel|>commentary", "```tool_call", "```tool_code", // Llama, InternLM, gpt-oss, Gemma
}

// markup looks for calls that were left in the content.
func (t *turn) markup(content rawjson.Value, offered *tools) {
	text := contentText(content)
	if text == "" {
		return
	}
	for _, m := range markups {
		if strings.Contains(text, m) {
			t.fault(markupInContent, -1, "", "the content has %q: a call was left in it", m)
			return
		}
	}
	for _, block := range blocks(text) {
		if name := callOf(block, offered); name != "" {
			t.fault(markupInContent, -1, name, "the content has JSON that calls %q", clip(name))
			return
		}
	}
}

// contentText is the content of a message: a string, or the texts of a list of parts.
func contentText(v rawjson.Value) string {
	if text, ok := v.Text(); ok {
		return text
	}
	var all strings.Builder
	v.Each(func(_ int, part rawjson.Value) bool {
		text, _ := part.Get("text").Text()
		all.WriteString(text)
		all.WriteByte('\n')
		return true
	})
	return all.String()
}

// blocks are the texts that may be a call by themselves: the whole content, and its code blocks of JSON or of no language.
func blocks(text string) []string {
	list := []string{strings.TrimSpace(text)}
	parts := strings.Split(text, "```")
	for i := 1; i < len(parts); i += 2 {
		if block, ok := strings.CutPrefix(parts[i], "json"); ok || strings.HasPrefix(parts[i], "\n") {
			list = append(list, strings.TrimSpace(block))
		}
	}
	return list
}

// callOf gives the name of the offered tool that a block calls: it is an object with that name and with arguments or parameters,
// or a list that begins with such an object.
func callOf(block string, offered *tools) string {
	if block == "" || block[0] != '{' && block[0] != '[' {
		return ""
	}
	v := document([]byte(block))
	if v.Kind() == rawjson.Array {
		var first rawjson.Value
		v.Each(func(_ int, element rawjson.Value) bool { first = element; return false })
		v = first
	}
	if f := v.Get("function"); f.Kind() == rawjson.Object {
		v = f
	}
	name, ok := v.Get("name").Text()
	if !ok || offered.find(name) == nil || v.Get("arguments") == nil && v.Get("parameters") == nil {
		return ""
	}
	return name
}
