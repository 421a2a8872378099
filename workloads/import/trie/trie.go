// Package trie reads the length-only traces that Applied Compute published: one JSON object a line, with the lengths in
// tokens and the tool waits of one agent session. The texts are filler of those lengths.
package trie

import (
	"math"
	"strconv"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name: "trie", Summary: "length-only traces as Applied Compute published them: one JSON object a line, lengths in tokens and tool waits in seconds",
		Paths:  []string{"", "*"},
		Reader: reader{},
	}
}

type reader struct{}

// row is one trace, as it stands in the file.
type row struct {
	input, final           int64
	answers, tools, delays []rawjson.Value
}

func (reader) Detect(r *frame.Record) bool {
	return r.Value.Get("input_prompt_length").Kind() == rawjson.Number && r.Value.Get("assistant_response_length").Kind() == rawjson.Array
}

func (d reader) Scan(r *frame.Record, s *frame.Scan) error {
	if !d.Detect(r) {
		return r.Fault("", "trie", "input_prompt_length, assistant_response_length and the other four fields", "the record is no length-only trace")
	}
	r.Value.Fields(func(key []byte, _ rawjson.Value) {
		switch string(key) {
		case "num_turns", "input_prompt_length", "assistant_response_length", "tool_call_output_length", "tool_call_latency", "final_assistant_response_length":
		default:
			s.Strange(string(key))
		}
	})
	s.Whole("", frame.NoTime)
	return nil
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	r := &t.Records[0]
	row, err := parse(r)
	if err != nil {
		return nil, err
	}
	out := &sdk.Trajectory{}
	for i := range len(row.answers) + 1 {
		turn, err := row.turn(r, i)
		if err != nil {
			return nil, err
		}
		out.Turns = append(out.Turns, turn)
	}
	return out, nil
}

// turn makes one request. The results of tools are user messages, since the assistant messages before them are filler and
// call no tools.
func (w *row) turn(r *frame.Record, i int) (sdk.Turn, error) {
	turn := sdk.Turn{Index: uint32(i), Final: i == len(w.answers), Labels: []sdk.Label{{Key: "request", Value: "user"}}}
	length, answer := w.input, w.final
	var err error
	if i > 0 {
		at := strconv.Itoa(i - 1)
		if length, err = count(r, "/tool_call_output_length/"+at, w.tools[i-1]); err != nil {
			return turn, err
		}
		delay, ok := rawjson.Scaled(w.delays[i-1], 9)
		if !ok || delay < 0 {
			return turn, r.Fault("/tool_call_latency/"+at, "tool-latency", "seconds from 0", "the latency is %s", frame.Clip(w.delays[i-1]))
		}
		turn.DelayNs, turn.Labels[0].Value = uint64(delay), "tool"
	}
	if i < len(w.answers) {
		if answer, err = count(r, "/assistant_response_length/"+strconv.Itoa(i), w.answers[i]); err != nil {
			return turn, err
		}
	}
	turn.Append = []sdk.Message{history.Filler("user", uint32(length), "in-"+strconv.Itoa(i))}
	recorded := history.Filler("assistant", uint32(answer), "out-"+strconv.Itoa(i))
	turn.Recorded, turn.ExactTokens = &recorded, uint32(answer)
	return turn, nil
}

func count(r *frame.Record, pointer string, v rawjson.Value) (int64, error) {
	n, ok := rawjson.Integer(v)
	if !ok || n < 0 || n > math.MaxInt32 {
		return 0, r.Fault(pointer, "token-count", "a whole number of tokens from 0", "the length is %s", frame.Clip(v))
	}
	return n, nil
}

func parse(r *frame.Record) (row, error) {
	var out row
	turns, err := count(r, "/num_turns", r.Value.Get("num_turns"))
	if err != nil {
		return out, err
	}
	if out.input, err = count(r, "/input_prompt_length", r.Value.Get("input_prompt_length")); err != nil {
		return out, err
	}
	if out.final, err = count(r, "/final_assistant_response_length", r.Value.Get("final_assistant_response_length")); err != nil {
		return out, err
	}
	for _, l := range []struct {
		name string
		to   *[]rawjson.Value
	}{{"assistant_response_length", &out.answers}, {"tool_call_output_length", &out.tools}, {"tool_call_latency", &out.delays}} {
		r.Value.Get(l.name).Each(func(_ int, v rawjson.Value) bool {
			*l.to = append(*l.to, v)
			return true
		})
		if int64(len(*l.to)) != turns {
			return out, r.Fault("/"+l.name, "list-length", "num_turns elements", "the list has %d elements, and num_turns is %d", len(*l.to), turns)
		}
	}
	return out, nil
}
