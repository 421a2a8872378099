package coretest

import (
	"fmt"
	"slices"
	"strings"

	"paceline/core/chat"
)

// Hostile is a reply of a server that is broken, overloaded or means ill, and how the turn must end.
type Hostile struct {
	Name    string
	Reply   Reply
	Outcome string // as the journal has it
	Cause   string // a part of the cause
	Text    string // what must be kept of the answer
}

// HostileReplies returns replies by an API of completions, responses or messages.
func HostileReplies(api chat.API) []Hostile {
	good := Speak(api, Spoken{Content: []string{"one", "two"}, Finish: "stop", Prompt: 3, Output: 2})
	first := 0 // the first event with text
	for !strings.Contains(good[first], `"one"`) {
		first++
	}
	upTo := func(n int, more ...string) []string { return append(good[:n:n], more...) }
	last := len(good) - 1
	list := []Hostile{
		{"no end", Stream(good[:first+1]...), "truncated", "without finish reason", "one"},
		{"nothing", Stream(), "empty_body", "empty body", ""},
		{"no JSON", Stream(upTo(first+1, Data(`{"type":"response.out`), good[last])...), "malformed_stream", "1 of", "one"},
		{"another API", Stream(Speak(chat.APIChat, Spoken{Content: []string{"x"}, Finish: "stop"})...), "not_an_answer", "events without", ""},
		{"a page", Document(200, "<html>"), "not_an_answer", "no JSON", ""},
		{"a document of another kind", Document(200, `{"choices":[]}`), "not_an_answer", "JSON without", ""},
		{"events of odd types", Stream(append([]string{Data(`[]`), Data(`7`), Data(`{"type":7,"delta":[],"index":"x","usage":7,"item":null,"message":3}`)}, good...)...), "ok", "", "onetwo"},
		{"escaped keys", Stream(escapeKeys(good)...), "ok", "", "onetwo"},
		{"cut anywhere", Reply{Headers: []Header{{"Content-Type", "text/event-stream"}}, Body: bytewise(strings.Join(good, "")), End: EndKeepAlive}, "ok", "", "onetwo"},
		{"CRLF", Stream(strings.ReplaceAll(strings.Join(good, ""), "\n", "\r\n")), "ok", "", "onetwo"},
		{"more after the end", Stream(append(good[:last:last], good[last], good[first])...), "ok", "", "onetwo"},
		{"deep", Stream(append([]string{Data(`{"type":"x","y":%s}`, strings.Repeat("[", 500)+strings.Repeat("]", 500))}, good...)...), "ok", "", "onetwo"},
		{"large index", Stream(upTo(first+1, append([]string{largeIndex(api)}, good[first+1:]...)...)...), "ok", "", "onetwo"},
		{"overload", Document(529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), "overload", "Overloaded", ""},
		{"overflow", Document(400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}`), "context_overflow", "too long", ""},
		{"a key that is wrong", Document(401, `{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}`), "auth", "invalid", ""},
		{"overload inside", Stream(upTo(first+1, overloaded(api))...), "overload", "busy", "one"},
		{"error inside", Stream(upTo(first+1, Named("error", `{"type":"error","error":{"type":"api_error","message":"broke"}}`))...), "in_band_error", "broke", "one"},
		{"error without a name", Stream(upTo(first+1, Data(`{"type":"error","message":"broke"}`), good[last])...), "in_band_error", "broke", "one"},
		{"overflow inside", Stream(upTo(first, Data(`{"type":"error","error":{"message":"maximum context length is 8"}}`))...), "context_overflow", "context length", ""},
	}
	switch api {
	case chat.APICompletions: // whose events are those of chat completions, but for a text in place of a delta
		list = slices.DeleteFunc(list, func(h Hostile) bool {
			return h.Name == "another API" || h.Name == "large index" || h.Name == "error without a name"
		})
	case chat.APIResponses:
		list = append(list,
			Hostile{"failed", Stream(upTo(first+1, Data(`{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error","message":"broke"}}}`))...), "in_band_error", "broke", "one"},
			Hostile{"failed without a word", Stream(Data(`{"type":"response.failed","response":{"status":"failed","error":null}}`)), "in_band_error", "failed", ""},
			Hostile{"the text at the end alone", Stream(good[0], good[last]), "ok", "", "onetwo"})
	}
	return list
}

func overloaded(api chat.API) string {
	if api == chat.APIResponses {
		return Data(`{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"busy"}}}`)
	}
	return Named("error", `{"type":"error","error":{"type":"overloaded_error","message":"busy"}}`)
}

// largeIndex is a piece of a call at a place where no call can be, and without anything in it.
func largeIndex(api chat.API) string {
	if api == chat.APIResponses {
		return Data(`{"type":"response.function_call_arguments.delta","output_index":%d}`, uint64(1)<<60)
	}
	return Data(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`, uint64(1)<<60)
}

// escapeKeys writes the first letter of each "type" as an escape.
func escapeKeys(events []string) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = strings.ReplaceAll(e, `"type":`, fmt.Sprintf(`"\u%04xype":`, 't'))
	}
	return out
}

func bytewise(body string) []Step {
	steps := make([]Step, len(body))
	for i := range steps {
		steps[i].Data = []byte{body[i]}
	}
	return steps
}
