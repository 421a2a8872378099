// Package sweagent reads the .traj files of SWE-agent. Where a step holds the query that was sent, the requests are those
// queries, also where an earlier observation was shortened in between; else they follow from the history at the end.
package sweagent

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "swe-agent",
		Summary: "trajectories of SWE-agent (.traj): {trajectory: [{response, observation, query, execution_time}], history, info}",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "info", Text: "results and costs (info)"},
			{Code: "state", Text: "states of the environment after a step"},
			{Code: "query", Text: "steps without the query that was sent: the request is the history at the end"},
			{Code: "tools", Text: "trajectories whose answers call tools, of which the file holds no definitions"},
			{Code: "thinking", Text: "thinking blocks of answers"},
			{Code: "untimed", Text: "steps without execution_time: no wait before the request after them"},
			{Code: "replay", Text: "configurations for replaying (replay_config)"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	steps := r.Value.Get("trajectory")
	ok := steps.Kind() == rawjson.Array
	steps.Each(func(_ int, step rawjson.Value) bool {
		ok = step.Get("observation") != nil && step.Get("action") != nil
		return false
	})
	return ok
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	steps := r.Value.Get("trajectory")
	if steps.Kind() != rawjson.Array || steps.Empty() {
		return r.Fault("/trajectory", "trajectory", "a list of steps", "trajectory is %s", frame.Clip(steps))
	}
	id := ""
	r.Value.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "trajectory":
		case "environment", "instance_id":
			if text, _ := v.Text(); text != "" && (id == "" || string(key) == "instance_id") {
				id = text
			}
		case "info":
			s.Lose("info", 1)
		case "replay_config":
			s.Lose("replay", 1)
		case "history":
			scanHistory(v, s)
		default:
			s.Strange(string(key))
		}
	})
	steps.Each(func(_ int, step rawjson.Value) bool {
		if !step.Get("state").Missing() {
			s.Lose("state", 1)
		}
		if query(step) == nil {
			s.Lose("query", 1)
		}
		if step.Get("execution_time").Missing() {
			s.Lose("untimed", 1)
		}
		return true
	})
	s.Whole(id, frame.NoTime)
	return nil
}

func scanHistory(list rawjson.Value, s *frame.Scan) {
	tools := false
	list.Each(func(_ int, m rawjson.Value) bool {
		tools = tools || !m.Get("tool_calls").Empty()
		if !m.Get("thinking_blocks").Empty() {
			s.Lose("thinking", 1)
		}
		return true
	})
	if tools {
		s.Lose("tools", 1)
	}
}

// query gives the messages that a step sent; nil where the file holds none.
func query(step rawjson.Value) rawjson.Value {
	for _, name := range []string{"query", "messages"} {
		if v := step.Get(name); v.Kind() == rawjson.Array && !v.Empty() {
			return v
		}
	}
	return nil
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	r := &t.Records[0]
	var calls []history.Call
	var waits []uint64
	var err error
	whole := true
	r.Value.Get("trajectory").Each(func(i int, step rawjson.Value) bool {
		wait, ok := rawjson.Scaled(step.Get("execution_time"), 9)
		if !ok || wait < 0 {
			wait = 0
		}
		waits = append(waits, uint64(wait))
		sent := query(step)
		whole = whole && sent != nil
		call := history.Call{Start: frame.NoTime, End: frame.NoTime, Usage: history.NoUsage()}
		if i > 0 {
			call.Delay = waits[i-1]
		}
		if call.Input, err = messages(r, frame.Pointer("/trajectory", i)+"/query", sent); err != nil {
			return false
		}
		call.Output = answer(step)
		calls = append(calls, call)
		return true
	})
	if err != nil {
		return nil, err
	}
	if whole {
		return history.Trajectory(calls), nil
	}
	return fromHistory(r, waits)
}

// answer is what a step got from the model: the text, and the thought apart where it is.
func answer(step rawjson.Value) *sdk.Message {
	text, _ := history.Content(step.Get("response"))
	if text == "" {
		text, _ = history.Content(step.Get("thought"))
	}
	m := history.Text("assistant", text)
	return &m
}

// fromHistory makes the requests of the messages that the agent had at its end.
func fromHistory(r *frame.Record, waits []uint64) (*sdk.Trajectory, error) {
	list := r.Value.Get("history")
	if list.Kind() != rawjson.Array || list.Empty() {
		return nil, r.Fault("/history", "history", "a list of messages, or steps with query", "the file holds neither the queries of its steps nor a history")
	}
	var l history.Linear
	var err error
	n := 0
	list.Each(func(i int, v rawjson.Value) bool {
		m, role, failed := message(r, frame.Pointer("/history", i), v)
		if err = failed; err != nil {
			return false
		}
		if role != "assistant" {
			l.Client(m, history.Kind(role), frame.NoTime)
			return true
		}
		l.Answer(m, frame.NoTime)
		if n < len(waits) {
			l.Delay(waits[n])
		}
		n++
		return true
	})
	return &sdk.Trajectory{Turns: l.Turns()}, err
}

func messages(r *frame.Record, at string, list rawjson.Value) ([]sdk.Message, error) {
	var out []sdk.Message
	var err error
	list.Each(func(i int, v rawjson.Value) bool {
		m, _, failed := message(r, frame.Pointer(at, i), v)
		out, err = append(out, m), failed
		return err == nil
	})
	return out, err
}

// message reads one entry of a history: a chat message, whose tool results name their calls in a list.
func message(r *frame.Record, at string, v rawjson.Value) (sdk.Message, string, error) {
	role, _ := v.Get("role").Text()
	if role != "tool" {
		return history.Chat(r, at, v)
	}
	id := ""
	v.Get("tool_call_ids").Each(func(_ int, v rawjson.Value) bool {
		id, _ = v.Text()
		return false
	})
	if id == "" {
		id, _ = v.Get("tool_call_id").Text()
	}
	text, _ := history.Content(v.Get("content"))
	return history.Result(id, text), role, nil
}
