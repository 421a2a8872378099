// Package weka reads the traces of kv-cache-tester and AgentX: one JSON document a session, whose requests tell lengths,
// hashes of blocks and thinking times, with the requests of sub-agents inside.
package weka

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
		Name:    "weka",
		Summary: "sessions of kv-cache-tester and AgentX: {id, block_size, requests: [{t, type, in, out, hash_ids, think_time}]}, sub-agents inside",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "measured", Text: "measured times of requests (api_time, ttft)"},
			{Code: "models", Text: "models of requests (model, models)"},
			{Code: "types", Text: "kinds of inputs and outputs and reasons to stop (input_types, output_types, stop)"},
			{Code: "pairs", Text: "requests that repeat the one before them without streaming; each pair is one request"},
			{Code: "subagent", Text: "summaries of sub-agents (duration_ms, total_tokens, tool_use_count, status); their requests are kept"},
			{Code: "deep", Text: "sub-agents nested deeper than 8 levels"},
		},
		Reader: reader{},
	}
}

// maxDepth bounds how deep sub-agents may be nested.
const maxDepth = 8

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	return r.Value.Get("block_size").Kind() == rawjson.Number && r.Value.Get("requests").Kind() == rawjson.Array
}

func (d reader) Scan(r *frame.Record, s *frame.Scan) error {
	if r.Value.Get("requests").Kind() != rawjson.Array || r.Value.Get("requests").Empty() {
		return r.Fault("/requests", "requests", "a list of requests", "requests is %s", frame.Clip(r.Value.Get("requests")))
	}
	id := ""
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "block_size", "hash_id_scope", "requests", "tool_tokens", "system_tokens":
		case "id":
			id, _ = v.Text()
		case "models":
			s.Lose("models", 1)
		default:
			s.Strange(string(key))
		}
	})
	lose(r.Value.Get("requests"), s, 1)
	if _, err := d.turns(r); err != nil {
		return err
	}
	s.Whole(id, frame.NoTime)
	return nil
}

// lose counts what is not kept of a list of requests.
func lose(list rawjson.Value, s *frame.Scan, depth int) {
	var before rawjson.Value
	list.Each(func(_ int, v rawjson.Value) bool {
		sub := isSubagent(v)
		if sub && depth >= maxDepth {
			s.Lose("deep", 1)
			return true
		}
		fields(v, s, sub)
		if sub {
			lose(v.Get("requests"), s, depth+1)
		}
		if again(before, v) {
			s.Lose("pairs", 1)
		}
		before = v
		return true
	})
}

func fields(v rawjson.Value, s *frame.Scan, sub bool) {
	counted := map[string]bool{}
	once := func(code string) {
		if !counted[code] {
			counted[code] = true
			s.Lose(code, 1)
		}
	}
	v.Fields(func(key []byte, _ rawjson.Value) {
		switch string(key) {
		case "t", "type", "in", "out", "hash_ids", "think_time", "agent_id", "subagent_type", "requests", "tool_tokens", "system_tokens":
		case "api_time", "ttft":
			once("measured")
		case "model", "models":
			once("models")
		case "input_types", "output_types", "stop":
			once("types")
		case "duration_ms", "total_tokens", "tool_use_count", "status":
			if sub {
				once("subagent")
				return
			}
			s.Strange(string(key))
		default:
			s.Strange(string(key))
		}
	})
}

func isSubagent(v rawjson.Value) bool {
	kind, _ := v.Get("type").Text()
	return kind == "subagent"
}

// again reports whether a request is the one before it once more, without streaming.
func again(before, v rawjson.Value) bool {
	if before == nil {
		return false
	}
	first, _ := before.Get("type").Text()
	second, _ := v.Get("type").Text()
	return first == "s" && second == "n" && !v.Get("hash_ids").Empty() && string(before.Get("hash_ids")) == string(v.Get("hash_ids"))
}

func (d reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	turns, err := d.turns(&t.Records[0])
	if err != nil {
		return nil, err
	}
	return &sdk.Trajectory{Turns: turns}, nil
}

