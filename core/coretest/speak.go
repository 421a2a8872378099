package coretest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"paceline/core/chat"
)

// Spoken is an answer that a scripted server gives, whatever the API.
type Spoken struct {
	Reasoning []string // pieces; each is an event
	Content   []string
	Calls     []SpokenCall
	Finish    string // by the name that chat completions have: stop, length, tool_calls
	Prompt    int    // tokens, cached ones included
	Cached    int
	Output    int
}

// SpokenCall is one call of a tool.
type SpokenCall struct {
	ID, Name  string
	Arguments []string // pieces
}

// Speak returns the events of a stream that gives the answer by an API, each with its name and its end, as the API's own
// servers write them.
func Speak(api chat.API, s Spoken) []string {
	switch api {
	case chat.APICompletions:
		return s.completions()
	case chat.APIResponses:
		return s.responses()
	case chat.APIMessages:
		return s.messages()
	}
	return s.chat()
}

// Stream returns a reply that sends events, one every 10 ms.
func Stream(events ...string) Reply {
	r := Reply{Headers: []Header{{"Content-Type", "text/event-stream"}}, Coding: Chunked, End: EndKeepAlive}
	for i, e := range events {
		r.Body = append(r.Body, Step{At: time.Duration(i+1) * 10 * time.Millisecond, Data: []byte(e)})
	}
	return r
}

// Document returns a reply with a JSON document.
func Document(status int, body string) Reply {
	return Reply{
		Status: status, Headers: []Header{{"Content-Type", "application/json"}}, Body: []Step{{Data: []byte(body)}},
		Coding: WithLength, End: EndKeepAlive,
	}
}

// Data is an event without a name.
func Data(format string, args ...any) string { return "data: " + fmt.Sprintf(format, args...) + "\n\n" }

// Named is an event with a name.
func Named(name, format string, args ...any) string {
	return "event: " + name + "\n" + Data(format, args...)
}

// Quote writes a JSON string.
func Quote(text string) string {
	b, _ := json.Marshal(text) // a string always has a JSON form
	return string(b)
}

