package sim

import (
	"encoding/json"

	"paceline/core/chat"
)

// sendWhole answers without streaming and returns whether the connection stays.
func (s *Server) sendWhole(x *exchange, c *completion) bool {
	for !c.sequence.done.Load() {
		if !x.wait(c.sequence) {
			return false
		}
	}
	body := s.body(c)
	half := body[:len(body)/2]
	switch c.fault.Name {
	case "error-event":
		return x.reply(200, jsonType, errorBody(x.api, 500, failure, ""))
	case "malformed-event", "truncated":
		return x.reply(200, jsonType, half)
	case "hang", "reset-midstream":
		head := append(x.head(200, jsonType), "Transfer-Encoding: chunked\r\n\r\n"...)
		head = append(appendHex(head, len(half)), "\r\n"...)
		if _, err := x.conn.Write(append(append(head, half...), "\r\n"...)); err != nil {
			return false
		}
		if c.fault.Name == "hang" {
			<-x.gone.Done()
		} else {
			x.abort()
		}
		return false
	}
	return x.reply(200, jsonType, body)
}

func appendHex(b []byte, n int) []byte {
	if n >= 16 {
		b = appendHex(b, n>>4)
	}
	return append(b, hexDigits[n&15])
}

type wireCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function wireFunction `json:"function"`
}

type wireFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// body returns the completion as one JSON object.
func (s *Server) body(c *completion) []byte {
	a := c.answer.cut(c.sequence.length)
	switch c.request.API {
	case chat.APICompletions:
		return s.textBody(c, a)
	case chat.APIResponses:
		return c.response(s, a, c.status(), true)
	case chat.APIMessages:
		return c.message(s, a, c.stopReason())
	}
	b := append([]byte(nil), `{"id":"`+c.id+`","object":"chat.completion"`...)
	b = appendField(b, `,"created":`, int(c.created))
	b = chat.AppendQuoted(append(b, `,"model":`...), s.config.Model)
	b = append(b, `,"choices":[{"index":0,"message":{"role":"assistant","content":`...)
	if a.Content == "" && len(a.ToolCalls) > 0 {
		b = append(b, "null"...)
	} else {
		b = chat.AppendQuoted(b, a.Content)
	}
	if a.Reasoning != "" {
		b = chat.AppendQuoted(append(b, `,"`+s.config.ReasoningField+`":`...), a.Reasoning)
	}
	if len(a.ToolCalls) > 0 {
		b = append(append(b, `,"tool_calls":`...), callsJSON(a.ToolCalls)...)
	}
	b = chat.AppendQuoted(append(b, `},"finish_reason":`...), c.finish())
	b = append(b, "}]"...)
	if !s.hidesUsage(c) {
		b = c.appendUsage(append(b, `,"usage":`...), c.sequence.length)
	}
	return append(b, '}')
}

// textBody returns a text completion as one JSON object.
func (s *Server) textBody(c *completion, a Answer) []byte {
	b := append([]byte(nil), `{"id":"`+c.id+`","object":"text_completion"`...)
	b = appendField(b, `,"created":`, int(c.created))
	b = chat.AppendQuoted(append(b, `,"model":`...), s.config.Model)
	b = chat.AppendQuoted(append(b, `,"choices":[{"index":0,"text":`...), a.Reasoning+a.Content)
	if c.request.tellIDs {
		b = appendIDs(append(b, `,"token_ids":`...), c.ids[:c.sequence.length])
		b = appendIDs(append(b, `,"prompt_token_ids":`...), c.request.ids)
	}
	b = chat.AppendQuoted(append(b, `,"logprobs":null,"finish_reason":`...), c.finish())
	b = append(b, "}]"...)
	if !s.hidesUsage(c) {
		b = c.appendUsage(append(b, `,"usage":`...), c.sequence.length)
	}
	return append(b, '}')
}

func callsJSON(calls []ToolCall) []byte {
	list := make([]wireCall, len(calls))
	for i, c := range calls {
		list[i] = wireCall{ID: c.ID, Type: "function", Function: wireFunction{c.Name, c.Arguments}}
	}
	b, err := json.Marshal(list)
	if err != nil { // texts always have a JSON form
		return []byte("[]")
	}
	return b
}
