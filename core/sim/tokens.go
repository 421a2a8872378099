package sim

import "unicode/utf8"

// tokenBytes is the least length of a token that is not the last of its text.
const tokenBytes = 4

// tokenEnd returns where the token that starts at text[i] ends. Bytes that are
// no UTF-8 add at most three to it.
func tokenEnd(text string, i int) int {
	end := i + tokenBytes
	if end >= len(text) {
		return len(text)
	}
	for last := min(end+utf8.UTFMax-1, len(text)); end < last && !utf8.RuneStart(text[end]); {
		end++
	}
	return end
}

// countTokens returns the number of tokens of a text.
func countTokens(text string) int {
	n := 0
	for i := 0; i < len(text); n++ {
		i = tokenEnd(text, i)
	}
	return n
}

// chain hashes a sequence of tokens and keeps the hash at the end of each whole
// block, which names all tokens up to there.
type chain struct {
	blockTokens int
	tokens      int
	hash        uint64
	blocks      []uint64
	small       bool // tokens are known by their ids of 32 bits
	keep        bool // ids are kept
	ids         []uint32
}

func (c *chain) add(token uint64) {
	c.hash = mix(c.hash, token)
	c.tokens++
	if c.tokens%c.blockTokens == 0 {
		c.blocks = append(c.blocks, c.hash)
	}
}

func (c *chain) text(text string) {
	for i := 0; i < len(text); {
		end := tokenEnd(text, i)
		id := uint64(end - i)
		for ; i < end; i++ {
			id = id<<8 | uint64(text[i])
		}
		if c.keep {
			c.ids = append(c.ids, smallID(id))
		}
		if c.small {
			id = uint64(smallID(id))
		}
		c.add(id)
	}
}

// vocabulary is the number of token ids.
const vocabulary = 150_000

// smallID is a token's id on the wire. Two tokens may have the same one.
func smallID(id uint64) uint32 { return uint32(mix(0, id) % vocabulary) }

// mark adds the one token that stands for a role or for the head of a tool call.
func (c *chain) mark(kind byte, name string) {
	c.add(digest(mix(uint64(kind), 1), name))
}

// prompt adds what the engine reads before it answers.
func (c *chain) prompt(r *Request) {
	switch {
	case r.ids != nil:
		for _, id := range r.ids {
			c.add(uint64(id))
		}
		return
	case r.isText:
		c.text(r.text)
		return
	}
	if len(r.tools) > 0 {
		c.mark('t', "tools")
		c.text(string(r.tools))
	}
	for _, m := range r.Messages {
		c.mark('r', m.Role)
		if r.keep {
			c.text(m.Reasoning)
		}
		c.text(m.Content)
		for _, call := range m.ToolCalls {
			c.call(call)
		}
	}
	c.mark('r', "assistant")
}

// answer adds the answer as a later prompt would show it; reasoning goes before
// it, so a history without it shares nothing of the answer's blocks.
func (c *chain) answer(a Answer) {
	c.text(a.Reasoning)
	c.text(a.Content)
	for _, call := range a.ToolCalls {
		c.call(call)
	}
}

func (c *chain) call(call ToolCall) {
	c.mark('c', call.Name)
	c.text(call.Arguments)
}

// mix folds v into h; any change of either changes about half the bits.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	h ^= h >> 32
	h *= 0xd6e8feb86659fd93
	return h ^ h>>29
}

// digest hashes a text on top of h.
func digest(h uint64, text string) uint64 {
	for i := range len(text) {
		h = mix(h, uint64(text[i]))
	}
	return mix(h, uint64(len(text)))
}
