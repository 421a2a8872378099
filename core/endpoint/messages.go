package endpoint

// messageEvent reads an event or a document of Anthropic's messages.
//
// A stream begins with message_start, has a start, deltas and a stop for each block of content, tells the reason and the
// usage in message_delta and ends with message_stop. A document has the fields of message_start's message, filled.
func (s *scanner) messageEvent(c *chunk) bool {
	var kind, reason text
	var index uint64
	var told, begun bool
	d := callDelta{}
	ok := s.object(func(name []byte) bool {
		switch string(name) {
		case "type":
			return s.string(&kind)
		case "index":
			return s.whole(&index, &told)
		case "message":
			return s.object(func(name []byte) bool { return s.messageField(c, name) })
		case "content_block":
			begun = true
			return s.block(c, &d)
		case "delta":
			return s.blockDelta(c, &d, &reason)
		case "error":
			return s.faultOf(c)
		}
		return s.messageField(c, name)
	})
	if d.name != nil || d.args != nil {
		d.index, d.told = int(min(index, maxCalls-1)), told
		if begun {
			d.args = nil // an empty object stands for what deltas will bring
		}
		c.calls = append(c.calls, d)
	}
	if reason.got {
		c.finish = reason
	}
	switch string(kind.inside) {
	case "error":
		c.fault = s.b
	case "message_start", "content_block_start", "content_block_delta", "message_delta":
		c.choice = true
	case "message_stop":
		c.ended = true
	}
	return ok
}

// messageField takes a field of a message, whole or begun.
func (s *scanner) messageField(c *chunk, name []byte) bool {
	switch string(name) {
	case "content":
		return s.array(func(n int) bool {
			c.choice, c.message = true, true
			d := callDelta{index: n, told: true}
			ok := s.block(c, &d)
			if d.name != nil || d.args != nil {
				c.calls = append(c.calls, d)
			}
			return ok
		}) && s.wasList(c)
	case "stop_reason":
		return s.string(&c.finish)
	case "usage":
		return s.messageUsage(&c.usage)
	case "id", "type", "role", "stop_sequence", "container":
		return s.skip(0)
	}
	return s.extra(c, "", name)
}

// wasList notes an answer whose content is an empty list.
func (s *scanner) wasList(c *chunk) bool {
	c.choice = c.choice || s.b[s.i-1] == ']'
	return true
}

// block takes a block of content: a text, thinking, or a call of a tool, which goes into d.
func (s *scanner) block(c *chunk, d *callDelta) bool {
	var kind, id, name, words, thought text
	var input []byte
	ok := s.object(func(key []byte) (ok bool) {
		switch string(key) {
		case "type":
			return s.string(&kind)
		case "id":
			return s.string(&id)
		case "name":
			return s.string(&name)
		case "text":
			return s.string(&words)
		case "thinking":
			return s.string(&thought)
		case "input":
			input, ok = s.value()
			return ok
		}
		return s.skip(0)
	})
	switch string(kind.inside) {
	case "text":
		c.content.add(words)
	case "thinking":
		c.reasoningContent.add(thought)
	case "tool_use":
		d.id, d.name = id.inside, name.inside
		if len(input) > 0 && input[0] == '{' {
			d.args = asString(input)
		}
	}
	return ok
}

// blockDelta takes a delta: of a block's text, thinking or input, or of the message's end.
func (s *scanner) blockDelta(c *chunk, d *callDelta, reason *text) bool {
	return s.object(func(name []byte) bool {
		var t text
		ok := true
		switch string(name) {
		case "text":
			ok = s.string(&t)
			c.content.add(t)
		case "thinking":
			ok = s.string(&t)
			c.reasoningContent.add(t)
		case "partial_json":
			ok = s.string(&t)
			if t.got {
				d.args = t.inside
			}
		case "stop_reason":
			ok = s.string(reason)
		default:
			ok = s.skip(0)
		}
		return ok
	})
}

// messageUsage takes the usage. input_tokens leaves out what was read from the cache and what was written to it: the prompt
// is their sum. It is made of what one object says, since a server may tell the parts only at the end.
func (s *scanner) messageUsage(u *usage) bool {
	var read, written uint64
	var hasWritten bool
	ok := s.object(func(name []byte) bool {
		switch string(name) {
		case "input_tokens":
			return s.whole(&u.prompt, &u.hasPrompt)
		case "cache_read_input_tokens":
			return s.whole(&read, &u.hasCached)
		case "cache_creation_input_tokens":
			return s.whole(&written, &hasWritten)
		case "output_tokens":
			return s.whole(&u.completion, &u.hasCompletion)
		}
		return s.skip(0)
	})
	u.got = u.hasPrompt || u.hasCompletion
	u.cached = read
	u.prompt += read + written
	return ok
}

// messageFinish gives a stop_reason the name that chat completions have for it.
func messageFinish(reason string, _ bool) string {
	switch reason {
	case "end_turn", "stop_sequence":
		return "stop"
	case "max_tokens", "model_context_window_exceeded":
		return "length"
	case "tool_use":
		return "tool_calls"
	case "refusal":
		return "content_filter"
	}
	return reason
}
