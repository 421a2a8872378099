package sim

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"paceline/core/chat"
)

// Request is a request as the engine understood it, whatever its API. What it
// points to must not be changed.
type Request struct {
	API    chat.API
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

	tools    json.RawMessage // as chat completions have them
	system   []Message       // of messages
	ids      []uint32        // the prompt as token ids; nil: it is none
	text     string          // the prompt as a text without tags
	isText   bool
	tellIDs  bool // return_token_ids
	minimum  int  // tokens that the answer has at least
	fill     bool // answer up to MaxTokens
	usage    bool // stream_options.include_usage
	noTools  bool // tool_choice is none
	noThink  bool
	keep     bool   // reasoning of earlier answers stays in the prompt
	identity uint64 // hash of the prompt
	times    uint64 // how often an answer was drawn for it before
}

// Message is one message of a prompt.
type Message struct {
	Role       string
	Content    string // the texts of a list of parts are joined
	Reasoning  string // of an assistant's message
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

// wireOptions are the small fields of a body.
type wireOptions struct {
	ToolChoice    json.RawMessage `json:"tool_choice"`
	MaxTokens     *int            `json:"max_tokens"`
	MaxCompletion *int            `json:"max_completion_tokens"`
	MinTokens     int             `json:"min_tokens"`
	IgnoreEOS     bool            `json:"ignore_eos"`
	TellIDs       bool            `json:"return_token_ids"`
	MaxOutput     *int            `json:"max_output_tokens"`
	N             *int            `json:"n"`
	Stream        bool            `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Template struct {
		EnableThinking   *bool `json:"enable_thinking"`
		PreserveThinking bool  `json:"preserve_thinking"`
	} `json:"chat_template_kwargs"`
}

// parseRequest reads a body. Every error is the caller's fault.
func parseRequest(api chat.API, body []byte) (*Request, error) {
	r := &Request{API: api.Named(), Body: body, MaxTokens: -1}
	options := []byte{'{'} // an object of the small fields only
	s := &scanner{b: body}
	err := s.members(func(key string) (err error) {
		if read := r.reader(key); read != nil {
			return read(s)
		}
		switch key {
		case "model":
			r.Model, err = s.textOrNull()
		case "tools":
			r.tools, err = s.skip()
		case "tool_choice", "max_tokens", "max_completion_tokens", "max_output_tokens", "min_tokens", "ignore_eos", "n",
			"stream", "stream_options", "chat_template_kwargs", "return_token_ids":
			var value []byte
			value, err = s.skip()
			if len(options) > 1 {
				options = append(options, ',')
			}
			options = append(append(chat.AppendQuoted(options, key), ':'), value...)
		default:
			_, err = s.skip()
		}
		return err
	})
	if err == nil {
		err = s.end()
	}
	if err != nil {
		return nil, fmt.Errorf("the body is not a %s request: %w", apiNames[r.API], err)
	}
	r.Messages = append(r.system, r.Messages...)
	if len(r.Messages) == 0 && len(r.ids) == 0 && r.text == "" {
		return nil, fmt.Errorf("%s must not be empty", promptNames[r.API])
	}
	if err := r.parseTools(); err != nil {
		return nil, err
	}
	return r, r.parseOptions(append(options, '}'))
}

// What errors call requests of the APIs and what holds their prompts.
var (
	apiNames = map[chat.API]string{
		chat.APIChat: "chat completion", chat.APICompletions: "completion", chat.APIResponses: "response", chat.APIMessages: "message",
	}
	promptNames = map[chat.API]string{
		chat.APIChat: "messages", chat.APICompletions: "prompt", chat.APIResponses: "input", chat.APIMessages: "messages",
	}
)

// reader returns what reads a field that holds the prompt or a part of it.
func (r *Request) reader(key string) func(*scanner) error {
	switch {
	case r.API == chat.APIChat && key == "messages":
		return r.readMessages
	case r.API == chat.APICompletions && key == "prompt":
		return r.readPrompt
	case r.API == chat.APIResponses && key == "input":
		return r.readInput
	case r.API == chat.APIResponses && key == "instructions", r.API == chat.APIMessages && key == "system":
		return r.readSystem
	case r.API == chat.APIMessages && key == "messages":
		return r.readTurns
	}
	return nil
}

func (r *Request) parseOptions(raw []byte) error {
	var w wireOptions
	if err := json.Unmarshal(raw, &w); err != nil {
		return fmt.Errorf("the body is not a %s request: %w", apiNames[r.API], err)
	}
	r.tellIDs = w.TellIDs
	r.Stream, r.minimum, r.fill, r.usage = w.Stream, w.MinTokens, w.IgnoreEOS, w.StreamOptions.IncludeUsage
	r.noTools = string(w.ToolChoice) == `"none"` || bytes.Contains(w.ToolChoice, []byte(`"type":"none"`))
	r.noThink = w.Template.EnableThinking != nil && !*w.Template.EnableThinking
	r.keep = w.Template.PreserveThinking
	for _, limit := range []*int{w.MaxTokens, w.MaxCompletion, w.MaxOutput} {
		if limit == nil {
			continue
		}
		if *limit < 1 {
			return fmt.Errorf("max_tokens must be at least 1, got %d", *limit)
		}
		r.MaxTokens = *limit
	}
	if w.N != nil && *w.N != 1 {
		return fmt.Errorf("n must be 1, got %d", *w.N)
	}
	return nil
}

func (r *Request) readMessages(s *scanner) error {
	r.Messages = nil // the last of two fields counts
	return s.elements(func() error {
		var m Message
		err := s.members(func(key string) (err error) {
			switch key {
			case "role":
				m.Role, err = s.text()
			case "content":
				m.Content, err = readContent(s)
			case "reasoning_content", "reasoning":
				m.Reasoning, err = readReasoning(s)
			case "tool_call_id":
				m.ToolCallID, err = s.textOrNull()
			case "tool_calls":
				m.ToolCalls, err = readCalls(s)
			default:
				_, err = s.skip()
			}
			if err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
			return nil
		})
		if err == nil {
			err = checkRole(m.Role)
		}
		if err != nil {
			return fmt.Errorf("messages[%d]: %w", len(r.Messages), err)
		}
		r.Messages = append(r.Messages, m)
		return nil
	})
}

// readContent reads a text, null, or a list of parts.
func readContent(s *scanner) (string, error) {
	if s.space() == '"' {
		return s.text()
	}
	raw, err := s.skip()
	if err != nil || string(raw) == "null" {
		return "", err
	}
	var parts []struct{ Text string }
	if err := json.Unmarshal(raw, &parts); err != nil {
		return "", err
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String(), nil
}

// readReasoning reads a text; anything else is none.
func readReasoning(s *scanner) (string, error) {
	if s.space() == '"' {
		return s.text()
	}
	_, err := s.skip()
	return "", err
}

func readCalls(s *scanner) ([]ToolCall, error) {
	raw, err := s.skip()
	if err != nil {
		return nil, err
	}
	var list []wireCall
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	var calls []ToolCall
	for _, c := range list {
		calls = append(calls, ToolCall{c.ID, c.Function.Name, c.Function.Arguments})
	}
	return calls, nil
}

func (r *Request) parseTools() (err error) {
	switch r.API {
	case chat.APIResponses:
		r.tools, err = chatTools(r.tools, "parameters")
	case chat.APIMessages:
		r.tools, err = chatTools(r.tools, "input_schema")
	case chat.APICompletions:
		r.tools = nil
	}
	if err != nil {
		return fmt.Errorf("tools: %w", err)
	}
	if len(r.tools) == 0 || string(r.tools) == "null" {
		r.tools = nil
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
	if err := json.Unmarshal(r.tools, &list); err != nil {
		return fmt.Errorf("tools: %w", err)
	}
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
