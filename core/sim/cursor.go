package sim

// part is a run of tokens of one kind.
type part struct {
	kind partKind
	text string // of a call head: unused
	call int    // index of the tool call
}

type partKind int

const (
	reasoningPart partKind = iota
	contentPart
	callHead
	callArguments
)

// wholes calls add with each part of a whole answer, calls by their heads, and what it says.
func wholes(a Answer, add func(p part, said string)) {
	if a.Reasoning != "" {
		add(part{kind: reasoningPart}, a.Reasoning)
	}
	if a.Content != "" {
		add(part{kind: contentPart}, a.Content)
	}
	for i, call := range a.ToolCalls {
		add(part{kind: callHead, call: i}, call.Arguments)
	}
}

// cursor walks an answer token by token.
type cursor struct {
	parts []part
	at    int // in the first part's text
}

func newCursor(a Answer) *cursor {
	c := &cursor{}
	if a.Reasoning != "" {
		c.parts = append(c.parts, part{kind: reasoningPart, text: a.Reasoning})
	}
	if a.Content != "" {
		c.parts = append(c.parts, part{kind: contentPart, text: a.Content})
	}
	for i, call := range a.ToolCalls {
		c.parts = append(c.parts, part{kind: callHead, call: i})
		if call.Arguments != "" {
			c.parts = append(c.parts, part{kind: callArguments, text: call.Arguments, call: i})
		}
	}
	return c
}

// next returns up to n tokens of one kind, with their text, and how many they
// are. It returns 0 at the end of the answer.
func (c *cursor) next(n int) (part, int) {
	if len(c.parts) == 0 || n < 1 {
		return part{}, 0
	}
	p := c.parts[0]
	if p.kind == callHead {
		c.parts = c.parts[1:]
		return p, 1
	}
	start, taken := c.at, 0
	for taken < n && c.at < len(p.text) {
		c.at = tokenEnd(p.text, c.at)
		taken++
	}
	piece := part{kind: p.kind, text: p.text[start:c.at], call: p.call}
	if c.at == len(p.text) {
		c.parts, c.at = c.parts[1:], 0
	}
	return piece, taken
}

// cut returns the first n tokens of the answer as an answer.
func (a Answer) cut(n int) Answer {
	var out Answer
	c := newCursor(a)
	for n > 0 {
		p, taken := c.next(n)
		if taken == 0 {
			break
		}
		n -= taken
		switch p.kind {
		case reasoningPart:
			out.Reasoning += p.text
		case contentPart:
			out.Content += p.text
		case callHead:
			call := a.ToolCalls[p.call]
			call.Arguments = ""
			out.ToolCalls = append(out.ToolCalls, call)
		case callArguments:
			out.ToolCalls[p.call].Arguments += p.text
		}
	}
	return out
}
