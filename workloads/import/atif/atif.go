// Package atif reads trajectories in the Agent Trajectory Interchange Format of Harbor, v1.0 to v1.8. Trajectories of
// sub-agents that a document holds are trajectories of their own.
package atif

import (
	"strings"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "atif",
		Summary: "the Agent Trajectory Interchange Format of Harbor, ATIF-v1.0 to v1.8: {schema_version, agent, steps}",
		Paths:   []string{"", "*"},
		Losses: []frame.Loss{
			{Code: "subagents", Text: "sub-agents' trajectories inside a document: each becomes a trajectory of its own"},
			{Code: "ids", Text: "answers with token ids or log probabilities"},
			{Code: "cost", Text: "costs of answers"},
			{Code: "final", Text: "sums over a trajectory (final_metrics)"},
			{Code: "context", Text: "steps copied from an earlier trajectory: they are history and no requests"},
			{Code: "calls", Text: "agent steps that stand for several calls of the model or for none (llm_call_count), taken as one or as history"},
			{Code: "parts", Text: "parts of messages that are no text"},
			{Code: "continued", Text: "references to a trajectory that goes on in another file"},
			{Code: "waits", Text: "waits for tools: a step tells when it was, not when its tools were done"},
			{Code: "untimed", Text: "agent steps without a timestamp"},
			{Code: "tail", Text: "messages and observations after the last answer, which were never sent"},
			{Code: "effort", Text: "reasoning efforts of steps"},
			{Code: "notes", Text: "notes and extra fields"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	version, _ := r.Value.Get("schema_version").Text()
	return strings.HasPrefix(version, "ATIF-v1.")
}

func (d reader) Scan(r *frame.Record, s *frame.Scan) error {
	if !d.Detect(r) {
		return r.Fault("/schema_version", "schema-version", "ATIF-v1.0 to ATIF-v1.8", "schema_version is %s", frame.Clip(r.Value.Get("schema_version")))
	}
	return scan(r, "", r.Value, "", s)
}

// scan tells of one trajectory and of those inside it. The key of one inside is the pointer to it behind the record's place, so
// that Build finds it.
func scan(r *frame.Record, at string, v rawjson.Value, parent string, s *frame.Scan) error {
	steps := v.Get("steps")
	if steps.Kind() != rawjson.Array || steps.Empty() {
		return r.Fault(at+"/steps", "steps", "a list of steps", "steps is %s", frame.Clip(steps))
	}
	id := ident(v)
	if at != "" {
		id = parent + at + "/" + id
		s.Lose("subagents", 1)
	}
	lose(s, v, "final_metrics", "final", "continued_trajectory_ref", "continued", "notes", "notes", "extra", "notes")
	start := scanSteps(steps, s)
	s.Whole(id, start)
	var err error
	v.Get("subagent_trajectories").Each(func(i int, child rawjson.Value) bool {
		err = scan(r, frame.Pointer(at+"/subagent_trajectories", i), child, ident(r.Value), s)
		return err == nil
	})
	return err
}

// lose counts the fields that are there: pairs of a field's name and the code of its loss.
func lose(s *frame.Scan, v rawjson.Value, pairs ...string) {
	for i := 0; i < len(pairs); i += 2 {
		if !v.Get(pairs[i]).Missing() {
			s.Lose(pairs[i+1], 1)
		}
	}
}

// ident is a trajectory's id: its own, else that of its session.
func ident(v rawjson.Value) string {
	for _, name := range []string{"trajectory_id", "session_id"} {
		if id, _ := v.Get(name).Text(); id != "" {
			return id
		}
	}
	return ""
}

func scanSteps(steps rawjson.Value, s *frame.Scan) (start int64) {
	start = frame.NoTime
	tail := 0
	steps.Each(func(_ int, step rawjson.Value) bool {
		when := history.Instant(step.Get("timestamp"), 0)
		if start == frame.NoTime {
			start = when
		}
		lose(s, step.Get("metrics"), "completion_token_ids", "ids", "logprobs", "ids", "cost_usd", "cost")
		lose(s, step, "reasoning_effort", "effort", "extra", "notes")
		s.Lose("parts", history.Parts(step.Get("message")))
		tail++
		if !agent(step) {
			return true
		}
		tail = 0
		if !step.Get("observation").Get("results").Empty() {
			tail = 1
			s.Lose("waits", 1)
		}
		if copied(step) {
			s.Lose("context", 1)
		}
		if n, ok := rawjson.Integer(step.Get("llm_call_count")); ok && n != 1 {
			s.Lose("calls", 1)
		}
		if when == frame.NoTime {
			s.Lose("untimed", 1)
		}
		return true
	})
	s.Lose("tail", tail)
	return start
}

func agent(step rawjson.Value) bool {
	source, _ := step.Get("source").Text()
	return source == "agent"
}

func copied(step rawjson.Value) bool { return string(step.Get("is_copied_context")) == "true" }

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	r := &t.Records[0]
	at, v := find(r.Value, t.Key)
	b := builder{record: r}
	v.Get("steps").Each(func(i int, step rawjson.Value) bool {
		b.step(frame.Pointer(at+"/steps", i), step)
		return b.err == nil
	})
	out := &sdk.Trajectory{Turns: b.list.Turns()}
	if name, _ := v.Get("agent").Get("name").Text(); name != "" {
		out.Labels = []sdk.Label{{Key: "agent", Value: name}}
	}
	if tools := v.Get("agent").Get("tool_definitions"); tools.Kind() == rawjson.Array && !tools.Empty() {
		out.Defaults = &sdk.Defaults{Tools: history.Tools(tools)}
	}
	return out, b.err
}

// find gives the trajectory of a key in a document, and the pointer to it: inner ones have their pointer in the key.
func find(v rawjson.Value, key string) (string, rawjson.Value) {
	at := ""
	_, rest, inner := strings.Cut(key, "/subagent_trajectories/")
	for inner {
		number, more, _ := strings.Cut(rest, "/")
		at += "/subagent_trajectories/" + number
		v = element(v.Get("subagent_trajectories"), number)
		_, rest, inner = strings.Cut("/"+more, "/subagent_trajectories/")
	}
	return at, v
}
