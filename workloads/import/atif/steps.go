package atif

import (
	"strconv"

	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

func element(list rawjson.Value, number string) (found rawjson.Value) {
	list.Each(func(i int, v rawjson.Value) bool {
		if strconv.Itoa(i) == number {
			found = v
		}
		return found == nil
	})
	return found
}

// builder makes turns of steps.
type builder struct {
	record *frame.Record
	list   history.Linear
	err    error
}

func (b *builder) step(at string, step rawjson.Value) {
	source, _ := step.Get("source").Text()
	when := history.Instant(step.Get("timestamp"), 0)
	text, _ := history.Content(step.Get("message"))
	switch source {
	case "system", "user":
		b.list.Client(history.Text(source, text), "user", when)
	case "agent":
		b.answer(step, text, when)
	default:
		b.err = b.record.Fault(at+"/source", "source", "system, user or agent", "the source is %s", frame.Clip(step.Get("source")))
		return
	}
	b.results(step)
}

func (b *builder) answer(step rawjson.Value, text string, when int64) {
	a := history.Answer{Text: text}
	a.Reasoning, _ = history.Content(step.Get("reasoning_content"))
	step.Get("tool_calls").Each(func(_ int, call rawjson.Value) bool {
		id, _ := call.Get("tool_call_id").Text()
		name, _ := call.Get("function_name").Text()
		a.Calls = append(a.Calls, history.ToolCall{ID: id, Name: name, Arguments: call.Get("arguments")})
		return true
	})
	n, told := rawjson.Integer(step.Get("llm_call_count"))
	if copied(step) || told && n == 0 { // not asked for here: history
		b.list.Client(a.Message(), "user", when)
		return
	}
	turn := b.list.Answer(a.Message(), when)
	m := step.Get("metrics")
	u := history.NoUsage()
	u.Input, u.Output, u.Cached = history.Tokens(m.Get("prompt_tokens")), history.Tokens(m.Get("completion_tokens")), history.Tokens(m.Get("cached_tokens"))
	turn.Truth = u.Truth()
}

// results adds the observation of a step. What answers no call is the environment's word: a user message.
func (b *builder) results(step rawjson.Value) {
	step.Get("observation").Get("results").Each(func(_ int, result rawjson.Value) bool {
		text, _ := history.Content(result.Get("content"))
		id, _ := result.Get("source_call_id").Text()
		if id == "" {
			b.list.Client(history.Text("user", text), "tool", frame.NoTime)
		} else {
			b.list.Client(history.Result(id, text), "tool", frame.NoTime)
		}
		return true
	})
}
