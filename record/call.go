package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"paceline/core/chat"
	"paceline/workloads/import/history"
)

// Call is one request that was answered.
type Call struct {
	Session  string // as the agent's routing header names it; empty: none
	Request  *Request
	Answer   json.RawMessage // the assistant message
	Usage    chat.Usage
	Sent     time.Duration // since the recording began
	Done     time.Duration
	messages []fingerprint
}

// Request is what a trajectory keeps of a chat request.
type Request struct {
	Messages  []json.RawMessage
	Tools     json.RawMessage // nil: none
	Params    json.RawMessage // nil: none
	MaxTokens uint32          // 0: none
	Stream    bool
	Dropped   []string // names of fields that are not kept, sorted
}

// kept are the parameters that shape an answer. What else stands in a request may be anybody's name or key.
var kept = map[string]bool{
	"temperature": true, "top_p": true, "top_k": true, "min_p": true, "seed": true, "stop": true, "presence_penalty": true,
	"frequency_penalty": true, "repetition_penalty": true, "logit_bias": true, "tool_choice": true, "parallel_tool_calls": true,
	"response_format": true, "reasoning_effort": true, "chat_template_kwargs": true,
}

// read are the fields that are kept elsewhere or that the runner writes itself.
var read = map[string]bool{
	"model": true, "messages": true, "tools": true, "stream": true, "stream_options": true, "max_tokens": true,
	"max_completion_tokens": true, "n": true,
}

var errMessages = errors.New("messages: want a list of objects that is not empty")

// ParseRequest reads the body of a chat request.
func ParseRequest(body []byte) (*Request, error) {
	fields := map[string]json.RawMessage{}
	var s struct {
		Messages      []json.RawMessage `json:"messages"`
		Stream        bool              `json:"stream"`
		MaxTokens     *uint32           `json:"max_tokens"`
		MaxCompletion *uint32           `json:"max_completion_tokens"`
	}
	if err := errors.Join(json.Unmarshal(body, &fields), json.Unmarshal(body, &s)); err != nil {
		return nil, fmt.Errorf("the body is no chat request: %w", err)
	}
	if len(s.Messages) == 0 || slices.ContainsFunc(s.Messages, func(m json.RawMessage) bool { return m[0] != '{' }) {
		return nil, errMessages
	}
	r := &Request{Messages: s.Messages, Stream: s.Stream}
	for _, n := range []*uint32{s.MaxCompletion, s.MaxTokens} {
		if n != nil && *n > 0 && r.MaxTokens == 0 {
			r.MaxTokens = *n
		}
	}
	if t := fields["tools"]; len(t) > 2 && t[0] == '[' {
		r.Tools = t
	}
	r.Params, r.Dropped = params(fields)
	return r, nil
}

// params are the parameters that are kept, sorted by name, and the names of what is not.
func params(fields map[string]json.RawMessage) (json.RawMessage, []string) {
	var dropped []string
	out := map[string]json.RawMessage{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch {
		case kept[name]:
			out[name] = fields[name]
		case !read[name]:
			dropped = append(dropped, name)
		}
	}
	if len(out) == 0 {
		return nil, dropped
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, dropped
	}
	return raw, dropped
}

// truth are the token counts that the endpoint told, for the turn.
func (c *Call) truth() []byte {
	if !c.Usage.Reported {
		return nil
	}
	u := history.NoUsage()
	u.Input, u.Output = int64(c.Usage.PromptTokens), int64(c.Usage.CompletionTokens)
	if n := c.Usage.CachedTokens; n != nil {
		u.Cached = int64(*n)
	}
	if n := c.Usage.ReasoningTokens; n != nil {
		u.Reasoning = int64(*n)
	}
	return u.Truth()
}
