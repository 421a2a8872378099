package claudecode

import (
	"paceline/sdk"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// line is one line of a session file.
type line struct {
	kind, uuid, parent, session string
	time                        int64
	side                        bool // of a sub-agent
	hidden                      bool // never sent
	synthetic                   bool // not of the model
	boundary                    bool // a compaction
	message                     rawjson.Value
}

func parse(v rawjson.Value) line {
	var l line
	v.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "type":
			l.kind, _ = v.Text()
		case "uuid":
			l.uuid, _ = v.Text()
		case "parentUuid":
			l.parent, _ = v.Text()
		case "sessionId":
			l.session, _ = v.Text()
		case "timestamp":
			l.time = history.Instant(v, 3)
		case "isSidechain":
			l.side = string(v) == "true"
		case "isVisibleInTranscriptOnly":
			// A summary is marked so as well, and sent.
			l.hidden = string(v) == "true"
		case "subtype":
			text, _ := v.Text()
			l.boundary = text == "compact_boundary"
		case "message":
			l.message = v
		}
	})
	if string(v.Get("isCompactSummary")) == "true" {
		l.hidden = false
	}
	if v.Get("timestamp") == nil {
		l.time = history.Instant(nil, 3)
	}
	model, _ := l.message.Get("model").Text()
	l.synthetic = model == "<synthetic>"
	return l
}

func (l *line) root() bool { return l.parent == "" }

// client gives what a user line adds to a request: results of tools first, as the API wants them, then text.
func client(content rawjson.Value) (out []sdk.Message) {
	if text, ok := content.Text(); ok {
		return []sdk.Message{history.Text("user", text)}
	}
	var texts []string
	content.Each(func(_ int, part rawjson.Value) bool {
		switch kind, _ := part.Get("type").Text(); kind {
		case "tool_result":
			id, _ := part.Get("tool_use_id").Text()
			text, _ := history.Content(part.Get("content"))
			out = append(out, history.Result(id, text))
		case "text":
			text, _ := part.Get("text").Text()
			texts = append(texts, text)
		}
		return true
	})
	for _, text := range texts {
		out = append(out, history.Text("user", text))
	}
	return out
}

// answer gives the piece of an answer that an assistant line holds.
func answer(content rawjson.Value) history.Answer {
	var a history.Answer
	if text, ok := content.Text(); ok {
		a.Text = text
	}
	content.Each(func(_ int, part rawjson.Value) bool {
		switch kind, _ := part.Get("type").Text(); kind {
		case "text":
			text, _ := part.Get("text").Text()
			a.Text += text
		case "thinking":
			text, _ := part.Get("thinking").Text()
			a.Reasoning += text
		case "tool_use":
			id, _ := part.Get("id").Text()
			name, _ := part.Get("name").Text()
			a.Calls = append(a.Calls, history.ToolCall{ID: id, Name: name, Arguments: part.Get("input")})
		}
		return true
	})
	return a
}
