package endpoint

import "bytes"

// responseEvent reads an event or a document of OpenAI's responses.
//
// Each event names its type. Deltas carry text alone; items of the output are told when they begin and whole when they end;
// the last event (completed, incomplete or failed) holds the whole response, which a document is by itself.
func (s *scanner) responseEvent(c *chunk) bool {
	e := responseEvent{}
	ok := s.object(func(name []byte) bool {
		switch string(name) {
		case "type":
			return s.string(&e.kind)
		case "delta":
			return s.string(&e.delta)
		case "arguments":
			return s.string(&e.arguments)
		case "output_index":
			return s.whole(&e.index, &e.told)
		case "item":
			return s.outputItem(&e.item)
		case "response":
			return s.object(func(name []byte) bool { return s.responseField(c, &e.end, name) })
		case "item_id", "content_index", "summary_index", "sequence_number", "logprobs", "part", "annotation":
			return s.skip(0)
		}
		return s.responseField(c, &e.end, name)
	})
	e.apply(c, s.b)
	return ok
}

// responseEvent is an event as far as it was read.
type responseEvent struct {
	kind, delta, arguments text
	index                  uint64
	told                   bool
	item                   outputItem
	end                    responseEnd
}

// outputItem is one item of the output.
type outputItem struct {
	kind, id, callID, name, arguments text
	words, thoughts                   text
}

// responseEnd is how a response ended.
type responseEnd struct{ status, reason text }

var eventPrefix = []byte("response.")

func (e *responseEvent) apply(c *chunk, data []byte) {
	e.end.apply(c)
	if string(e.kind.inside) == "error" {
		c.fault = data
		return
	}
	kind, ok := bytes.CutPrefix(e.kind.inside, eventPrefix)
	if !ok {
		return
	}
	c.choice = true
	switch string(kind) {
	case "output_text.delta", "refusal.delta":
		c.content = e.delta
	case "reasoning_text.delta", "reasoning_summary_text.delta", "reasoning.delta":
		c.reasoningContent = e.delta
	case "function_call_arguments.delta":
		e.piece(c, e.delta, false)
	case "function_call_arguments.done":
		e.piece(c, e.arguments, true)
	case "output_item.added":
		if d, ok := e.item.call(e.place(), e.told); ok {
			d.args = nil // deltas will bring them
			c.calls = append(c.calls, d)
		}
	case "output_item.done":
		if d, ok := e.item.call(e.place(), e.told); ok {
			d.whole = true
			c.calls = append(c.calls, d)
		}
	case "completed", "incomplete", "failed", "cancelled":
		c.ended = true
	}
}

// piece adds arguments of a call.
func (e *responseEvent) piece(c *chunk, arguments text, whole bool) {
	if !arguments.empty() {
		c.calls = append(c.calls, callDelta{index: e.place(), told: e.told, args: arguments.inside, whole: whole})
	}
}

func (e *responseEvent) place() int { return int(min(e.index, maxCalls-1)) }

func (i *outputItem) call(index int, told bool) (callDelta, bool) {
	if string(i.kind.inside) != "function_call" {
		return callDelta{}, false
	}
	d := callDelta{index: index, told: told, id: i.callID.inside, name: i.name.inside, args: i.arguments.inside}
	if len(d.id) == 0 {
		d.id = i.id.inside
	}
	return d, true
}

// apply turns the end into a finish reason, or into an error.
func (e *responseEnd) apply(c *chunk) {
	switch string(e.status.inside) {
	case "completed":
		c.finish = e.status
	case "incomplete":
		if c.finish = e.status; !e.reason.empty() {
			c.finish = e.reason
		}
	case "failed", "cancelled":
		if c.fault == nil {
			c.fault = []byte(`"the response ` + string(e.status.inside) + `"`)
		}
	}
}

// responseField takes a field of a response.
func (s *scanner) responseField(c *chunk, end *responseEnd, name []byte) bool {
	switch string(name) {
	case "status":
		return s.string(&end.status)
	case "incomplete_details":
		return s.object(func(name []byte) bool {
			if string(name) == "reason" {
				return s.string(&end.reason)
			}
			return s.skip(0)
		})
	case "error":
		return s.faultOf(c)
	case "usage":
		return s.responseUsage(&c.usage)
	case "output":
		return s.array(func(n int) bool { return s.output(c, n) }) && s.wasList(c)
	case "model", "service_tier":
		return s.extra(c, "", name)
	}
	return s.skip(0) // most of the others repeat the request
}

// output takes an item of a whole response.
func (s *scanner) output(c *chunk, n int) bool {
	var i outputItem
	ok := s.outputItem(&i)
	c.message = true
	c.content.add(i.words)
	c.reasoningContent.add(i.thoughts)
	if d, isCall := i.call(n, true); isCall {
		c.calls = append(c.calls, d)
	}
	return ok
}

func (s *scanner) outputItem(i *outputItem) bool {
	return s.object(func(name []byte) bool {
		switch string(name) {
		case "type":
			return s.string(&i.kind)
		case "id":
			return s.string(&i.id)
		case "call_id":
			return s.string(&i.callID)
		case "name":
			return s.string(&i.name)
		case "arguments":
			return s.string(&i.arguments)
		case "content", "summary":
			return s.array(func(int) bool { return s.outputPart(i) })
		}
		return s.skip(0)
	})
}

// outputPart takes a part of an item's content or summary.
func (s *scanner) outputPart(i *outputItem) bool {
	var kind, words text
	ok := s.object(func(name []byte) bool {
		switch string(name) {
		case "type":
			return s.string(&kind)
		case "text", "refusal":
			return s.string(&words)
		}
		return s.skip(0)
	})
	switch string(kind.inside) {
	case "output_text", "refusal":
		i.words.add(words)
	case "reasoning_text", "summary_text":
		i.thoughts.add(words)
	}
	return ok
}

func (s *scanner) responseUsage(u *usage) bool {
	return s.object(func(name []byte) bool {
		switch string(name) {
		case "input_tokens":
			u.got = true
			return s.whole(&u.prompt, &u.hasPrompt)
		case "output_tokens":
			u.got = true
			return s.whole(&u.completion, &u.hasCompletion)
		case "input_tokens_details":
			return s.detail("cached_tokens", &u.cached, &u.hasCached)
		case "output_tokens_details":
			return s.detail("reasoning_tokens", &u.reasoning, &u.hasReasoning)
		}
		return s.skip(0)
	})
}

func (s *scanner) detail(of string, n *uint64, told *bool) bool {
	return s.object(func(name []byte) bool {
		if string(name) == of {
			return s.whole(n, told)
		}
		return s.skip(0)
	})
}

// responseFinish gives an end the name that chat completions have for it.
func responseFinish(reason string, calls bool) string {
	switch {
	case reason == "completed" && calls:
		return "tool_calls"
	case reason == "completed":
		return "stop"
	case reason == "max_output_tokens", reason == "max_tokens":
		return "length"
	}
	return reason
}
