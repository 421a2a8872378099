package otel

import (
	"strings"

	"paceline/sdk"
	"paceline/workloads/import/history"
	"paceline/workloads/import/span"
	"paceline/workloads/rawjson"
)

// spoken are the messages of one side of a request.
type spoken struct {
	messages []sdk.Message
	other    int // parts that are no text
}

// answer gives the answer; nil where none is on record.
func (s spoken) answer() *sdk.Message {
	if len(s.messages) == 0 {
		return nil
	}
	return &s.messages[0] // of several choices the first one
}

// input gives what was sent: the system's instructions, then the messages.
func input(s *span.Span) spoken {
	var out spoken
	for _, a := range sources(s) {
		if text, _ := history.Content(contents(a.JSON("gen_ai.system_instructions"))); text != "" && len(out.messages) == 0 {
			out.messages = append(out.messages, history.Text("system", text))
		}
		if list := a.JSON("gen_ai.input.messages"); list.Kind() == rawjson.Array {
			out.add(list)
			return out
		}
	}
	out.events(s, false)
	if len(out.messages) == 0 {
		out.numbered(s.Attributes.Tree("gen_ai.prompt."))
	}
	return out
}

// output gives what was answered.
func output(s *span.Span) spoken {
	var out spoken
	for _, a := range sources(s) {
		if list := a.JSON("gen_ai.output.messages"); list.Kind() == rawjson.Array {
			out.add(list)
			return out
		}
	}
	out.events(s, true)
	if len(out.messages) == 0 {
		out.numbered(s.Attributes.Tree("gen_ai.completion."))
	}
	return out
}

// sources are the span's attributes, then those of the event that holds messages by some versions.
func sources(s *span.Span) []span.Attributes {
	list := []span.Attributes{s.Attributes}
	for _, e := range s.Events {
		if e.Name == "gen_ai.client.inference.operation.details" {
			list = append(list, e.Attributes)
		}
	}
	return list
}

// contents gives parts of the conventions with their text under the name that OpenAI's parts have.
func contents(parts rawjson.Value) rawjson.Value {
	if parts.Kind() != rawjson.Array {
		return parts
	}
	out := rawjson.Value{'['}
	parts.Each(func(i int, part rawjson.Value) bool {
		if i > 0 {
			out = append(out, ',')
		}
		if text := part.Get("content"); text.Kind() == rawjson.String {
			out = append(out, history.WithMember(nil, "text", text)...)
		} else {
			out = append(out, part...)
		}
		return true
	})
	return append(out, ']')
}

// add adds a list of messages: {role, parts} as the conventions have them, or chat messages.
func (s *spoken) add(list rawjson.Value) {
	list.Each(func(_ int, m rawjson.Value) bool {
		role, _ := m.Get("role").Text()
		parts := m.Get("parts")
		if parts.Kind() != rawjson.Array {
			s.plain(role, m)
			return true
		}
		s.parts(role, parts)
		return true
	})
}

// parts adds one message of parts. Each result of a tool is a message of its own.
func (s *spoken) parts(role string, parts rawjson.Value) {
	var a history.Answer
	results := 0
	parts.Each(func(_ int, part rawjson.Value) bool {
		id, _ := part.Get("id").Text()
		switch kind, _ := part.Get("type").Text(); kind {
		case "text":
			text, _ := history.Content(part.Get("content"))
			a.Text += text
		case "reasoning", "thinking":
			text, _ := history.Content(part.Get("content"))
			a.Reasoning += text
		case "tool_call":
			name, _ := part.Get("name").Text()
			a.Calls = append(a.Calls, history.ToolCall{ID: id, Name: name, Arguments: part.Get("arguments")})
		case "tool_call_response":
			result := part.Get("response")
			if result == nil {
				result = part.Get("result")
			}
			text, _ := history.Content(result)
			s.messages = append(s.messages, history.Result(id, text))
			results++
		default:
			s.other++
		}
		return true
	})
	switch {
	case role == "assistant" || role == "model":
		s.messages = append(s.messages, a.Message())
	case a.Text != "" || results == 0:
		s.messages = append(s.messages, history.Text(role, a.Text))
	}
}

// plain adds a chat message.
func (s *spoken) plain(role string, m rawjson.Value) {
	if chat, ok := history.ChatOf(m); ok {
		s.messages = append(s.messages, chat)
		s.other += history.Parts(m.Get("content"))
		return
	}
	if role != "" {
		s.other++
	}
}

// events adds the messages of events: gen_ai.ROLE.message and, for the answer, gen_ai.choice.
func (s *spoken) events(sp *span.Span, answers bool) {
	for _, e := range sp.Events {
		role, isMessage := strings.CutSuffix(strings.TrimPrefix(e.Name, "gen_ai."), ".message")
		switch {
		case e.Name == "gen_ai.choice" && answers:
			m := e.Attributes.JSON("message")
			if m.Kind() != rawjson.Object {
				m = event(e.Attributes, "assistant")
			}
			s.plain("assistant", history.WithMember(m, "role", rawjson.Value(`"assistant"`)))
		case isMessage && !answers:
			s.plain(role, event(e.Attributes, role))
		}
	}
}

// event gives an event's attributes as a chat message.
func event(a span.Attributes, role string) rawjson.Value {
	out := history.WithMember(nil, "role", rawjson.AppendString(nil, role))
	out = history.WithMember(out, "content", a.Get("content"))
	out = history.WithMember(out, "tool_calls", a.JSON("tool_calls"))
	if id := a.Get("id"); role == "tool" && id != nil {
		out = history.WithMember(out, "tool_call_id", id)
	}
	return out
}

// numbered adds the messages of attributes such as gen_ai.prompt.0.role.
func (s *spoken) numbered(tree *span.Node) {
	for _, n := range tree.List() {
		role := n.Text("role")
		if role == "" {
			role = "assistant"
		}
		text, other := history.Content(n.Get("content").Value)
		s.other += other
		if id := n.Text("tool_call_id"); role == "tool" {
			s.messages = append(s.messages, history.Result(id, text))
			continue
		}
		if role != "assistant" {
			s.messages = append(s.messages, history.Text(role, text))
			continue
		}
		a := history.Answer{Text: text}
		for _, c := range n.Get("tool_calls").List() {
			a.Calls = append(a.Calls, history.ToolCall{ID: c.Text("id"), Name: c.Text("name"), Arguments: c.Get("arguments").Value})
		}
		s.messages = append(s.messages, a.Message())
	}
}
