// Package claudecode reads the session files of Claude Code: one line for each piece of a message, linked to the line before
// it. The lines of one answer share a message id; a request's history is the chain of lines that lead to it. So rewound
// conversations, sub-agents and what follows a compaction become branches.
package claudecode

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "claude-code",
		Summary: "session files of Claude Code: one line for each piece of a message, {type, uuid, parentUuid, sessionId, message}",
		Paths:   []string{""},
		Losses: []frame.Loss{
			{Code: "prompt", Text: "sessions: system prompt and tool definitions are not in the file"},
			{Code: "synthetic", Text: "answers that the program itself put in (model <synthetic>)"},
			{Code: "hidden", Text: "messages that only the transcript shows"},
			{Code: "other", Text: "lines that are no messages (titles, snapshots, progress)"},
			{Code: "compact", Text: "compactions: what follows begins a history of its own"},
			{Code: "parts", Text: "parts of messages that are no text (images, documents)"},
			{Code: "signature", Text: "signatures of thinking"},
			{Code: "result", Text: "structured results of tools beside their text (toolUseResult)"},
			{Code: "failed", Text: "marks that a tool failed (is_error); its text is kept"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	return r.Value.Get("sessionId").Kind() == rawjson.String && (r.Value.Get("uuid") != nil || r.Value.Get("type") != nil)
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	l := parse(r.Value)
	if l.session == "" {
		s.Lose("other", 1)
		return nil
	}
	switch {
	case l.kind == "system" && l.uuid != "":
		if l.boundary {
			s.Lose("compact", 1)
		}
	case l.kind != "user" && l.kind != "assistant":
		s.Lose("other", 1)
		if l.uuid == "" {
			return nil
		}
	case l.synthetic:
		s.Lose("synthetic", 1)
	case l.hidden:
		s.Lose("hidden", 1)
	default:
		scanContent(r.Value, s)
	}
	if l.root() && l.kind == "user" && !l.side {
		s.Lose("prompt", 1)
	}
	s.Part(l.session, l.time)
	return nil
}

func scanContent(v rawjson.Value, s *frame.Scan) {
	if !v.Get("toolUseResult").Missing() {
		s.Lose("result", 1)
	}
	content := v.Get("message").Get("content")
	if content.Kind() != rawjson.Array {
		return
	}
	content.Each(func(_ int, part rawjson.Value) bool {
		switch kind, _ := part.Get("type").Text(); kind {
		case "text", "tool_use":
		case "thinking":
			if sign, _ := part.Get("signature").Text(); sign != "" {
				s.Lose("signature", 1)
			}
		case "tool_result":
			s.Lose("parts", history.Parts(part.Get("content")))
			if string(part.Get("is_error")) == "true" {
				s.Lose("failed", 1)
			}
		default:
			s.Lose("parts", 1)
		}
		return true
	})
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	b := builder{nodes: map[string]*node{}, calls: map[string]int{}, replies: map[int][]*node{}}
	for i := range t.Records {
		b.line(&t.Records[i])
	}
	for i := range b.list {
		c := &b.list[i]
		m := b.answers[i].Message()
		c.Output = &m
	}
	return history.Trajectory(b.list), nil
}
