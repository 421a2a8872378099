package sim

import (
	"encoding/json"
	"fmt"

	"paceline/core/chat"
)

// messagesVoice speaks Anthropic's messages. A block of the content is one for the
// thinking, one for the text and one for each call.
type messagesVoice struct {
	w      *streamWriter
	c      *completion
	server *Server
	block  int  // the last block, -1 before the first
	last   part // of that block
	opened bool
}

// event adds an event, whose further fields are given.
func (v *messagesVoice) event(kind, fields string) {
	if fields != "" {
		fields = "," + fields
	}
	v.w.named(kind, `{"type":"`+kind+`"`+fields+`}`)
}

func (v *messagesVoice) begin() {
	v.event("message_start", `"message":`+string(v.c.message(v.server, Answer{}, "")))
}

func (v *messagesVoice) part(p part, _, _ int) {
	if v.opened && (p.kind == callHead || p.kind != v.last.kind && v.last.kind != callHead) {
		v.close()
	}
	if !v.opened {
		v.opened = true
		v.block++
		v.event("content_block_start", fmt.Sprintf(`"index":%d,"content_block":%s`, v.block, v.c.contentBlock(p, "")))
	}
	v.last = p
	delta := map[partKind]string{
		reasoningPart: `"thinking_delta","thinking":`, contentPart: `"text_delta","text":`, callArguments: `"input_json_delta","partial_json":`,
	}[p.kind]
	if delta != "" {
		v.event("content_block_delta", fmt.Sprintf(`"index":%d,"delta":{"type":%s%s}`, v.block, delta, chat.AppendQuoted(nil, p.text)))
	}
}

// close ends the block that is open.
func (v *messagesVoice) close() {
	if v.opened {
		v.opened = false
		v.event("content_block_stop", fmt.Sprintf(`"index":%d`, v.block))
	}
}

func (v *messagesVoice) end(tokens int, done bool) {
	v.close()
	usage := ""
	if !v.server.hidesUsage(v.c) {
		usage = `,"usage":` + string(v.c.messageUsage(tokens))
	}
	v.event("message_delta", `"delta":{"stop_reason":"`+v.c.stopReason()+`","stop_sequence":null}`+usage)
	if done {
		v.event("message_stop", "")
	}
}

func (v *messagesVoice) fault(name string) {
	if name == "malformed-event" {
		v.w.raw(`{"type":"content_block_delta","del`)
		return
	}
	v.w.named("error", string(errorBody(chat.APIMessages, 500, failure, "")))
}

func (c *completion) stopReason() string {
	switch c.finish() {
	case "length":
		return "max_tokens"
	case "tool_calls":
		return "tool_use"
	}
	return "end_turn"
}

// contentBlock is a block with what was said in it.
func (c *completion) contentBlock(p part, said string) []byte {
	switch p.kind {
	case reasoningPart:
		return fmt.Appendf(nil, `{"type":"thinking","thinking":%s,"signature":""}`, chat.AppendQuoted(nil, said))
	case contentPart:
		return fmt.Appendf(nil, `{"type":"text","text":%s}`, chat.AppendQuoted(nil, said))
	}
	call := c.answer.ToolCalls[p.call]
	if !json.Valid([]byte(said)) { // cut by the limit on tokens, or not yet there
		said = "{}"
	}
	return fmt.Appendf(nil, `{"type":"tool_use","id":%s,"name":%s,"input":%s}`, chat.AppendQuoted(nil, call.ID), chat.AppendQuoted(nil, call.Name), said)
}

// message is the whole message; without a stop reason, its beginning.
func (c *completion) message(s *Server, a Answer, stop string) []byte {
	b := []byte(`{"id":"` + c.id + `","type":"message","role":"assistant"`)
	b = chat.AppendQuoted(append(b, `,"model":`...), s.config.Model)
	b = append(b, `,"content":[`...)
	separator := ""
	wholes(a, func(p part, said string) {
		b = append(append(b, separator...), c.contentBlock(p, said)...)
		separator = ","
	})
	b = append(b, `],"stop_reason":`...)
	tokens := 0
	if stop == "" {
		b = append(b, "null"...)
	} else {
		b, tokens = chat.AppendQuoted(b, stop), c.sequence.length
	}
	b = append(b, `,"stop_sequence":null`...)
	if !s.hidesUsage(c) {
		b = append(append(b, `,"usage":`...), c.messageUsage(tokens)...)
	}
	return append(b, '}')
}

// messageUsage tells the prompt in two parts: what the cache held, and the rest.
func (c *completion) messageUsage(tokens int) []byte {
	cached := int(c.sequence.cached.Load())
	b := appendField(nil, `{"input_tokens":`, c.request.PromptTokens-cached)
	b = appendField(b, `,"cache_creation_input_tokens":0,"cache_read_input_tokens":`, cached)
	b = appendField(b, `,"output_tokens":`, tokens)
	return append(b, '}')
}
