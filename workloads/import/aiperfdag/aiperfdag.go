// Package aiperfdag reads AIPerf's dag_jsonl files: one session a line, whose turns start other sessions of the file. A session
// that none starts makes a trajectory, together with all that it starts: each start is a branch. A fork goes on from the
// history of the turn that started it, a spawn begins a history of its own; a turn may wait for the spawns before it.
package aiperfdag

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "aiperf-dag",
		Summary: "AIPerf's dag_jsonl files: {session_id, turns: [{messages, forks, spawns, delay}]}, sessions that start each other",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "answers", Text: "turns without recorded answers: they ask for live history"},
			{Code: "model", Text: "models of turns: the run names it"},
			{Code: "drawn", Text: "thinking times that are drawn anew each time (think_time_sigma): their median is kept"},
			{Code: "detached", Text: "sessions started before or beside a turn: they run on with their trajectory, and no turn waits for them"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	if r.Value.Get("session_id").Kind() != rawjson.String {
		return false
	}
	return history.First(r.Value.Get("turns")).Get("messages") != nil || string(r.Value.Get("orchestrator")) == "true"
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	x, err := parse(r)
	if err != nil {
		return err
	}
	lose(r.Value, x, s)
	s.Part(x.id, frame.NoTime)
	for _, start := range x.starts() {
		s.Holds(x.id, start.child)
	}
	return nil
}

// lose counts what is not kept.
func lose(v rawjson.Value, x *session, s *frame.Scan) {
	v.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "session_id", "turns", "orchestrator", "spawns", "think_time_ms", "rounds", "context_mode", "pre_session_spawns",
			"think_time_min_ms", "think_time_max_ms":
		case "think_time_sigma":
			if !v.Missing() {
				s.Lose("drawn", 1)
			}
		default:
			s.Strange(string(key))
		}
	})
	v.Get("turns").Each(func(_ int, v rawjson.Value) bool {
		v.Fields(func(key []byte, v rawjson.Value) {
			switch string(key) {
			case "messages", "max_tokens", "tools", "extra", "forks", "spawns", "delay":
			case "model":
				if !v.Missing() {
					s.Lose("model", 1)
				}
			default:
				s.Strange(string(key))
			}
		})
		return true
	})
	s.Lose("answers", len(x.turns))
	for _, start := range x.starts() {
		if start.detached {
			s.Lose("detached", 1)
		}
	}
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	b := builder{sessions: map[string]*session{}}
	for i := range t.Records {
		x, err := parse(&t.Records[i])
		if err != nil {
			return nil, err
		}
		if before := b.sessions[x.id]; before != nil {
			return nil, x.record.Fault("/session_id", "session-twice", "each session once", "session %q stands at line %d already", x.id, before.record.Line)
		}
		b.sessions[x.id] = x
	}
	return b.build(b.sessions[t.Key])
}
