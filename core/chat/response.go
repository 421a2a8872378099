package chat

import "encoding/json"

// Usage is what the server said about tokens. A nil number was not told; nothing here is ever estimated.
type Usage struct {
	Reported         bool    `json:"reported"`
	PromptTokens     uint64  `json:"prompt_tokens"`
	CompletionTokens uint64  `json:"completion_tokens"`
	CachedTokens     *uint64 `json:"cached_tokens,omitempty"`
	ReasoningTokens  *uint64 `json:"reasoning_tokens,omitempty"`
}

// Header is one HTTP header, name in canonical form.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Answer is one assembled answer of a target, or the part of it that arrived before a failure.
type Answer struct {
	// Message is the assistant message as JSON, assembled from the received pieces: role, content, reasoning_content,
	// tool_calls; fields that never came are left out, and content that came as null stays null.
	Message json.RawMessage `json:"message"`
	// FinishReason is the first choice's finish_reason, empty where none came.
	FinishReason string `json:"finish_reason,omitempty"`
	Usage        Usage  `json:"usage"`
	// TokenIDs are the ids of the generated tokens as a JSON array, nil where the target did not tell them (vLLM and SGLang
	// do where the request has return_token_ids). As a fragment of a later prompt: TokenFragment.
	TokenIDs json.RawMessage `json:"token_ids,omitempty"`
	// Extra holds response fields that the runner does not know, as a JSON object; nil where there were none.
	Extra json.RawMessage `json:"extra,omitempty"`
	// Headers are the response headers on the run's allow list.
	Headers []Header `json:"headers,omitempty"`
}

// Channel says which part of an answer an event added to. The numbers are those of the plugin contract.
type Channel uint8

// Channels of generated text.
const (
	Content   Channel = 1 // what the user sees
	Reasoning Channel = 2 // thinking, under either of its field names
	Tool      Channel = 3 // a tool call's name or arguments
	NoText    Channel = 4 // an event without generated text
)
