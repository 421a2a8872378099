package traced

import (
	"paceline/sdk"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Output reads what was answered, as the one message that it is; nil where there is none. Of several choices it is the first.
func Output(v rawjson.Value) (answer *sdk.Message, other int) {
	v = Embedded(v)
	found, text, ok := answerOf(v, 0)
	if !ok {
		return nil, 0
	}
	if found == nil {
		m := history.Text("assistant", text)
		return &m, 0
	}
	a, _, other := read(found.Get("content"))
	a.Calls = append(a.Calls, calls(found)...)
	if text, _ := found.Get("reasoning_content").Text(); a.Reasoning == "" {
		a.Reasoning = text
	}
	m := a.Message()
	return &m, other
}

// answerOf finds the body of an assistant message, or a text.
func answerOf(v rawjson.Value, depth int) (body rawjson.Value, text string, ok bool) {
	if depth > maxNest {
		return nil, "", false
	}
	switch v.Kind() {
	case rawjson.String:
		text, _ = v.Text()
		return nil, text, true
	case rawjson.Array:
		if items := responses(v); items != nil {
			return items, "", true
		}
		last := rawjson.Value(nil) // an agent's list ends with its answer
		v.Each(func(_ int, m rawjson.Value) bool {
			last = m
			return true
		})
		return answerOf(last, depth+1)
	case rawjson.Object:
		return answerIn(v, depth)
	}
	return nil, "", false
}

func answerIn(v rawjson.Value, depth int) (body rawjson.Value, text string, ok bool) {
	if _, body, ok := parts(v); ok {
		return body, "", true
	}
	for _, name := range []string{"generations", "choices"} {
		if list := v.Get(name); list.Kind() == rawjson.Array && !list.Empty() {
			return answerOf(history.First(list), depth+1)
		}
	}
	if list := v.Get("output"); list.Kind() == rawjson.Array {
		if items := responses(list); items != nil {
			return items, "", true
		}
	}
	for _, name := range []string{"message", "messages", "output", "text", "content"} {
		if held := v.Get(name); !held.Missing() {
			if name == "content" {
				return v, "", true
			}
			return answerOf(held, depth+1)
		}
	}
	if calls(v) != nil { // of a message that has nothing else
		return v, "", true
	}
	if v.Empty() {
		return nil, "", false
	}
	return nil, string(rawjson.AppendCompact(nil, v)), true
}

// responses makes one message of the items of an answer by OpenAI's Responses API; nil where the list has none.
func responses(list rawjson.Value) rawjson.Value {
	var content, uses []byte
	known := false
	list.Each(func(_ int, v rawjson.Value) bool {
		switch kind, _ := v.Get("type").Text(); kind {
		case "message":
			v.Get("content").Each(func(_ int, part rawjson.Value) bool {
				content = element(content, part)
				return true
			})
			known = true
		case "function_call":
			call := history.WithMember(nil, "id", v.Get("call_id"))
			call = history.WithMember(call, "name", v.Get("name"))
			uses = element(uses, history.WithMember(call, "args", v.Get("arguments")))
			known = true
		case "reasoning":
			known = true
		}
		return true
	})
	if !known {
		return nil
	}
	out := history.WithMember([]byte(`{"role":"assistant"}`), "content", listOf(content))
	return history.WithMember(out, "tool_calls", listOf(uses))
}

// element adds to the elements of a list, listOf makes a list of them.
func element(list []byte, v rawjson.Value) []byte {
	if list != nil {
		list = append(list, ',')
	}
	return append(list, v...)
}

func listOf(elements []byte) rawjson.Value {
	if elements == nil {
		return nil
	}
	return append(append([]byte{'['}, elements...), ']')
}

// read reads the content of a message, a text or parts. Results of tools come as messages of their own, as Anthropic's API
// has them; other counts parts that are no text.
func read(content rawjson.Value) (a history.Answer, results []sdk.Message, other int) {
	if content.Kind() != rawjson.Array {
		a.Text, other = history.Content(content)
		return a, nil, other
	}
	content.Each(func(_ int, part rawjson.Value) bool {
		switch kind, _ := part.Get("type").Text(); kind {
		case "tool_use":
			id, _ := part.Get("id").Text()
			name, _ := part.Get("name").Text()
			a.Calls = append(a.Calls, history.ToolCall{ID: id, Name: name, Arguments: part.Get("input")})
		case "tool_result":
			id, _ := part.Get("tool_use_id").Text()
			text, n := history.Content(part.Get("content"))
			results, other = append(results, history.Result(id, text)), other+n
		case "thinking", "reasoning":
			text, _ := part.Get(kind).Text()
			a.Reasoning += text
		default:
			if text, ok := part.Text(); ok {
				a.Text += text
			} else if text, ok := part.Get("text").Text(); ok {
				a.Text += text
			} else {
				other++
			}
		}
		return true
	})
	return a, results, other
}

// calls gives the calls of tools of a message's body: OpenAI's, LangChain's, or those that LangChain keeps of the API's answer.
func calls(body rawjson.Value) []history.ToolCall {
	list := body.Get("tool_calls")
	if list.Kind() != rawjson.Array || list.Empty() {
		list = body.Get("additional_kwargs").Get("tool_calls")
	}
	var out []history.ToolCall
	list.Each(func(_ int, v rawjson.Value) bool {
		f, arguments := v.Get("function"), "arguments"
		if f.Missing() {
			f, arguments = v, "args"
		}
		id, _ := v.Get("id").Text()
		name, _ := f.Get("name").Text()
		out = append(out, history.ToolCall{ID: id, Name: name, Arguments: f.Get(arguments)})
		return true
	})
	if uses, _, _ := read(body.Get("content")); len(uses.Calls) > 0 {
		return nil // the content has them
	}
	return out
}