func (reader) turns(r *frame.Record) ([]sdk.Turn, error) {
	block, err := history.Count(r, "/block_size", r.Value.Get("block_size"))
	if err != nil {
		return nil, err
	}
	if block == 0 {
		return nil, r.Fault("/block_size", "block-size", "tokens of a block, from 1", "the block size is 0")
	}
	b := &builder{record: r, block: block, scope: sdk.ScopeTrajectory}
	if scope, _ := r.Value.Get("hash_id_scope").Text(); scope == "global" {
		b.scope = sdk.ScopeWorkload
	}
	if _, err := b.list("/requests", r.Value.Get("requests"), nil, "", 1); err != nil {
		return nil, err
	}
	if len(b.turns) == 0 {
		return nil, r.Fault("/requests", "requests", "at least one request", "the session has no request")
	}
	b.turns[b.last].Final = true
	return b.turns, nil
}

// builder makes each request a branch of its own: its prompt is told whole, and what it shares with others are its blocks.
type builder struct {
	record *frame.Record
	block  uint32
	scope  sdk.Scope
	turns  []sdk.Turn
	last   int // turn of the main line
}

// list adds the requests of one agent, one after another. The first ones wait for after. Sub-agents begin when the request
// before them is answered; the next request waits for all of them. What comes last is what whoever comes then waits for.
func (b *builder) list(at string, list rawjson.Value, after []uint32, agent string, depth int) ([]uint32, error) {
	waits, start := after, after
	var before rawjson.Value
	var err error
	list.Each(func(i int, v rawjson.Value) bool {
		here := frame.Pointer(at, i)
		switch {
		case isSubagent(v):
			if depth >= maxDepth {
				break
			}
			var ends []uint32
			name, _ := v.Get("agent_id").Text()
			if ends, err = b.list(here+"/requests", v.Get("requests"), start, name, depth+1); err == nil {
				waits = join(waits, ends)
			}
		case !again(before, v):
			if err = b.request(here, v, waits, agent); err == nil {
				start = []uint32{uint32(len(b.turns) - 1)}
				waits = start
				if depth == 1 {
					b.last = len(b.turns) - 1
				}
			}
		}
		before = v
		return err == nil
	})
	return waits, err
}

// join adds the turns of the second list to the first, each once.
func join(a, b []uint32) []uint32 {
	out := append([]uint32(nil), a...)
	for _, n := range b {
		known := false
		for _, m := range out {
			known = known || m == n
		}
		if !known {
			out = append(out, n)
		}
	}
	return out
}

func (b *builder) request(at string, v rawjson.Value, after []uint32, agent string) error {
	input, err := history.Count(b.record, at+"/in", v.Get("in"))
	if err != nil {
		return err
	}
	output, err := history.Count(b.record, at+"/out", v.Get("out"))
	if err != nil {
		return err
	}
	i := uint32(len(b.turns))
	prompt, err := history.Prompt(b.record, at+"/hash_ids", v.Get("hash_ids"), input, b.block, "prompt-"+agent, "rest-"+strconv.Itoa(int(i)), b.scope)
	if err != nil {
		return err
	}
	answer := history.Filler("assistant", output, "answer-"+strconv.Itoa(int(i)))
	turn := sdk.Turn{Index: i, Branch: i, Append: []sdk.Message{prompt}, Recorded: &answer, ExactTokens: output, Labels: history.Request("user")}
	if think := v.Get("think_time"); !think.Missing() {
		ns, ok := rawjson.Scaled(think, 9)
		if !ok || ns < 0 {
			return b.record.Fault(at+"/think_time", "wait", "seconds from 0", "the thinking time is %s", frame.Clip(think))
		}
		turn.DelayNs = uint64(ns)
	}
	if agent != "" {
		turn.Labels = []sdk.Label{{Key: "agent", Value: agent}, turn.Labels[0]}
	}
	if i > 0 {
		turn.After = &sdk.After{Turns: after}
	}
	b.turns = append(b.turns, turn)
	return nil
}
