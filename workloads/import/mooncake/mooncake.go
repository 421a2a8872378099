// Package mooncake reads traces of lengths and block hashes: Mooncake's own, one request a line, and the agentic variant, in
// which requests of a session wait for each other.
package mooncake

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
		Name:    "mooncake",
		Summary: "Mooncake's traces, plain and agentic: lengths in tokens and hashes of blocks, one request a line",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "texts", Text: "prompts with their texts (text_input, messages, payload), of which only the length is kept"},
			{Code: "tools", Text: "events of tools (tool_events); their waits are kept"},
			{Code: "times", Text: "timestamps of requests of a session that tell no waits: the first one starts it, each other follows the answer before it"},
			{Code: "branches", Text: "lists of branches; what waits for what is kept"},
			{Code: "extra", Text: "further parameters (extra)"},
		},
		Reader: reader{},
	}
}

// sizes are the block sizes that a trace may have, the published one first.
var sizes = [...]uint32{512, 64, 16, 32, 128, 256, 1024}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	return r.Value.Get("input_length").Kind() == rawjson.Number && r.Value.Get("output_length").Kind() == rawjson.Number &&
		r.Value.Get("chat_id") == nil
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	session := ""
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "timestamp", "input_length", "output_length", "hash_ids", "request_id", "wait_for", "prefix_reset", "delay", "tool_wait_ms":
		case "session_id":
			session = text(v)
		case "text_input", "messages", "payload", "tools":
			s.Lose("texts", 1)
		case "tool_events":
			s.Lose("tools", 1)
		case "branches":
			s.Lose("branches", 1)
		case "extra":
			s.Lose("extra", 1)
		default:
			s.Strange(string(key))
		}
	})
	if _, err := parse(r); err != nil {
		return err
	}
	at := history.Instant(r.Value.Get("timestamp"), 3)
	if session != "" && at != frame.NoTime && r.Value.Get("wait_for") == nil && r.Value.Get("delay").Missing() && r.Value.Get("tool_wait_ms").Missing() {
		s.Lose("times", 1)
	}
	if session == "" {
		s.Whole("", at)
		return nil
	}
	s.Part(session, at)
	return nil
}

// text is an identity, which may be a text or a number.
func text(v rawjson.Value) string {
	if t, ok := v.Text(); ok {
		return t
	}
	if v.Kind() == rawjson.Number {
		return string(v)
	}
	return ""
}

// row is one request.
type row struct {
	prompt sdk.Message
	output uint32
	delay  uint64 // nanoseconds after what it waits for
	time   int64
	id     string
	waits  rawjson.Value // nil: not told
}

func parse(r *frame.Record) (row, error) {
	w := row{time: history.Instant(r.Value.Get("timestamp"), 3), id: text(r.Value.Get("request_id")), waits: r.Value.Get("wait_for")}
	input, err := history.Count(r, "/input_length", r.Value.Get("input_length"))
	if err != nil {
		return w, err
	}
	if w.output, err = history.Count(r, "/output_length", r.Value.Get("output_length")); err != nil {
		return w, err
	}
	ids := r.Value.Get("hash_ids")
	w.prompt, err = history.Blocks(r, "/hash_ids", ids, input, blockOf(input, count(ids)), "prompt", sdk.ScopeWorkload)
	if err != nil {
		return w, err
	}
	for _, key := range []string{"delay", "tool_wait_ms"} {
		v := r.Value.Get(key)
		if v.Missing() {
			continue
		}
		ns, ok := rawjson.Scaled(v, 6)
		if !ok || ns < 0 {
			return w, r.Fault("/"+key, "wait", "milliseconds from 0", "the wait is %s", frame.Clip(v))
		}
		w.delay += uint64(ns)
	}
	return w, nil
}

func count(list rawjson.Value) (n uint32) {
	list.Each(func(int, rawjson.Value) bool {
		n++
		return true
	})
	return n
}

// blockOf is the first known block size of which the prompt has that many blocks; the published one where none fits.
func blockOf(input, blocks uint32) uint32 {
	for _, b := range sizes {
		if (uint64(input)+uint64(b)-1)/uint64(b) == uint64(blocks) {
			return b
		}
	}
	return sizes[0]
}

// Build makes each request a branch of its own: its prompt is told whole, and what it shares with others are its blocks.
func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	rows := make([]row, len(t.Records))
	place := map[string]uint32{}
	for i := range t.Records {
		var err error
		if rows[i], err = parse(&t.Records[i]); err != nil {
			return nil, err
		}
		if rows[i].id != "" {
			place[rows[i].id] = uint32(i)
		}
	}
	out := &sdk.Trajectory{}
	for i := range rows {
		out.Turns = append(out.Turns, rows[i].turn(uint32(i), rows, place))
	}
	out.Turns[len(out.Turns)-1].Final = true
	return out, nil
}

func (w *row) turn(i uint32, rows []row, place map[string]uint32) sdk.Turn {
	answer := history.Filler("assistant", w.output, "answer-"+strconv.Itoa(int(i)))
	turn := sdk.Turn{
		Index: i, Branch: i, Append: []sdk.Message{w.prompt}, Recorded: &answer, ExactTokens: w.output, DelayNs: w.delay,
		Labels: history.Request("user"),
	}
	if i == 0 {
		return turn
	}
	turn.After = &sdk.After{}
	switch {
	case w.waits != nil:
		w.waits.Each(func(_ int, v rawjson.Value) bool {
			if j, ok := place[text(v)]; ok && j != i {
				turn.After.Turns = append(turn.After.Turns, j)
			}
			return true
		})
		if len(turn.After.Turns) == 0 { // at its own time
			turn.DelayNs += since(rows[0].time, w.time)
		}
	default:
		turn.After.Turns = []uint32{i - 1}
	}
	return turn
}

// since is how much later b is than a; 0 where either is not told.
func since(a, b int64) uint64 {
	if a == frame.NoTime || b == frame.NoTime || b < a {
		return 0
	}
	return uint64(b - a)
}
