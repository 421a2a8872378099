// Package minisweagent reads the trajectories that mini-swe-agent saves, one JSON document each: chat messages as they were
// sent, with the time at which an answer or an observation was there. Documents may stand one after another in a file.
package minisweagent

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "mini-swe-agent",
		Summary: "trajectories of mini-swe-agent (.traj.json): {info, messages, trajectory_format}",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "config", Text: "configurations of agent, model and environment (info.config)"},
			{Code: "result", Text: "results (exit messages, info.exit_status, info.submission)"},
			{Code: "cost", Text: "costs of answers"},
			{Code: "tools", Text: "trajectories whose answers call tools, of which the file holds no definitions"},
			{Code: "tail", Text: "messages after the last answer, which were never sent"},
			{Code: "untimed", Text: "answers without a timestamp: no wait before the request after them"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	format := r.Value.Get("trajectory_format")
	if format != nil {
		text, _ := format.Text()
		return len(text) >= len("mini-swe-agent") && text[:len("mini-swe-agent")] == "mini-swe-agent"
	}
	return r.Value.Get("messages").Kind() == rawjson.Array && r.Value.Get("info").Get("mini_version") != nil
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	list := r.Value.Get("messages")
	if list.Kind() != rawjson.Array {
		return r.Fault("/messages", "messages", "a list of chat messages", "messages is %s", frame.Clip(list))
	}
	id := ""
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "messages", "trajectory_format":
		case "instance_id":
			id, _ = v.Text()
		case "info":
			if v.Get("config") != nil {
				s.Lose("config", 1)
			}
		default:
			s.Strange(string(key))
		}
	})
	tail, tools, start := 0, false, int64(frame.NoTime)
	list.Each(func(_ int, v rawjson.Value) bool {
		m := parse(v)
		switch {
		case m.role == "exit":
			s.Lose("result", 1)
			return true
		case m.role != "assistant":
			tail++
			return true
		}
		tail = 0
		tools = tools || len(m.calls) > 0
		if m.time == frame.NoTime {
			s.Lose("untimed", 1)
		} else if start == frame.NoTime {
			start = m.time
		}
		if !v.Get("extra").Get("cost").Missing() {
			s.Lose("cost", 1)
		}
		return true
	})
	s.Lose("tail", tail)
	if tools {
		s.Lose("tools", 1)
	}
	s.Whole(id, start)
	return nil
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	r := &t.Records[0]
	var l history.Linear
	var err error
	r.Value.Get("messages").Each(func(i int, v rawjson.Value) bool {
		m := parse(v)
		var chat sdk.Message
		switch {
		case m.role == "exit":
			return true
		case m.responses:
			chat = m.chat()
		default:
			if chat, _, err = history.Chat(r, frame.Pointer("/messages", i), v); err != nil {
				return false
			}
		}
		if m.role == "assistant" {
			l.Answer(chat, m.time).Truth = usage(v).Truth()
		} else {
			l.Client(chat, history.Kind(m.role), m.time)
		}
		return true
	})
	return &sdk.Trajectory{Turns: l.Turns()}, err
}
