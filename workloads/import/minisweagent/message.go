package minisweagent

import (
	"paceline/sdk"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// message is what one element of the list says. The elements are chat messages or, where the agent spoke to the Responses
// API, that API's items.
type message struct {
	role      string
	time      int64
	responses bool // items of the Responses API
	answer    history.Answer
	calls     []history.ToolCall
	result    string // call id of a result
	text      string
}

func parse(v rawjson.Value) message {
	m := message{time: history.Instant(v.Get("extra").Get("timestamp"), 0)}
	m.role, _ = v.Get("role").Text()
	kind, _ := v.Get("type").Text()
	object, _ := v.Get("object").Text()
	switch {
	case object == "response":
		m.role, m.responses = "assistant", true
		v.Get("output").Each(func(_ int, item rawjson.Value) bool {
			m.answer.Add(output(item))
			return true
		})
		m.calls = m.answer.Calls
	case kind == "function_call_output":
		m.role, m.responses = "tool", true
		m.result, _ = v.Get("call_id").Text()
		m.text, _ = history.Content(v.Get("output"))
	case kind == "message":
		m.responses = true
		m.text, _ = history.Content(v.Get("content"))
	case !v.Get("tool_calls").Empty():
		m.calls = make([]history.ToolCall, 1)
	}
	return m
}

// output reads one item of an answer of the Responses API.
func output(item rawjson.Value) history.Answer {
	var a history.Answer
	switch kind, _ := item.Get("type").Text(); kind {
	case "message":
		a.Text, _ = history.Content(item.Get("content"))
	case "reasoning":
		a.Reasoning, _ = history.Content(item.Get("summary"))
	case "function_call":
		id, _ := item.Get("call_id").Text()
		name, _ := item.Get("name").Text()
		a.Calls = []history.ToolCall{{ID: id, Name: name, Arguments: item.Get("arguments")}}
	}
	return a
}

// chat gives an item of the Responses API as a chat message.
func (m *message) chat() sdk.Message {
	switch m.role {
	case "assistant":
		return m.answer.Message()
	case "tool":
		return history.Result(m.result, m.text)
	}
	return history.Text(m.role, m.text)
}

// usage reads what the model's server told of an answer, under the names of either API.
func usage(v rawjson.Value) history.Usage {
	told := v.Get("extra").Get("response").Get("usage")
	if told == nil {
		told = v.Get("usage")
	}
	return history.ReadUsage(told)
}
