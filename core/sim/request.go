package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// Request is a chat completion as the engine understood it. What it points to
// must not be changed.
type Request struct {
	Number int // order of arrival, from 1
	Header http.Header
	Body   []byte

	Model    string
	Messages []Message
	Tools    []Tool
	// MaxTokens bounds the answer; -1 means that the request had no bound.
	MaxTokens int
	Stream    bool
	// PromptTokens is the size of the rendered prompt.
	PromptTokens int

	tools    json.RawMessage
	minimum  int  // tokens that the answer has at least
	fill     bool // answer up to MaxTokens
	usage    bool // stream_options.include_usage
	noTools  bool // tool_choice is none
	noThink  bool
	identity uint64 // hash of the prompt
}

// Message is one message of a prompt.
type Message struct {
	Role       string
	Content    string // the texts of a list of parts are joined
	ToolCalls  []ToolCall
	ToolCallID string
}

// ToolCall is a call in a message or in an answer. In a scripted answer an empty
// ID is replaced by a seeded one.
type ToolCall struct {
	ID, Name, Arguments string
}

// Tool is a tool that the request offers.
type Tool struct {
	Name       string
	Properties []Property // sorted by name
}

// Property is one argument of a tool.
type Property struct {
	Name, Type string
	Required   bool
}

type wireRequest struct {
	Model         string          `json:"model"`
	Messages      []wireMessage   `json:"messages"`
	Tools         json.RawMessage `json:"tools"`
	ToolChoice    json.RawMessage `json:"tool_choice"`
	MaxTokens     *int            `json:"max_tokens"`
	MaxCompletion *int            `json:"max_completion_tokens"`
	MinTokens     int             `json:"min_tokens"`
	IgnoreEOS     bool            `json:"ignore_eos"`
	N             *int            `json:"n"`
	Stream        bool            `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Template struct {
		EnableThinking *bool `json:"enable_thinking"`
	} `json:"chat_template_kwargs"`
}

type wireMessage struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []struct {
		ID       string `json:"id"`
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// parseRequest reads a body. Every error is the caller's fault.
func parseRequest(body []byte) (*Request, error) {
	var w wireRequest
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, fmt.Errorf("the body is not a chat completion request: %w", err)
	}
	r := &Request{
		Body: body, Model: w.Model, Stream: w.Stream, MaxTokens: -1,
		minimum: w.MinTokens, fill: w.IgnoreEOS, usage: w.StreamOptions.IncludeUsage,
		noTools: string(w.ToolChoice) == `"none"`,
		noThink: w.Template.EnableThinking != nil && !*w.Template.EnableThinking,
	}
	for _, limit := range []*int{w.MaxTokens, w.MaxCompletion} {
		if limit == nil {
			continue
		}
		if *limit < 1 {
			return nil, fmt.Errorf("max_tokens must be at least 1, got %d", *limit)
		}
		r.MaxTokens = *limit
	}
	if w.N != nil && *w.N != 1 {
		return nil, fmt.Errorf("n must be 1, got %d", *w.N)
	}
	if len(w.Messages) == 0 {
		return nil, fmt.Errorf("messages must not be empty")
	}
	for i, m := range w.Messages {
		message, err := m.parse()
		if err != nil {
			return nil, fmt.Errorf("messages[%d]: %w", i, err)
		}
		r.Messages = append(r.Messages, message)
	}
	return r, r.parseTools(w.Tools)
}

func (w wireMessage) parse() (Message, error) {
	m := Message{Role: w.Role, ToolCallID: w.ToolCallID}
	switch w.Role {
	case "system", "developer", "user", "assistant", "tool":
	default:
		return m, fmt.Errorf("role %q is not known", w.Role)
	}
	for _, c := range w.ToolCalls {
		m.ToolCalls = append(m.ToolCalls, ToolCall{c.ID, c.Function.Name, c.Function.Arguments})
	}
	var err error
	switch {
	case len(w.Content) == 0 || string(w.Content) == "null":
	case w.Content[0] == '[':
		var parts []struct{ Text string }
		err = json.Unmarshal(w.Content, &parts)
		var b strings.Builder
		for _, p := range parts {
			b.WriteString(p.Text)
		}
		m.Content = b.String()
	default:
		err = json.Unmarshal(w.Content, &m.Content)
	}
	if err != nil {
		return m, fmt.Errorf("content: %w", err)
	}
	return m, nil
}

func (r *Request) parseTools(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var list []struct {
		Function struct {
			Name       string
			Parameters struct {
				Properties map[string]struct{ Type json.RawMessage }
				Required   []string
			}
		}
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	r.tools = raw
	for _, w := range list {
		t := Tool{Name: w.Function.Name}
		for name, p := range w.Function.Parameters.Properties {
			t.Properties = append(t.Properties, Property{
				Name:     name,
				Type:     string(bytes.Trim(p.Type, `"`)),
				Required: slices.Contains(w.Function.Parameters.Required, name),
			})
		}
		slices.SortFunc(t.Properties, func(a, b Property) int { return strings.Compare(a.Name, b.Name) })
		r.Tools = append(r.Tools, t)
	}
	return nil
}

// LastUser returns the text of the last user message, or "".
func (r *Request) LastUser() string {
	for _, m := range slices.Backward(r.Messages) {
		if m.Role == "user" {
			return m.Content
		}
	}
	return ""
}
