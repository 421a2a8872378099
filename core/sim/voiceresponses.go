package sim

import (
	"fmt"
	"strings"

	"paceline/core/chat"
)

// responsesVoice speaks OpenAI's responses. An item of the output is one for the
// reasoning, one for the text and one for each call.
type responsesVoice struct {
	w      *streamWriter
	c      *completion
	server *Server
	number int  // of events
	item   int  // of items that ended
	last   part // of the item that is open
	opened bool
	said   strings.Builder // of that item
}

// event adds an event whose further fields are given.
func (v *responsesVoice) event(kind string, fields ...string) {
	w := v.w
	w.buf = append(append(append(w.buf, "event: response."...), kind...), w.line...)
	w.buf = append(append(append(w.buf, `data: {"type":"response.`...), kind...), '"')
	w.buf = appendField(w.buf, `,"sequence_number":`, v.number)
	for _, f := range fields {
		w.buf = append(append(w.buf, ','), f...)
	}
	w.buf = append(w.buf, '}')
	w.blank()
	v.number++
}

func (v *responsesVoice) begin() {
	response := `"response":` + string(v.c.response(v.server, Answer{}, "in_progress", false))
	v.event("created", response)
	v.event("in_progress", response)
}

// place is the field that says of which item an event is.
func (v *responsesVoice) place() string { return fmt.Sprintf(`"output_index":%d`, v.item) }

func (v *responsesVoice) part(p part, _, _ int) {
	if v.opened && (p.kind == callHead || p.kind != v.last.kind && v.last.kind != callHead) {
		v.close()
	}
	if !v.opened {
		v.opened = true
		v.event("output_item.added", v.place(), `"item":`+string(v.c.item(p, "")))
		if p.kind == contentPart {
			v.event("content_part.added", v.place(), `"content_index":0,"part":{"type":"output_text","text":"","annotations":[]}`)
		}
	}
	v.last = p
	v.said.WriteString(p.text)
	kind := map[partKind]string{
		reasoningPart: "reasoning_text.delta", contentPart: "output_text.delta", callArguments: "function_call_arguments.delta",
	}[p.kind]
	if kind != "" {
		v.event(kind, v.place(), `"content_index":0,"delta":`+string(chat.AppendQuoted(nil, p.text)))
	}
}

// close ends the item that is open.
func (v *responsesVoice) close() {
	if !v.opened {
		return
	}
	v.event("output_item.done", v.place(), `"item":`+string(v.c.item(v.last, v.said.String())))
	v.opened = false
	v.item++
	v.said.Reset()
}

// end is one event, which is the end mark too.
func (v *responsesVoice) end(tokens int, done bool) {
	v.close()
	if !done {
		return
	}
	status := v.c.status()
	v.event(status, `"response":`+string(v.c.response(v.server, v.c.answer.cut(tokens), status, true)))
}

func (v *responsesVoice) fault(name string) {
	if name == "malformed-event" {
		v.w.raw(`{"type":"response.output_text.delta","del`)
		return
	}
	v.event("failed", `"response":{"id":"`+v.c.id+`","object":"response","status":"failed","error":{"code":"server_error","message":"`+failure+`"}}`)
}

// status is how the response ended.
func (c *completion) status() string {
	if c.finish() == "length" {
		return "incomplete"
	}
	return "completed"
}

// item is an item of the output with what was said in it.
func (c *completion) item(p part, said string) []byte {
	quoted := chat.AppendQuoted(nil, said)
	switch p.kind {
	case reasoningPart:
		return fmt.Appendf(nil, `{"type":"reasoning","id":"rs_%s","summary":[],"content":[{"type":"reasoning_text","text":%s}]}`, c.id, quoted)
	case contentPart:
		return fmt.Appendf(nil, `{"type":"message","id":"msg_%s","role":"assistant","status":"completed","content":[{"type":"output_text","text":%s,"annotations":[]}]}`, c.id, quoted)
	}
	call := c.answer.ToolCalls[p.call]
	return fmt.Appendf(nil, `{"type":"function_call","id":"fc_%d_%s","call_id":%s,"name":%s,"arguments":%s,"status":"completed"}`,
		p.call, c.id, chat.AppendQuoted(nil, call.ID), chat.AppendQuoted(nil, call.Name), quoted)
}

// response is the whole response.
func (c *completion) response(s *Server, a Answer, status string, over bool) []byte {
	b := []byte(`{"id":"` + c.id + `","object":"response"`)
	b = appendField(b, `,"created_at":`, int(c.created))
	b = append(b, `,"status":"`+status+`","error":null,"incomplete_details":`...)
	if status == "incomplete" {
		b = append(b, `{"reason":"max_output_tokens"}`...)
	} else {
		b = append(b, "null"...)
	}
	b = chat.AppendQuoted(append(b, `,"model":`...), s.config.Model)
	b = append(b, `,"output":[`...)
	separator := ""
	wholes(a, func(p part, said string) {
		b = append(append(b, separator...), c.item(p, said)...)
		separator = ","
	})
	b = append(b, `],"usage":`...)
	if !over || s.hidesUsage(c) {
		return append(b, "null}"...)
	}
	tokens := c.sequence.length
	b = appendField(b, `{"input_tokens":`, c.request.PromptTokens)
	b = appendField(b, `,"input_tokens_details":{"cached_tokens":`, int(c.sequence.cached.Load()))
	b = appendField(b, `},"output_tokens":`, tokens)
	b = appendField(b, `,"output_tokens_details":{"reasoning_tokens":`, min(c.reasoning, tokens))
	b = appendField(b, `},"total_tokens":`, c.request.PromptTokens+tokens)
	return append(b, "}}"...)
}
