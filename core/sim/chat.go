package sim

import (
	"fmt"
	"net/http"
	"time"

	"paceline/core/chat"
)

// completion is one admitted request and its answer.
type completion struct {
	request   *Request
	answer    Answer
	sequence  *sequence
	reasoning int // tokens of the whole answer's reasoning
	whole     int // tokens of the whole answer; the sequence's length may be less
	fault     Fault
	id        string
	created   int64    // Unix seconds
	ids       []uint32 // of the whole answer's tokens, where they are asked for
}

// idPrefixes are how the ids of answers begin.
var idPrefixes = map[chat.API]string{
	chat.APIChat: "chatcmpl-", chat.APICompletions: "cmpl-", chat.APIResponses: "resp_", chat.APIMessages: "msg_",
}

// answer answers a request by an API and returns whether the connection stays.
func (s *Server) answer(x *exchange, api chat.API) bool {
	x.api = api
	number := int(s.arrivals.Add(1))
	r, err := parseRequest(api, x.in.body)
	if err != nil {
		return x.fail(http.StatusBadRequest, err.Error(), "")
	}
	r.Number, r.Header = number, x.in.Header
	if r.Model != s.config.Model {
		return x.fail(http.StatusNotFound, fmt.Sprintf("the model %q does not exist", r.Model), "model_not_found")
	}
	tokens := &chain{blockTokens: s.config.BlockTokens, hash: 1, small: r.ids != nil}
	tokens.prompt(r)
	r.PromptTokens, r.identity = tokens.tokens, tokens.hash

	fault := s.config.fault(r)
	if handled, stay := s.failEarly(x, fault); handled {
		return stay
	}
	limit := s.config.MaxContext - r.PromptTokens
	if r.MaxTokens > limit || limit < 1 {
		if fault.Name == "silent-overflow" && r.Stream {
			return x.reply(http.StatusOK, "text/event-stream", nil)
		}
		return x.fail(http.StatusBadRequest, fmt.Sprintf(
			"this model's maximum context length is %d tokens, but %d tokens were requested (%d in the messages, %d in the completion)",
			s.config.MaxContext, r.PromptTokens+max(r.MaxTokens, 0), r.PromptTokens, max(r.MaxTokens, 0)), "context_length_exceeded")
	}
	if r.MaxTokens > 0 {
		limit = r.MaxTokens
	}
	stored := s.repeats.see(&s.config, r)
	c := s.complete(r, tokens, limit, fault)
	if stored && s.config.ResponseCache == CacheInstant {
		c.sequence.finished()
	} else {
		s.engine.submit(c.sequence)
		defer s.engine.cancel(c.sequence)
	}
	if r.Stream {
		return s.stream(x, c)
	}
	return s.sendWhole(x, c)
}

func (s *Server) complete(r *Request, tokens *chain, limit int, fault Fault) *completion {
	c := &completion{request: r, answer: s.config.answer(r), fault: fault, created: time.Now().Unix()}
	c.id = fmt.Sprintf("%s%016x", idPrefixes[r.API], mix(s.config.Seed, r.draw()))
	c.whole, c.reasoning = c.answer.tokens()
	before := len(tokens.ids)
	tokens.keep = r.tellIDs
	tokens.answer(c.answer)
	c.ids = tokens.ids[before:]
	c.sequence = newSequence(tokens, r.PromptTokens, min(c.whole, limit))
	return c
}

// failEarly plays the faults that need no answer.
func (s *Server) failEarly(x *exchange, f Fault) (handled, stay bool) {
	switch f.Name {
	case "status-429":
		return true, x.fail(http.StatusTooManyRequests, "too many requests", "rate_limit_exceeded", "Retry-After: 1")
	case "status-500":
		return true, x.fail(http.StatusInternalServerError, failure, "")
	case "status-503":
		return true, x.fail(http.StatusServiceUnavailable, "the engine is not ready", "", "Retry-After: 1")
	case "html":
		return true, x.reply(http.StatusOK, "text/html", []byte("<html><body><h1>Gateway login</h1></body></html>"))
	case "empty-body":
		return true, x.reply(http.StatusOK, "text/event-stream", nil)
	case "reset":
		x.abort()
		return true, false
	case "hang-early":
		<-x.gone.Done()
		return true, false
	case "slow":
		delay := f.Delay
		if delay == 0 {
			delay = 2 * time.Second
		}
		sleep(x.gone, s.scaled(delay))
	}
	return false, false
}

// wait returns false if the client left before the sequence had news.
func (x *exchange) wait(s *sequence) bool {
	select {
	case <-s.notify:
		return true
	case <-x.gone.Done():
		return false
	}
}

// finish returns the finish_reason.
func (c *completion) finish() string {
	switch {
	case c.sequence.length < c.whole || c.request.fill && c.sequence.length == c.request.MaxTokens:
		return "length"
	case len(c.answer.ToolCalls) > 0:
		return "tool_calls"
	}
	return "stop"
}

// hidesUsage reports whether the answer has no usage whatever was asked.
func (s *Server) hidesUsage(c *completion) bool {
	return s.config.NoUsage || c.fault.Name == "no-usage"
}

// appendUsage adds the usage object after so many tokens.
func (c *completion) appendUsage(b []byte, tokens int) []byte {
	prompt := c.request.PromptTokens
	b = appendField(b, `{"prompt_tokens":`, prompt)
	b = appendField(b, `,"completion_tokens":`, tokens)
	b = appendField(b, `,"total_tokens":`, prompt+tokens)
	b = appendField(b, `,"prompt_tokens_details":{"cached_tokens":`, int(c.sequence.cached.Load()))
	b = append(b, '}')
	if c.reasoning > 0 {
		b = appendField(b, `,"completion_tokens_details":{"reasoning_tokens":`, min(c.reasoning, tokens))
		b = append(b, '}')
	}
	return append(b, '}')
}
