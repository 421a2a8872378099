package endpoint

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"paceline/core/chat"
)

type object = map[string]json.RawMessage

// readSlow is read by way of encoding/json: it takes any JSON, and ignores fields whose type is none that makes sense.
func (c *chunk) readSlow(data []byte) bool {
	if !json.Valid(data) {
		return false
	}
	top := asObject(data)
	if top == nil {
		return true
	}
	if kind := asText(top["object"]); string(kind.inside) == "error" {
		c.fault = bytes.TrimSpace(data)
	}
	if raw := bytes.TrimSpace(top["error"]); len(raw) > 0 {
		switch string(raw) {
		case "null", "false", `""`:
		default:
			c.fault = raw
		}
	}
	c.usage.slow(top["usage"])
	c.choicesSlow(top["choices"])
	c.extrasSlow("", top, knownTop)
	return true
}

func (c *chunk) choicesSlow(raw json.RawMessage) {
	list := asList(raw)
	c.choice = len(list) > 0
	for _, item := range list {
		choice := asObject(item)
		if choice == nil {
			continue
		}
		if index, told := asCount(choice["index"]); told && index != 0 {
			continue
		}
		c.choiceSlow(choice)
		return
	}
}

func (c *chunk) choiceSlow(choice object) {
	c.finish = asText(choice["finish_reason"])
	delta := asObject(choice["delta"])
	if delta == nil {
		if delta = asObject(choice["message"]); delta != nil {
			c.message = true
		}
	}
	if delta != nil {
		c.content = asContent(delta["content"])
		c.reasoningContent = asText(delta["reasoning_content"])
		c.reasoning = asText(delta["reasoning"])
		c.callsSlow(delta["tool_calls"])
		c.extrasSlow("delta.", delta, knownDelta)
	} else {
		c.content = asText(choice["text"])
	}
	if !c.usage.got {
		c.usage.slow(choice["usage"])
	}
	c.idsSlow(choice["token_ids"])
	c.extrasSlow("choice.", choice, knownChoice)
}

// idsSlow takes a list of token ids; one that holds anything else is none.
func (c *chunk) idsSlow(raw json.RawMessage) {
	list := asList(raw)
	for _, item := range list {
		if n, ok := asCount(item); !ok || n > maxTokenID {
			return
		}
	}
	if len(list) == 0 {
		return
	}
	c.idCount = uint64(len(list))
	for i, item := range list {
		if i > 0 {
			c.ids = append(c.ids, ',')
		}
		n, _ := asCount(item)
		c.ids = strconv.AppendUint(c.ids, n, 10)
	}
}

func (c *chunk) callsSlow(raw json.RawMessage) {
	for n, item := range asList(raw) {
		call := asObject(item)
		if call == nil {
			continue
		}
		d := callDelta{index: n, id: asText(call["id"]).inside, kind: asText(call["type"]).inside}
		if index, told := asCount(call["index"]); told && index < maxCalls {
			d.index, d.told = int(index), true
		}
		if fn := asObject(call["function"]); fn != nil {
			d.name, d.args = asText(fn["name"]).inside, asText(fn["arguments"]).inside
			if args := bytes.TrimSpace(fn["arguments"]); d.args == nil && len(args) > 0 && (args[0] == '{' || args[0] == '[') {
				quoted := chat.AppendQuoted(nil, string(args))
				d.args = quoted[1 : len(quoted)-1]
			}
		}
		c.calls = append(c.calls, d)
	}
}

func (c *chunk) extrasSlow(where string, o object, known func(string) bool) {
	for _, name := range slices.Sorted(maps.Keys(o)) {
		value := bytes.TrimSpace(o[name])
		if !known(name) && string(value) != "null" {
			c.extras = append(c.extras, extra{where, []byte(name), value})
		}
	}
}

func (u *usage) slow(raw json.RawMessage) {
	o := asObject(raw)
	if o == nil {
		return
	}
	u.got = true
	u.prompt, u.hasPrompt = asCount(o["prompt_tokens"])
	u.completion, u.hasCompletion = asCount(o["completion_tokens"])
	u.cached, u.hasCached = asCount(asObject(o["prompt_tokens_details"])["cached_tokens"])
	u.reasoning, u.hasReasoning = asCount(asObject(o["completion_tokens_details"])["reasoning_tokens"])
}

// asObject returns the members of raw, nil where it is no object.
func asObject(raw json.RawMessage) object {
	var o object
	if json.Unmarshal(raw, &o) != nil {
		return nil
	}
	return o
}

func asList(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

func asText(raw json.RawMessage) text {
	raw = bytes.TrimSpace(raw)
	switch {
	case string(raw) == "null":
		return text{null: true}
	case len(raw) < 2 || raw[0] != '"':
		return text{}
	case !utf8.Valid(raw):
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return text{}
		}
		raw = chat.AppendQuoted(nil, s)
	}
	return text{inside: raw[1 : len(raw)-1], got: true}
}

// asContent is asText, and joins the texts of a list of parts.
func asContent(raw json.RawMessage) text {
	parts := asList(raw)
	if parts == nil {
		return asText(raw)
	}
	t := text{got: true}
	for _, part := range parts {
		t.inside = append(t.inside, asText(asObject(part)["text"]).inside...)
	}
	return t
}

// asCount takes a number that is whole and not negative.
func asCount(raw json.RawMessage) (uint64, bool) {
	number := string(bytes.TrimSpace(raw))
	if n, err := strconv.ParseUint(number, 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || f < 0 || f >= 1<<63 || f != math.Trunc(f) {
		return 0, false
	}
	return uint64(f), true
}
