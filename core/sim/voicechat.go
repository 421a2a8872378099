package sim

import (
	"strings"

	"paceline/core/chat"
)

// chatVoice speaks chat completions, and completions, whose events have a text in
// place of a delta.
type chatVoice struct {
	w      *streamWriter
	c      *completion
	server *Server
	prefix []byte // of each event, up to the choice
	text   bool   // completions
}

func newChatVoice(w *streamWriter, c *completion, s *Server) *chatVoice {
	v := &chatVoice{w: w, c: c, server: s, text: c.request.API == chat.APICompletions}
	object := "chat.completion.chunk"
	if v.text {
		object = "text_completion"
	}
	v.prefix = append(v.prefix, `data: {"id":"`+c.id+`","object":"`+object+`"`...)
	v.prefix = appendField(v.prefix, `,"created":`, int(c.created))
	v.prefix = append(v.prefix, `,"model":`...)
	v.prefix = chat.AppendQuoted(v.prefix, s.config.Model)
	v.prefix = append(v.prefix, `,"choices":[`...)
	return v
}

// open starts an event with a choice, up to what the answer gains.
func (v *chatVoice) open() {
	v.w.buf = append(v.w.buf, v.prefix...)
	v.w.buf = append(v.w.buf, `{"index":0,`...)
	if !v.text {
		v.w.buf = append(v.w.buf, `"delta":{`...)
	}
}

// close ends an event after what the answer gains.
func (v *chatVoice) close(finish string, tokens int) {
	b := v.w.buf
	if !v.text {
		b = append(b, '}')
	}
	if finish == "" {
		b = append(b, `,"finish_reason":null}]`...)
	} else {
		b = append(append(append(b, `,"finish_reason":"`...), finish...), `"}]`...)
	}
	v.w.buf = b
	v.running(tokens)
	v.w.buf = append(v.w.buf, '}')
	v.w.blank()
}

func (v *chatVoice) begin() {
	if v.text {
		return
	}
	v.open()
	v.w.buf = append(v.w.buf, `"role":"assistant","content":""`...)
	v.close("", -1)
}

func (v *chatVoice) part(p part, from, till int) {
	v.open()
	if v.text {
		v.piece(p, from, till)
	} else {
		v.delta(p)
	}
	v.close("", till)
}

// piece is what a text completion gains. The first one tells the prompt's ids too.
func (v *chatVoice) piece(p part, from, till int) {
	b := append(v.w.buf, `"text":"`...)
	b = append(chat.AppendEscaped(b, p.text), `","logprobs":null`...)
	if v.c.request.tellIDs {
		b = appendIDs(append(b, `,"token_ids":`...), v.c.ids[from:till])
		if from == 0 {
			b = appendIDs(append(b, `,"prompt_token_ids":`...), v.c.request.ids)
		}
	}
	v.w.buf = b
}

func (v *chatVoice) delta(p part) {
	b := v.w.buf
	switch p.kind {
	case contentPart:
		b = append(b, `"content":"`...)
		b = append(chat.AppendEscaped(b, p.text), '"')
	case reasoningPart:
		b = append(b, '"')
		b = append(b, v.server.config.ReasoningField...)
		b = append(b, `":"`...)
		b = append(chat.AppendEscaped(b, p.text), '"')
	case callHead:
		call := v.c.answer.ToolCalls[p.call]
		b = appendField(b, `"tool_calls":[{"index":`, p.call)
		b = chat.AppendQuoted(append(b, `,"id":`...), call.ID)
		b = chat.AppendQuoted(append(b, `,"type":"function","function":{"name":`...), call.Name)
		b = append(b, `,"arguments":""}}]`...)
	case callArguments:
		b = appendField(b, `"tool_calls":[{"index":`, p.call)
		b = append(b, `,"function":{"arguments":"`...)
		b = append(chat.AppendEscaped(b, p.text), `"}}]`...)
	}
	v.w.buf = b
}

// running adds the usage so far where each chunk of an answer has it.
func (v *chatVoice) running(tokens int) {
	if tokens >= 0 && v.server.config.ContinuousUsage && v.c.request.usage && !v.server.hidesUsage(v.c) {
		v.w.buf = v.c.appendUsage(append(v.w.buf, `,"usage":`...), tokens)
	}
}

func (v *chatVoice) end(tokens int, done bool) {
	v.open()
	if v.text {
		v.w.buf = append(v.w.buf, `"text":""`...)
	}
	v.close(v.c.finish(), tokens)
	if v.c.request.usage && !v.server.hidesUsage(v.c) {
		v.w.buf = append(v.w.buf, v.prefix...)
		v.w.buf = v.c.appendUsage(append(v.w.buf, `],"usage":`...), tokens)
		v.w.buf = append(v.w.buf, '}')
		v.w.blank()
	}
	if done {
		v.w.raw("[DONE]")
	}
}

func (v *chatVoice) fault(name string) {
	if name == "malformed-event" {
		v.w.raw(strings.TrimPrefix(string(v.prefix), "data: ") + `{"index":0,"del`)
		return
	}
	v.w.raw(string(errorBody(v.c.request.API, 500, failure, "")))
	v.w.raw("[DONE]")
}
