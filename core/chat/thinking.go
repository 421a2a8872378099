package chat

import (
	"encoding/json"
	"strings"
)

// Thinking names what becomes of a model's thinking when its answer joins the history.
type Thinking string

// Rules for thinking. Strip takes whole <think> blocks off the start of the content, also one that was never closed, and
// drops the reasoning field; a tag anywhere else is text and stays. Keep changes nothing: inline thinking stays inline, and
// thinking in a field of its own goes back as reasoning_content.
const (
	Strip Thinking = "strip"
	Keep  Thinking = "keep"
)

const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// StripThinking returns s without the <think> blocks at its start and the white space around them. What has no such block
// is returned unchanged.
func StripThinking(s string) string {
	for {
		body, ok := strings.CutPrefix(strings.TrimLeft(s, " \t\r\n"), thinkOpen)
		if !ok {
			return s
		}
		_, rest, closed := strings.Cut(body, thinkClose)
		if !closed {
			return ""
		}
		s = strings.TrimLeft(rest, " \t\r\n")
	}
}

// VisibleText returns the text of an assistant message that a user would see: its content without thinking at the start,
// "" where there is none. Scorers look at this. The texts of a list of parts are joined.
func VisibleText(message json.RawMessage) string {
	list, err := members(message)
	if err != nil {
		return ""
	}
	if s, ok := text(message, list, "content"); ok {
		return StripThinking(s)
	}
	m, ok := find(list, "content")
	if !ok {
		return ""
	}
	parts, err := elements(message[m.from:m.to])
	if err != nil {
		return ""
	}
	var b strings.Builder
	for _, p := range parts {
		part := message[m.from+p.from : m.from+p.to]
		if fields, err := members(part); err == nil {
			s, _ := text(part, fields, "text")
			b.WriteString(s)
		}
	}
	return StripThinking(b.String())
}
