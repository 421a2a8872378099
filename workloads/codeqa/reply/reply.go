// Package reply reads the assistant messages that a target answered with.
package reply

import (
	"strings"

	"paceline/workloads/rawjson"
)

// Call is one tool call as it came. Arguments that are an object are taken as their text.
type Call struct{ ID, Name, Arguments string }

// Message is an assistant message.
type Message struct {
	Text  string // its content without thinking and white space at the ends
	Calls []Call
}

// endOfThinking is where inline thinking ends; what stands before the last one is no part of an answer.
const endOfThinking = "</think>"

// Read takes a message apart. What is no JSON object is an empty message.
func Read(raw []byte) Message {
	raw = raw[rawjson.Space(raw, 0):]
	if len(raw) == 0 || rawjson.Valid(raw) != nil {
		return Message{}
	}
	v := rawjson.Value(raw)
	m := Message{Text: text(v.Get("content"))}
	if i := strings.LastIndex(m.Text, endOfThinking); i >= 0 {
		m.Text = m.Text[i+len(endOfThinking):]
	}
	m.Text = strings.TrimSpace(m.Text)
	v.Get("tool_calls").Each(func(_ int, call rawjson.Value) bool {
		f := call.Get("function")
		c := Call{}
		c.ID, _ = call.Get("id").Text()
		c.Name, _ = f.Get("name").Text()
		switch arguments := f.Get("arguments"); arguments.Kind() {
		case rawjson.String:
			c.Arguments, _ = arguments.Text()
		case rawjson.Absent, rawjson.Null:
		default:
			c.Arguments = string(rawjson.AppendCompact(nil, arguments))
		}
		m.Calls = append(m.Calls, c)
		return true
	})
	return m
}

// text takes a content that is a string, or the texts of a list of parts.
func text(content rawjson.Value) string {
	if s, ok := content.Text(); ok {
		return s
	}
	var b strings.Builder
	content.Each(func(_ int, part rawjson.Value) bool {
		s, _ := part.Get("text").Text()
		b.WriteString(s)
		return true
	})
	return b.String()
}
