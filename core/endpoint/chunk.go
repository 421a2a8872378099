package endpoint

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

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
	ids                         []byte // generated token ids, the inside of their array
	idCount                     uint64
	usage                       usage
	extras                      []extra
	fault                       json.RawMessage // an error object or text; nil where there was none
	ended                       bool            // it ends the stream

	scanner scanner // of a dialect
	last    template
	repeat  bool // all but the text is as in the chunk before
}

// template is the chunk that was read last, where it had one text and nothing else that changes. Most chunks of a stream
// differ from the one before in that text alone, which two comparisons tell faster than reading everything again.
type template struct {
	data     []byte // a copy, into which the chunk's slices point
	from, to int    // the text's inside
	slot     *text  // nil: there is no template
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
	whole    bool // args are all of them, once more where pieces came
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
	*c = chunk{calls: c.calls[:0], extras: c.extras[:0], last: template{data: c.last.data[:0]}}
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
	if c.again(data) {
		return true
	}
	c.reset()
	s := scanner{b: data}
	if s.chunk(c) {
		c.learn(data)
		return true
	}
	c.reset()
	return c.readSlow(data)
}

// again reads a chunk that differs from the last one in its text only.
func (c *chunk) again(data []byte) bool {
	t := &c.last
	if t.slot == nil || len(data) <= t.from || !bytes.Equal(data[:t.from], t.data[:t.from]) {
		return false
	}
	s := scanner{b: data, i: t.from - 1}
	inside, _, ok := s.str()
	if !ok || !bytes.Equal(data[s.i-1:], t.data[t.to:]) || !utf8.Valid(inside) {
		return false
	}
	t.slot.inside = inside
	c.repeat = true
	return true
}

// learn makes the chunk that was just read the fast way the template of the next one, if it has one text only.
func (c *chunk) learn(data []byte) {
	var slot *text
	for _, t := range [...]*text{&c.content, &c.reasoningContent, &c.reasoning} {
		if !t.got {
			continue
		}
		if slot != nil {
			return
		}
		slot = t
	}
	if slot == nil || c.message || len(c.calls) > 0 || c.finish.got || c.usage.got || c.idCount > 0 || len(data) > maxTemplate {
		return
	}
	t := &c.last
	t.data = append(t.data[:0], data...)
	c.reread(t.data)
	// The inside's place follows from what is left behind it.
	t.from = cap(t.data) - cap(slot.inside)
	t.to = t.from + len(slot.inside)
	t.slot = slot
}

// reread reads data, which was read before, from another place.
func (c *chunk) reread(data []byte) {
	keep := c.last
	c.reset()
	c.last = keep
	s := scanner{b: data}
	s.chunk(c)
}

const maxTemplate = 4 << 10

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
	case "index", "delta", "message", "text", "finish_reason", "usage", "logprobs", "token_ids", "prompt_token_ids":
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