func (s Spoken) chat() []string {
	event := func(delta, finish string) string {
		return Data(`{"id":"c1","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{%s},"finish_reason":%s}]}`, delta, finish)
	}
	list := []string{event(`"role":"assistant","content":""`, "null")}
	for _, t := range s.Reasoning {
		list = append(list, event(`"reasoning_content":`+Quote(t), "null"))
	}
	for _, t := range s.Content {
		list = append(list, event(`"content":`+Quote(t), "null"))
	}
	for i, c := range s.Calls {
		list = append(list, event(fmt.Sprintf(`"tool_calls":[{"index":%d,"id":%s,"type":"function","function":{"name":%s,"arguments":""}}]`, i, Quote(c.ID), Quote(c.Name)), "null"))
		for _, a := range c.Arguments {
			list = append(list, event(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":%s}}]`, i, Quote(a)), "null"))
		}
	}
	return append(list, event("", Quote(s.Finish)), s.usage(), Data("[DONE]"))
}

func (s Spoken) usage() string {
	return Data(`{"id":"c1","model":"m","choices":[],"usage":{"prompt_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`,
		s.Prompt, s.Output, s.Cached)
}

func (s Spoken) completions() []string {
	var list []string
	for i, t := range s.Content {
		finish := "null"
		if i == len(s.Content)-1 {
			finish = Quote(s.Finish)
		}
		list = append(list, Data(`{"id":"c1","object":"text_completion","model":"m","choices":[{"index":0,"text":%s,"logprobs":null,"finish_reason":%s,"stop_reason":null}]}`, Quote(t), finish))
	}
	return append(list, s.usage(), Data("[DONE]"))
}

// responses has an item for the reasoning, one for the message and one for each call.
func (s Spoken) responses() []string {
	n := 0
	event := func(kind, format string, args ...any) string {
		n++
		return Named("response."+kind, `{"type":"response.%s","sequence_number":%d,%s}`, kind, n-1, fmt.Sprintf(format, args...))
	}
	list := []string{event("created", `"response":{"id":"r1","object":"response","status":"in_progress","model":"m","output":[],"usage":null,"error":null}`)}
	item := 0
	add := func(begin, whole, delta string, pieces []string) {
		list = append(list, event("output_item.added", `"output_index":%d,"item":%s`, item, begin))
		for _, p := range pieces {
			list = append(list, event(delta, `"item_id":"i%d","output_index":%d,"content_index":0,"delta":%s`, item, item, Quote(p)))
		}
		list = append(list, event("output_item.done", `"output_index":%d,"item":%s`, item, whole))
		item++
	}
	if len(s.Reasoning) > 0 {
		add(`{"type":"reasoning","id":"i","summary":[]}`,
			`{"type":"reasoning","id":"i","summary":[],"content":[{"type":"reasoning_text","text":`+Quote(strings.Join(s.Reasoning, ""))+`}]}`,
			"reasoning_text.delta", s.Reasoning)
	}
	if len(s.Content) > 0 {
		add(`{"type":"message","id":"i","role":"assistant","status":"in_progress","content":[]}`, s.item(), "output_text.delta", s.Content)
	}
	for _, c := range s.Calls {
		add(c.item(""), c.item(strings.Join(c.Arguments, "")), "function_call_arguments.delta", c.Arguments)
	}
	kind := "completed"
	if s.Finish == "length" {
		kind = "incomplete"
	}
	return append(list, event(kind, `"response":%s`, s.Response()))
}

func (s Spoken) item() string {
	return `{"type":"message","id":"i","role":"assistant","status":"completed","content":[{"type":"output_text","text":` +
		Quote(strings.Join(s.Content, "")) + `,"annotations":[]}]}`
}

func (c SpokenCall) item(arguments string) string {
	return fmt.Sprintf(`{"type":"function_call","id":"fc","call_id":%s,"name":%s,"arguments":%s}`, Quote(c.ID), Quote(c.Name), Quote(arguments))
}

// Response returns the answer as a whole response.
func (s Spoken) Response() string {
	status, details := "completed", "null"
	if s.Finish == "length" {
		status, details = "incomplete", `{"reason":"max_output_tokens"}`
	}
	var items []string
	if len(s.Reasoning) > 0 {
		items = append(items, `{"type":"reasoning","id":"i","summary":[{"type":"summary_text","text":`+Quote(strings.Join(s.Reasoning, ""))+`}]}`)
	}
	if len(s.Content) > 0 {
		items = append(items, s.item())
	}
	for _, c := range s.Calls {
		items = append(items, c.item(strings.Join(c.Arguments, "")))
	}
	return fmt.Sprintf(`{"id":"r1","object":"response","status":"%s","model":"m","error":null,"incomplete_details":%s,"output":[%s],`+
		`"usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d},"output_tokens":%d,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":%d}}`,
		status, details, strings.Join(items, ","), s.Prompt, s.Cached, s.Output, s.Prompt+s.Output)
}

var stopReasons = map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use"}

// messages has a block for the thinking, one for the text and one for each call.
func (s Spoken) messages() []string {
	list := []string{Named("message_start",
		`{"type":"message_start","message":{"id":"m1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,`+
			`"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":1}}}`, s.Prompt-s.Cached, s.Cached),
		Named("ping", `{"type":"ping"}`)}
	block := 0
	add := func(begin, kind, key string, pieces []string) {
		list = append(list, Named("content_block_start", `{"type":"content_block_start","index":%d,"content_block":%s}`, block, begin))
		for _, p := range pieces {
			list = append(list, Named("content_block_delta", `{"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":%s}}`, block, kind, key, Quote(p)))
		}
		list = append(list, Named("content_block_stop", `{"type":"content_block_stop","index":%d}`, block))
		block++
	}
	if len(s.Reasoning) > 0 {
		add(`{"type":"thinking","thinking":"","signature":""}`, "thinking_delta", "thinking", s.Reasoning)
	}
	if len(s.Content) > 0 {
		add(`{"type":"text","text":""}`, "text_delta", "text", s.Content)
	}
	for _, c := range s.Calls {
		add(fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":{}}`, Quote(c.ID), Quote(c.Name)), "input_json_delta", "partial_json", c.Arguments)
	}
	return append(list,
		Named("message_delta", `{"type":"message_delta","delta":{"stop_reason":"%s","stop_sequence":null},"usage":{"output_tokens":%d}}`, stopReasons[s.Finish], s.Output),
		Named("message_stop", `{"type":"message_stop"}`))
}

// Message returns the answer as a whole message of Anthropic's messages.
func (s Spoken) Message() string {
	var blocks []string
	if len(s.Reasoning) > 0 {
		blocks = append(blocks, `{"type":"thinking","thinking":`+Quote(strings.Join(s.Reasoning, ""))+`,"signature":"x"}`)
	}
	if len(s.Content) > 0 {
		blocks = append(blocks, `{"type":"text","text":`+Quote(strings.Join(s.Content, ""))+`}`)
	}
	for _, c := range s.Calls {
		blocks = append(blocks, fmt.Sprintf(`{"type":"tool_use","id":%s,"name":%s,"input":%s}`, Quote(c.ID), Quote(c.Name), strings.Join(c.Arguments, "")))
	}
	return fmt.Sprintf(`{"id":"m1","type":"message","role":"assistant","model":"m","content":[%s],"stop_reason":"%s","stop_sequence":null,`+
		`"usage":{"input_tokens":%d,"cache_creation_input_tokens":0,"cache_read_input_tokens":%d,"output_tokens":%d}}`,
		strings.Join(blocks, ","), stopReasons[s.Finish], s.Prompt-s.Cached, s.Cached, s.Output)
}
