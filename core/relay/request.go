package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"paceline/core/chat"
)

// ConversationHeader names the conversation that a request belongs to. Its value goes to the target in the run's routing
// headers, so that a target of several engines keeps a conversation where its cache is.
const ConversationHeader = "Paceline-Conversation"

const maxConversation = 256

// said is what a request says of the fields that the runner writes itself.
type said struct {
	Messages []json.RawMessage `json:"messages"`
	Stream   *bool             `json:"stream"`
	Options  *struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
	MaxTokens     *uint32 `json:"max_tokens"`
	MaxCompletion *uint32 `json:"max_completion_tokens"`
	MaxNew        *uint32 `json:"max_new_tokens"`
}

var errMessages = errors.New("messages: want a list of objects that is not empty")

// request makes a request of the evaluation one of the run: its model and its way to write the limit of tokens, its
// parameters below and its override above those of the request. Whether the answer is streamed is the request's to say.
func (c *Config) request(body []byte, conversation string) (*chat.Request, error) {
	var s said
	own := map[string]json.RawMessage{}
	if err := errors.Join(json.Unmarshal(body, &own), json.Unmarshal(body, &s)); err != nil {
		return nil, fmt.Errorf("the body is no chat request: %w", err)
	}
	if len(s.Messages) == 0 {
		return nil, errMessages
	}
	messages := make([][]byte, len(s.Messages))
	for i, m := range s.Messages {
		if m = bytes.TrimSpace(m); len(m) == 0 || m[0] != '{' {
			return nil, errMessages
		}
		messages[i] = m
	}
	maps.DeleteFunc(own, func(key string, _ json.RawMessage) bool { return chat.Owned(key) })
	rest, err := json.Marshal(own) // sorted by key
	if err != nil {
		return nil, err
	}
	params, err := chat.Merge(chat.Layer{Name: "the run", Params: c.Params}, chat.Layer{Name: "the request", Params: rest},
		chat.Layer{Name: "the run's override", Params: c.Override})
	if err != nil {
		return nil, err
	}
	wire := chat.Wire{Model: c.Model, MaxTokensKey: c.MaxTokensKey, Stream: s.Stream != nil && *s.Stream,
		IncludeUsage: s.Options != nil && s.Options.Usage}
	shell, err := wire.Shell(params, nil, s.limit(c.MaxTokens))
	if err != nil {
		return nil, err
	}
	req := shell.Body(messages)
	req.Body = [][]byte{bytes.Join(req.Body, nil)} // recorded as one text
	for _, name := range c.RoutingHeaders {
		if conversation != "" {
			req.Headers = append(req.Headers, chat.Header{Name: name, Value: conversation})
		}
	}
	return req, nil
}

// limit is the request's limit on generated tokens, by whatever name, else the run's.
func (s *said) limit(otherwise uint32) uint32 {
	for _, n := range []*uint32{s.MaxCompletion, s.MaxTokens, s.MaxNew} {
		if n != nil && *n > 0 {
			return *n
		}
	}
	return otherwise
}

// routable reports whether a conversation's id may become a header: printable ASCII, not long.
func routable(id string) bool {
	for i := range len(id) {
		if id[i] < ' ' || id[i] > '~' {
			return false
		}
	}
	return len(id) <= maxConversation
}
