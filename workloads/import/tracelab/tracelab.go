// Package tracelab reads TraceLab's rounds of coding agents: one request to the model a line, with its lengths in tokens, the
// instants of what happened in it, and its tools.
package tracelab

import (
	"strconv"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "tracelab",
		Summary: "TraceLab's rounds: {session_id, round_index, prefix_tokens, newly_append_tokens, output_tokens, timing_events, tools}",
		Paths:   []string{"", "*"}, ByTime: true, Numbers: true,
		Losses: []frame.Loss{
			{Code: "model", Text: "names of models, providers and projects"},
			{Code: "tools", Text: "names, sizes and errors of tools; the waits for them are kept"},
			{Code: "reasoning", Text: "tokens of reasoning, apart from the output's"},
			{Code: "clock", Text: "instants of events, of which the wait before a request is kept"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	return r.Value.Get("newly_append_tokens").Kind() == rawjson.Number && r.Value.Get("round_index").Kind() == rawjson.Number
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	key, session := "", ""
	r.Value.Fields(func(name []byte, v rawjson.Value) {
		switch string(name) {
		case "session_file", "round_index", "round_id", "input_tokens_total", "prefix_tokens", "newly_append_tokens", "output_tokens", "provider", "project":
		case "session_id":
			session, _ = v.Text()
		case "trace_key":
			key, _ = v.Text()
		case "model":
			s.Lose("model", 1)
		case "tools":
			if !v.Empty() {
				s.Lose("tools", 1)
			}
		case "reasoning_output_tokens":
			if n, _ := rawjson.Integer(v); n > 0 {
				s.Lose("reasoning", 1)
			}
		case "timing_events":
			if !v.Empty() {
				s.Lose("clock", 1)
			}
		default:
			s.Strange(string(name))
		}
	})
	if _, err := parse(r); err != nil {
		return err
	}
	round, ok := rawjson.Integer(r.Value.Get("round_index"))
	if !ok || round < 0 {
		return r.Fault("/round_index", "round-index", "a whole number from 0", "the round is %s", frame.Clip(r.Value.Get("round_index")))
	}
	if key == "" {
		key = session
	}
	if key == "" {
		return r.Fault("/session_id", "session", "a text that is not empty", "the round belongs to no session")
	}
	s.Part(key, round)
	return nil
}

// round is one request.
type round struct {
	input, output uint32
	begun, ended  int64  // first event of the client, last one of the model
	kind          string // user or tool
	tools         uint64 // the longest wait for a tool that it called, nanoseconds
}

func parse(r *frame.Record) (round, error) {
	w := round{begun: frame.NoTime, ended: frame.NoTime, kind: "user"}
	var lengths [3]uint32
	for i, name := range [...]string{"prefix_tokens", "newly_append_tokens", "output_tokens"} {
		var err error
		if lengths[i], err = history.Count(r, "/"+name, r.Value.Get(name)); err != nil {
			return w, err
		}
	}
	w.input, w.output = lengths[0]+lengths[1], lengths[2]
	if total := r.Value.Get("input_tokens_total"); !total.Missing() {
		n, err := history.Count(r, "/input_tokens_total", total)
		if err != nil {
			return w, err
		}
		if n != w.input {
			return w, r.Fault("/input_tokens_total", "token-sum", "prefix_tokens + newly_append_tokens", "the total is %d and the parts are %d", n, w.input)
		}
	}
	r.Value.Get("timing_events").Each(func(_ int, v rawjson.Value) bool {
		w.event(v)
		return true
	})
	r.Value.Get("tools").Each(func(_ int, v rawjson.Value) bool {
		if ns, ok := rawjson.Scaled(v.Get("tool_wall_latency_ms"), 6); ok && ns > 0 {
			w.tools = max(w.tools, uint64(ns))
		}
		return true
	})
	return w, nil
}

// event takes an instant: of the client's what makes the request necessary last, of the model's the last.
func (w *round) event(v rawjson.Value) {
	at := history.Instant(v.Get("timestamp"), 0)
	if at == frame.NoTime {
		return
	}
	switch kind, _ := v.Get("event_type").Text(); kind {
	case "user_message", "tool_result":
		if w.begun == frame.NoTime || at > w.begun {
			w.begun, w.kind = at, "user"
			if kind == "tool_result" {
				w.kind = "tool"
			}
		}
	case "reasoning", "text", "tool_call", "usage_report":
		if w.ended == frame.NoTime || at > w.ended {
			w.ended = at
		}
	}
}

// Build lets the conversation grow by what each round has more than the one before it: first the answer, as far as it was
// kept, then new text. A round with a shorter prompt begins a branch of its own.
func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	out := &sdk.Trajectory{}
	var before round
	branch := uint32(0)
	for i := range t.Records {
		w, err := parse(&t.Records[i])
		if err != nil {
			return nil, err
		}
		at := strconv.Itoa(i)
		turn := sdk.Turn{Index: uint32(i), ExactTokens: w.output, Labels: history.Request(w.kind)}
		added := w.input
		switch {
		case i == 0:
		case w.input < before.input:
			branch++
			turn.After = &sdk.After{Turns: []uint32{uint32(i - 1)}}
			turn.DelayNs = w.wait(&before)
		default:
			kept := min(before.output, w.input-before.input)
			added = w.input - before.input - kept
			answer := history.Filler("assistant", kept, "answer-"+strconv.Itoa(i-1))
			out.Turns[i-1].Recorded = &answer
			turn.DelayNs = w.wait(&before)
		}
		turn.Branch = branch
		if added > 0 || i == 0 || turn.After != nil {
			turn.Append = []sdk.Message{history.Filler("user", added, "in-"+at)}
		}
		answer := history.Filler("assistant", w.output, "answer-"+at)
		turn.Recorded = &answer
		out.Turns = append(out.Turns, turn)
		before = w
	}
	out.Turns[len(out.Turns)-1].Final = true
	return out, nil
}

// wait is the time from the last word of the round before to what made this one necessary, else the longest of that round's
// tools.
func (w *round) wait(before *round) uint64 {
	if w.begun != frame.NoTime && before.ended != frame.NoTime && w.begun > before.ended {
		return uint64(w.begun - before.ended)
	}
	return before.tools
}
