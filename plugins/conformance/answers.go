package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"paceline/core/chat"
	"paceline/core/sample"
)

// answered is an exchange with an answer, or none.
func answered(outcome sample.Outcome, a *chat.Answer) *sample.Exchange {
	x := &sample.Exchange{Outcome: outcome, Timing: sample.NoTiming(), Answer: a}
	if outcome != sample.OK {
		x.Cause = "made up"
	} else {
		x.Status = 200
	}
	return x
}

// said is an answer that is a text.
func said(text string) *chat.Answer {
	content, err := json.Marshal(text)
	if err != nil {
		content = []byte(`""`)
	}
	return message(fmt.Sprintf(`{"role":"assistant","content":%s}`, content), "stop")
}

// toolCall is an answer that calls one tool.
func toolCall(name, arguments string) *chat.Answer {
	call, err := json.Marshal(map[string]any{"id": "call-1", "type": "function", "function": map[string]string{"name": name, "arguments": arguments}})
	if err != nil {
		return said("")
	}
	return message(fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[%s]}`, call), "tool_calls")
}

func message(doc, finish string) *chat.Answer {
	cached := uint64(3)
	return &chat.Answer{Message: json.RawMessage(doc), FinishReason: finish,
		Usage: chat.Usage{Reported: true, PromptTokens: 20, CompletionTokens: 10, CachedTokens: &cached}}
}

// firstTool is the name of the first function of a list of tools; empty: there is none.
func firstTool(tools []byte) string {
	var list []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if json.Unmarshal(tools, &list) != nil || len(list) == 0 {
		return ""
	}
	return list[0].Function.Name
}

// hostile is an answer that no model should give, and that one will.
type hostile struct {
	name    string
	outcome sample.Outcome
	answer  *chat.Answer
}

// deep is how deep the hostile documents are.
const deep = 100_000

// manyCalls is how many tools one hostile answer calls.
const manyCalls = 10_000

// tenMegabytes is the size of the longest hostile answer.
const tenMegabytes = 10_000_000

// hostileAnswers are made anew for each use, since some are large.
func hostileAnswers() []hostile {
	raw := func(name, doc string) hostile { return hostile{name, sample.OK, message(doc, "stop")} }
	nested := strings.Repeat("[", deep) + strings.Repeat("]", deep)
	objects := strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep)
	list := []hostile{
		raw("an answer with cut UTF-8", "{\"role\":\"assistant\",\"content\":\"caf\xc3\"}"),
		raw("an answer with bytes that are no UTF-8", "{\"role\":\"assistant\",\"content\":\"\xff\xfe\xc0\x80\"}"),
		raw("an answer with half a surrogate pair and NUL", `{"role":"assistant","content":"\ud800 \u0000 \udc00"}`),
		raw("a message that is no JSON", `<html>busy</html>`),
		raw("a message that is cut", `{"role":"assistant","content":"so`),
		raw("an empty message", ``),
		raw("a message that is null", `null`),
		raw("a message of other types", `{"role":5,"content":{"x":[1]},"tool_calls":"no","reasoning_content":[]}`),
		raw("tool calls of other types", `{"role":"assistant","content":null,"tool_calls":[null,5,{"function":7},{"id":{},"function":{"name":[],"arguments":{}}}]}`),
		raw("tool calls with numbers that no machine holds", `{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"bash","arguments":"{\"n\":1e999999999,\"m\":-0.0,\"k\":123456789012345678901234567890}"}}]}`),
		raw("a message of deep arrays", `{"role":"assistant","content":`+nested+`}`),
		raw("a content of deep JSON", `{"role":"assistant","content":"`+nested+`"}`),
		raw("arguments of deep JSON", `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"bash","arguments":`+quoted(objects)+`}}]}`),
		raw("an answer of 10 MB", `{"role":"assistant","content":"`+strings.Repeat("ten bytes ", tenMegabytes/10)+`"}`),
		raw("an answer of 10,000 tool calls", `{"role":"assistant","tool_calls":[`+strings.Repeat(`{"id":"a","type":"function","function":{"name":"bash","arguments":"{}"}},`, manyCalls)+
			`{"id":"b","type":"function","function":{"name":"bash","arguments":"{}"}}]}`),
	}
	list = append(list, hostile{"an answer with a hostile finish reason", sample.OK, message(`{"role":"assistant","content":"x"}`, strings.Repeat("\u0000stop", 1000))},
		hostile{"an answer without a message", sample.OK, &chat.Answer{}}, hostile{"ok, and no answer", sample.OK, nil},
		hostile{"a part of an answer before the connection broke", sample.Reset, message(`{"role":"assistant","content":"so"}`, "")})
	return list
}

// quoted writes a text without quotes and control characters as a JSON string.
func quoted(text string) string {
	return `"` + string(bytes.ReplaceAll([]byte(text), []byte(`"`), []byte(`\"`))) + `"`
}
