package openinference

import (
	"math"
	"strings"

	"paceline/sdk"
	"paceline/workloads/import/history"
	"paceline/workloads/import/span"
	"paceline/workloads/rawjson"
)

// message reads one message of numbered attributes; other counts its parts that are no text.
func message(n *span.Node) (m sdk.Message, other int) {
	role := n.Text("role")
	text, other := content(n)
	switch role {
	case "tool", "function":
		return history.Result(n.Text("tool_call_id"), text), other
	case "assistant", "model", "ai":
	case "":
		role = "user"
		fallthrough
	default:
		return history.Text(role, text), other
	}
	a := history.Answer{Text: text}
	for _, c := range n.Get("tool_calls").List() {
		f := c.Get("tool_call", "function")
		a.Calls = append(a.Calls, history.ToolCall{ID: c.Text("tool_call", "id"), Name: f.Text("name"), Arguments: f.Get("arguments").Value})
	}
	return a.Message(), other
}

// content gives a message's text: its content, else the text parts of its contents.
func content(n *span.Node) (text string, other int) {
	if v := n.Get("content").Value; !v.Missing() {
		return history.Content(v)
	}
	var b strings.Builder
	for _, part := range n.Get("contents").List() {
		c := part.Get("message_content")
		if kind := c.Text("type"); kind != "" && kind != "text" {
			other++
			continue
		}
		b.WriteString(c.Text("text"))
	}
	return b.String(), other
}

// fromValue gives the messages of input.value or output.value: those of a request's body, or the text as one message.
func fromValue(a span.Attributes, name, role string) []sdk.Message {
	text := a.Text(name)
	if text == "" {
		return nil
	}
	var out []sdk.Message
	list := a.JSON(name)
	if list.Kind() == rawjson.Object {
		list = list.Get("messages")
	}
	if list.Kind() == rawjson.Array {
		list.Each(func(_ int, v rawjson.Value) bool {
			if m, ok := history.ChatOf(v); ok {
				out = append(out, m)
			}
			return true
		})
	}
	if len(out) == 0 {
		out = append(out, history.Text(role, text))
	}
	return out
}

// parameters gives the invocation parameters that a request may carry; lost counts the others.
func parameters(v rawjson.Value) (params []byte, limit uint32, lost int) {
	v.Fields(func(key []byte, v rawjson.Value) {
		switch name := string(key); name {
		case "temperature", "seed", "top_p", "top_k", "stop", "presence_penalty", "frequency_penalty", "tool_choice", "response_format":
			params = history.WithMember(params, name, v)
		case "max_tokens", "max_completion_tokens":
			if n := history.Tokens(v); n > 0 && n <= math.MaxUint32 {
				limit = uint32(n)
			}
		case "model", "stream", "messages", "tools":
		default:
			lost++
		}
	})
	return params, limit, lost
}
