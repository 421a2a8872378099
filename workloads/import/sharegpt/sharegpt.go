// Package sharegpt reads conversations in the form that ShareGPT gave its name to: {id, conversations: [{from, value}]}.
package sharegpt

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "sharegpt",
		Summary: "conversations as ShareGPT has them: {id, conversations: [{from, value}]}, a list of them or one a line",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "time", Text: "conversations without times: no waits before requests"},
			{Code: "opening", Text: "conversations that begin with an answer: it stands in the first request's history"},
			{Code: "empty", Text: "conversations without an answer, left out"},
			{Code: "markdown", Text: "messages with a further form of their text (markdown, text), which is not sent"},
		},
		Reader: reader{},
	}
}

type reader struct{}

// roles are the names that senders have in such files.
var roles = map[string]string{
	"human": "user", "user": "user", "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant", "assistant": "assistant", "model": "assistant",
	"system": "system", "tool": "tool", "observation": "tool", "function_response": "tool", "function_call": "assistant",
}

func (reader) Detect(r *frame.Record) bool {
	list := r.Value.Get("conversations")
	ok := list.Kind() == rawjson.Array
	list.Each(func(_ int, m rawjson.Value) bool {
		ok = m.Get("from").Kind() == rawjson.String
		return false
	})
	return ok
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	id := ""
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "conversations", "system":
		case "id":
			if v.Kind() == rawjson.Number {
				id = string(v)
			} else {
				id, _ = v.Text()
			}
		default:
			s.Strange(string(key))
		}
	})
	list := r.Value.Get("conversations")
	if list.Kind() != rawjson.Array {
		return r.Fault("/conversations", "conversations", "a list of {from, value}", "conversations is %s", frame.Clip(list))
	}
	answers := 0
	var err error
	list.Each(func(i int, m rawjson.Value) bool {
		from, _ := m.Get("from").Text()
		if roles[from] == "" {
			err = r.Fault(frame.Pointer("/conversations", i)+"/from", "role", "human, gpt, system or tool", "the sender is %s", frame.Clip(m.Get("from")))
			return false
		}
		if roles[from] == "assistant" {
			answers++
			if i == 0 {
				s.Lose("opening", 1)
			}
		}
		if m.Get("markdown") != nil || m.Get("text") != nil {
			s.Lose("markdown", 1)
		}
		return true
	})
	switch {
	case err != nil:
		return err
	case answers == 0:
		s.Lose("empty", 1)
		return nil
	}
	s.Lose("time", 1)
	s.Whole(id, frame.NoTime)
	return nil
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	r := &t.Records[0]
	var l history.Linear
	if system, _ := r.Value.Get("system").Text(); system != "" {
		l.Client(history.Text("system", system), "user", frame.NoTime)
	}
	r.Value.Get("conversations").Each(func(i int, m rawjson.Value) bool {
		from, _ := m.Get("from").Text()
		text, _ := history.Content(m.Get("value"))
		role := roles[from]
		switch {
		case role == "assistant" && i > 0:
			l.Answer(history.Text(role, text), frame.NoTime)
		case role == "tool": // no call of a tool is on record that it could answer
			l.Client(history.Text("user", text), role, frame.NoTime)
		default:
			l.Client(history.Text(role, text), "user", frame.NoTime)
		}
		return true
	})
	l.Tail()
	return &sdk.Trajectory{Turns: l.Turns()}, nil
}
