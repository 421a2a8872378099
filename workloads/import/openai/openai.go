// Package openai reads lists of chat messages as OpenAI's API has them: a request's body, or training data for
// supervised fine-tuning, one {"messages": [...]} a line.
package openai

import (
	"math"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "openai",
		Summary: "chat messages as OpenAI's API has them: {messages, tools}, one conversation a line or a list of them",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "time", Text: "conversations without times: no waits before requests"},
			{Code: "answers", Text: "assistant messages right after another one, which are history and no requests"},
			{Code: "weight", Text: "weights of messages for training"},
			{Code: "response", Text: "answers beside the messages (response, choices), which are no part of the conversation"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	list := r.Value.Get("messages")
	if list.Kind() != rawjson.Array || r.Value.Get("session_id") != nil || r.Value.Get("info") != nil || r.Value.Get("trajectory_format") != nil {
		return false
	}
	return list.Empty() || first(list).Get("role").Kind() == rawjson.String
}

func first(list rawjson.Value) (found rawjson.Value) {
	list.Each(func(_ int, v rawjson.Value) bool {
		found = v
		return false
	})
	return found
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	var id string
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "messages", "tools", "model", "stream", "stream_options", "max_tokens", "max_completion_tokens":
		case "id", "conversation_id", "uuid":
			if text, ok := v.Text(); ok && id == "" {
				id = text
			}
		case "response", "choices":
			s.Lose("response", 1)
		default:
			if !parameter(string(key)) {
				s.Strange(string(key))
			}
		}
	})
	list := r.Value.Get("messages")
	if list.Kind() != rawjson.Array || list.Empty() {
		return r.Fault("/messages", "messages", "a list of chat messages", "messages is %s", frame.Clip(list))
	}
	s.Lose("time", 1)
	before := ""
	list.Each(func(_ int, m rawjson.Value) bool {
		role, _ := m.Get("role").Text()
		if role == "assistant" && before == role {
			s.Lose("answers", 1)
		}
		if m.Get("weight") != nil {
			s.Lose("weight", 1)
		}
		before = role
		return true
	})
	s.Whole(id, frame.NoTime)
	return nil
}

// parameter tells sampling parameters, which become the trajectory's.
func parameter(key string) bool {
	switch key {
	case "temperature", "top_p", "top_k", "min_p", "seed", "stop", "presence_penalty", "frequency_penalty", "repetition_penalty",
		"logit_bias", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort", "chat_template_kwargs":
		return true
	}
	return false
}

// limit is the most tokens that an answer may have; 0: nothing is told.
func limit(v rawjson.Value) uint32 {
	for _, name := range []string{"max_completion_tokens", "max_tokens"} {
		if n, ok := rawjson.Integer(v.Get(name)); ok && n > 0 && n <= math.MaxUint32 {
			return uint32(n)
		}
	}
	return 0
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	r := &t.Records[0]
	l, err := history.List(r, "/messages", r.Value.Get("messages"), nil)
	if err != nil {
		return nil, err
	}
	l.Tail()
	out := &sdk.Trajectory{Turns: l.Turns()}
	for i := range out.Turns {
		out.Turns[i].MaxTokens = limit(r.Value)
	}
	var d sdk.Defaults
	if tools := r.Value.Get("tools"); !tools.Empty() && tools.Kind() == rawjson.Array {
		d.Tools = rawjson.AppendCompact(nil, tools)
	}
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		if parameter(string(key)) {
			d.Params = history.WithMember(d.Params, string(key), v)
		}
	})
	if d.Tools != nil || d.Params != nil {
		out.Defaults = &d
	}
	return out, nil
}
