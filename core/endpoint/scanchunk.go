package endpoint

import "bytes"

// once notes that the field with that bit came, and reports whether it came for the first time: of repeated keys the last
// one would count, which is left to the slow way.
func once(seen *uint, bit uint) bool {
	first := *seen&(1<<bit) == 0
	*seen |= 1 << bit
	return first
}

// top reads the chunk's outer object.
func (s *scanner) top(c *chunk) bool {
	if !s.is('{') {
		return false
	}
	if s.is('}') {
		return true
	}
	var seen uint
	for {
		name, ok := s.key()
		if !ok {
			return false
		}
		switch string(name) {
		case "id", "created":
			ok = s.skip(0)
		case "object":
			var t text
			t, ok = s.text()
			ok = ok && string(t.inside) != "error"
		case "choices":
			ok = once(&seen, 0) && s.choices(c)
		case "usage":
			ok = once(&seen, 1) && s.usage(&c.usage)
		case "error":
			ok = once(&seen, 2) && s.peek() == 'n' && s.word("null")
		default:
			ok = s.extra(c, "", name)
		}
		if !ok {
			return false
		}
		if comma, ok := s.more('}'); !comma {
			return ok
		}
	}
}

func (s *scanner) extra(c *chunk, where string, name []byte) bool {
	value, ok := s.value()
	if ok && string(value) != "null" {
		for _, x := range c.extras {
			if x.where == where && string(x.name) == string(name) {
				return false
			}
		}
		c.extras = append(c.extras, extra{where, name, value})
	}
	return ok
}

// choices reads a list of none or one choice.
func (s *scanner) choices(c *chunk) bool {
	if !s.is('[') {
		return false
	}
	if s.is(']') {
		return true
	}
	return s.choice(c) && s.is(']')
}

func (s *scanner) choice(c *chunk) bool {
	if !s.is('{') {
		return false
	}
	c.choice = true
	if s.is('}') {
		return true
	}
	var seen uint
	for {
		name, ok := s.key()
		if !ok {
			return false
		}
		switch string(name) {
		case "index":
			n, isCount := s.count()
			ok = once(&seen, 0) && isCount && n == 0
		case "delta": // beside a message it would count; that is left to the slow way
			ok = once(&seen, 1) && s.delta(c)
		case "message":
			c.message = true
			ok = once(&seen, 1) && s.delta(c)
		case "finish_reason":
			c.finish, ok = s.text()
			ok = ok && once(&seen, 2)
		case "text": // of a text completion; beside a delta or a message that one counts, which is left to the slow way
			c.content, ok = s.text()
			ok = ok && once(&seen, 1)
		case "token_ids":
			ok = once(&seen, 3) && s.tokenIDs(c)
		case "logprobs", "prompt_token_ids": // of no use here, and large
			ok = s.skip(0)
		default:
			// Usage in a choice is left to the slow way.
			ok = !knownChoice(string(name)) && s.extra(c, "choice.", name)
		}
		if !ok {
			return false
		}
		if comma, ok := s.more('}'); !comma {
			return ok
		}
	}
}

// tokenIDs reads a list of counts without white space, or null.
func (s *scanner) tokenIDs(c *chunk) bool {
	if s.peek() == 'n' {
		return s.word("null")
	}
	if !s.is('[') {
		return false
	}
	if s.is(']') {
		return true
	}
	for start := s.i; ; {
		if n, ok := s.count(); !ok || n > maxTokenID {
			return false
		}
		c.ids = s.b[start:s.i]
		c.idCount++
		if comma, ok := s.more(']'); !comma {
			return ok && !bytes.ContainsAny(c.ids, " \n\r\t")
		}
	}
}

// maxTokenID bounds what is taken for the id of a token.
const maxTokenID = 1<<32 - 1

// delta reads what came of the answer, a piece or a whole message: both have the same fields.
func (s *scanner) delta(c *chunk) bool {
	if !s.is('{') {
		return false
	}
	if s.is('}') {
		return true
	}
	var seen uint
	for {
		name, ok := s.key()
		if !ok {
			return false
		}
		switch string(name) {
		case "role":
			ok = s.skip(0)
		case "content":
			c.content, ok = s.text()
			ok = ok && once(&seen, 0)
		case "reasoning_content":
			c.reasoningContent, ok = s.text()
			ok = ok && once(&seen, 1)
		case "reasoning":
			c.reasoning, ok = s.text()
			ok = ok && once(&seen, 2)
		case "tool_calls":
			ok = once(&seen, 3) && s.calls(c)
		default:
			ok = s.extra(c, "delta.", name)
		}
		if !ok {
			return false
		}
		if comma, ok := s.more('}'); !comma {
			return ok
		}
	}
}

