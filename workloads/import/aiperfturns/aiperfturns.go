// Package aiperfturns reads AIPerf's multi_turn files: one session a line, each turn a text that is sent with the history
// before it. The files hold no answers, so the history is the target's own.
package aiperfturns

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "aiperf-multi-turn",
		Summary: "AIPerf's multi_turn files: {type, session_id, turns: [{text, delay, role, output_length, extra}]}, one session a line",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "answers", Text: "turns without recorded answers: they ask for live history"},
			{Code: "media", Text: "images, audio and video of turns (image, audio, video, their lists, image_uuids)"},
			{Code: "times", Text: "timestamps of turns behind the first one: each follows the answer before it"},
			{Code: "assistant", Text: "turns with the role assistant, which are history and no requests"},
			{Code: "names", Text: "names of texts"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	if kind, ok := r.Value.Get("type").Text(); ok {
		return kind == "multi_turn"
	}
	first := history.First(r.Value.Get("turns"))
	for _, key := range keys {
		if first.Get(key) != nil {
			return true
		}
	}
	return false
}

// keys are where the contents of a turn stand.
var keys = [...]string{"text", "texts", "image", "images", "audio", "audios", "video", "videos"}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	id := ""
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "type", "turns":
		case "session_id":
			id, _ = v.Text()
		default:
			s.Strange(string(key))
		}
	})
	turns, err := parse(r)
	if err != nil {
		return err
	}
	lose(r.Value.Get("turns"), turns, s)
	if id == "" {
		s.Whole("", start(turns))
		return nil
	}
	s.Part(id, start(turns))
	return nil
}

// start is the first instant that a session tells.
func start(turns []turn) int64 {
	for i := range turns {
		if turns[i].at != frame.NoTime {
			return turns[i].at
		}
	}
	return frame.NoTime
}

// lose counts what is not kept.
func lose(list rawjson.Value, turns []turn, s *frame.Scan) {
	started := false
	list.Each(func(i int, v rawjson.Value) bool {
		media := false
		v.Fields(func(key []byte, v rawjson.Value) {
			switch string(key) {
			case "type", "text", "delay", "timestamp", "role", "session_id", "output_length", "extra":
			case "texts":
				if history.First(v).Kind() == rawjson.Object {
					s.Lose("names", 1)
				}
			case "image", "images", "image_uuids", "audio", "audios", "video", "videos":
				media = media || !v.Missing()
			default:
				s.Strange(string(key))
			}
		})
		if media {
			s.Lose("media", 1)
		}
		if turns[i].at != frame.NoTime {
			if started {
				s.Lose("times", 1)
			}
			started = true
		}
		switch turns[i].role {
		case "assistant":
			s.Lose("assistant", 1)
		case "system":
		default:
			s.Lose("answers", 1)
		}
		return true
	})
}

// Build makes a request of each turn but those of system and assistant, which go with the next one.
func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	out := &sdk.Trajectory{}
	var before []sdk.Message
	for i := range t.Records {
		turns, err := parse(&t.Records[i])
		if err != nil {
			return nil, err
		}
		for _, w := range turns {
			before = append(before, w.message())
			if w.role == "system" || w.role == "assistant" {
				continue
			}
			out.Turns = append(out.Turns, sdk.Turn{
				Index: uint32(len(out.Turns)), Append: before, DelayNs: w.delay, MaxTokens: w.limit, Params: w.params,
				Labels: history.Request(history.Kind(w.role)),
			})
			before = nil
		}
	}
	if n := len(out.Turns); n > 0 {
		out.Turns[n-1].Final = true
	}
	return out, nil
}
