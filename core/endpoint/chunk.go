package endpoint

import "encoding/json"

// chunk is what one data event, or a whole answer that was not streamed, says. Texts are the insides of JSON strings as
// they came and lie in the event's own bytes; they are valid UTF-8.
type chunk struct {
	choice  bool // there was a choice, perhaps with nothing in it
	message bool // its text came as a whole message, not as a delta
	content text
	// reasoning_content and reasoning are two names of one thing; where both come, the first that has text counts.
	reasoningContent, reasoning text
	calls                       []callDelta
	finish                      text
	usage                       usage
	extras                      []extra
	fault                       json.RawMessage // an error object or text; nil where there was none
}

// text is a string field: absent, null or a string.
type text struct {
	inside []byte
	got    bool // a string came, perhaps an empty one
	null   bool
}

func (t text) empty() bool { return len(t.inside) == 0 }

// maxCalls bounds the index of a tool call.
const maxCalls = 1024

// callDelta is one piece of a tool call.
type callDelta struct {
	index    int
	told     bool // index came
	id, kind []byte
	name     []byte
	args     []byte
}

// usage is a usage object; a field that did not come is not told.
type usage struct {
	got                                               bool
	prompt, completion, cached, reasoning             uint64
	hasPrompt, hasCompletion, hasCached, hasReasoning bool
}

// extra is a field that the runner does not know: where it stood, its name, its value.
type extra struct {
	where string // "", "choice." or "delta."
	name  []byte
	value []byte
}

func (c *chunk) reset() {
	*c = chunk{calls: c.calls[:0], extras: c.extras[:0]}
}

// thinking returns the reasoning text that counts.
func (c *chunk) thinking() text {
	if c.reasoningContent.empty() && (c.reasoning.got || !c.reasoningContent.got) {
		return c.reasoning
	}
	return c.reasoningContent
}

// read fills c from an event's data and reports whether it is JSON. Nearly every chunk takes the fast way; what that does
// not know in full goes to the slow one, and both give the same.
func (c *chunk) read(data []byte) bool {
	c.reset()
	s := scanner{b: data}
	if s.chunk(c) {
		return true
	}
	c.reset()
	return c.readSlow(data)
}

// known fields are read or of no use; they are not kept as extras.
func knownTop(name string) bool {
	switch name {
	case "id", "object", "created", "choices", "usage", "error":
		return true
	}
	return false
}

func knownChoice(name string) bool {
	switch name {
	case "index", "delta", "message", "text", "finish_reason", "usage":
		return true
	}
	return false
}

func knownDelta(name string) bool {
	switch name {
	case "role", "content", "reasoning_content", "reasoning", "tool_calls":
		return true
	}
	return false
}