func (s *scanner) calls(c *chunk) bool {
	if s.peek() == 'n' {
		return s.word("null")
	}
	if !s.is('[') {
		return false
	}
	if s.is(']') {
		return true
	}
	for n := 0; ; n++ {
		c.calls = append(c.calls, callDelta{index: n})
		if !s.call(&c.calls[n]) {
			return false
		}
		if comma, ok := s.more(']'); !comma {
			return ok
		}
	}
}

func (s *scanner) call(d *callDelta) bool {
	if !s.is('{') {
		return false
	}
	if s.is('}') {
		return true
	}
	var seen uint
	for {
		name, ok := s.key()
		if !ok {
			return false
		}
		var t text
		switch string(name) {
		case "index":
			n, isCount := s.count()
			ok = once(&seen, 0) && isCount && n < maxCalls
			d.index, d.told = int(n), true
		case "id":
			t, ok = s.text()
			ok = ok && once(&seen, 1)
			d.id = t.inside
		case "type":
			t, ok = s.text()
			ok = ok && once(&seen, 2)
			d.kind = t.inside
		case "function":
			ok = once(&seen, 3) && s.function(d)
		default:
			ok = s.skip(0)
		}
		if !ok {
			return false
		}
		if comma, ok := s.more('}'); !comma {
			return ok
		}
	}
}

func (s *scanner) function(d *callDelta) bool {
	if !s.is('{') {
		return false
	}
	if s.is('}') {
		return true
	}
	var seen uint
	for {
		name, ok := s.key()
		if !ok {
			return false
		}
		var t text
		switch string(name) {
		case "name":
			t, ok = s.text()
			ok = ok && once(&seen, 0)
			d.name = t.inside
		case "arguments":
			t, ok = s.text()
			ok = ok && once(&seen, 1)
			d.args = t.inside
		default:
			ok = s.skip(0)
		}
		if !ok {
			return false
		}
		if comma, ok := s.more('}'); !comma {
			return ok
		}
	}
}

func (s *scanner) usage(u *usage) bool {
	if s.peek() == 'n' {
		return s.word("null")
	}
	u.got = true
	return s.counts(u, usageFields)
}

// counts reads an object of numbers into the fields that are known.
func (s *scanner) counts(u *usage, fields fieldsOf) bool {
	if !s.is('{') {
		return false
	}
	if s.is('}') {
		return true
	}
	var seen uint
	for {
		name, ok := s.key()
		if !ok {
			return false
		}
		n, told, nested := fields(u, name)
		switch {
		case n == nil && nested == nil:
			ok = s.skip(0)
		case s.peek() == 'n':
			ok = (told == nil || !*told) && s.word("null")
		case nested != nil:
			ok = once(&seen, uint(len(name))) && s.counts(u, nested)
		default:
			first := !*told
			*n, ok = s.count()
			*told = ok
			ok = ok && first
		}
		if !ok {
			return false
		}
		if comma, ok := s.more('}'); !comma {
			return ok
		}
	}
}

// fieldsOf tells where a field of an object of counts goes: a number, or the fields of a nested object.
type fieldsOf func(u *usage, name []byte) (n *uint64, told *bool, nested fieldsOf)

func usageFields(u *usage, name []byte) (*uint64, *bool, fieldsOf) {
	switch string(name) {
	case "prompt_tokens":
		return &u.prompt, &u.hasPrompt, nil
	case "completion_tokens":
		return &u.completion, &u.hasCompletion, nil
	case "prompt_tokens_details":
		return nil, nil, promptFields
	case "completion_tokens_details":
		return nil, nil, completionFields
	}
	return nil, nil, nil
}

func promptFields(u *usage, name []byte) (*uint64, *bool, fieldsOf) {
	if string(name) == "cached_tokens" {
		return &u.cached, &u.hasCached, nil
	}
	return nil, nil, nil
}

func completionFields(u *usage, name []byte) (*uint64, *bool, fieldsOf) {
	if string(name) == "reasoning_tokens" {
		return &u.reasoning, &u.hasReasoning, nil
	}
	return nil, nil, nil
}
