// Package vllm reads the files of vLLM's multi-turn benchmark: lists of conversations, and the description by which it
// generates some.
package vllm

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// maxConversations bounds how many a description may ask for.
const maxConversations = 1_000_000

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "vllm",
		Summary: "files of vLLM's multi-turn benchmark: a list of {id, messages: [{role, content}]}, or a description with filetype generate_conversations",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "time", Text: "conversations without times: no waits before requests"},
			{Code: "files", Text: "text files of the description: the texts are filler of the lengths that it asks for"},
			{Code: "print", Text: "settings of what the benchmark prints"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func described(v rawjson.Value) bool {
	kind, _ := v.Get("filetype").Text()
	return kind == "generate_conversations"
}

func (reader) Detect(r *frame.Record) bool { return described(r.Value) }

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	if described(r.Value) {
		return scanDescription(r, s)
	}
	id := ""
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "messages":
		case "id":
			if id, _ = v.Text(); v.Kind() == rawjson.Number {
				id = string(v)
			}
		default:
			s.Strange(string(key))
		}
	})
	list := r.Value.Get("messages")
	if list.Kind() != rawjson.Array || list.Empty() {
		return r.Fault("/messages", "messages", "a list of chat messages", "messages is %s", frame.Clip(list))
	}
	s.Lose("time", 1)
	s.Whole(id, frame.NoTime)
	return nil
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	r := &t.Records[0]
	if described(r.Value) {
		return describe(r, t.Key)
	}
	l, err := history.List(r, "/messages", r.Value.Get("messages"), nil)
	if err != nil {
		return nil, err
	}
	l.Tail()
	return &sdk.Trajectory{Turns: l.Turns()}, nil
}
