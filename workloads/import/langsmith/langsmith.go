// Package langsmith reads the runs of LangSmith, as its API and its SDK give them: one run a line or a list of runs, each
// maybe with its child runs inside. The runs of one trace make a trajectory: its llm runs are the requests, in the order of
// their start; what lies between them, tools and chains, is the waits.
package langsmith

import (
	"strings"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/import/traced"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "langsmith",
		Summary: "runs of LangSmith: {id, trace_id, run_type, dotted_order, start_time, inputs, outputs}, one a line or a list of them",
		Paths:   []string{"", "*", "runs/*"},
		ByTime:  true,
		Losses: []frame.Loss{
			{Code: "runs", Text: "runs that are no requests to a model (chains, tools, retrievers, prompts): waits follow from the times between requests"},
			{Code: "lengths", Text: "requests without recorded messages: filler of the lengths that the usage tells"},
			{Code: "nothing", Text: "requests with neither messages nor usage, left out"},
			{Code: "odd", Text: "inputs of a shape that is not known: their JSON is the prompt"},
			{Code: "errors", Text: "requests that failed (error): without an answer on record"},
			{Code: "parts", Text: "parts of messages that are no text (images, files, reasoning that is not shown)"},
			{Code: "model", Text: "names of models: the run names it"},
			{Code: "params", Text: "parameters of requests that are not carried"},
			{Code: "thread", Text: "requests that name a thread of several traces (thread_id, session_id, conversation_id): each trace is a trajectory"},
			{Code: "stream", Text: "when the first token of an answer came (first_token_time, events)"},
			{Code: "about", Text: "requests with tags, feedback, costs or other notes"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	return r.Value.Get("run_type").Kind() == rawjson.String && r.Value.Get("id").Kind() == rawjson.String &&
		(r.Value.Get("trace_id") != nil || r.Value.Get("dotted_order") != nil || r.Value.Get("start_time") != nil)
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	if r.Value.Get("run_type").Kind() != rawjson.String {
		return r.Fault("/run_type", "run-type", "llm, chain, tool or another kind of run", "run_type is %s", frame.Clip(r.Value.Get("run_type")))
	}
	requests, err := find(r, "", r.Value, 0, nil)
	if err != nil {
		return err
	}
	lose(r.Value, s, 0)
	if len(requests) == 0 {
		return nil
	}
	key := traceOf(r.Value)
	if key == "" {
		return r.Fault("/trace_id", "trace", "the id of a trace", "the run belongs to no trace")
	}
	start := int64(frame.NoTime)
	for i := range requests {
		q := &requests[i]
		if start == frame.NoTime || q.Call.Start < start {
			start = q.Call.Start
		}
		q.lose(s)
	}
	s.Part(key, start)
	return nil
}

// traceOf gives the trace of a run: the trace that it names, or the run with which its order begins, or itself.
func traceOf(v rawjson.Value) string {
	if id, _ := v.Get("trace_id").Text(); id != "" {
		return id
	}
	order, _ := v.Get("dotted_order").Text()
	root, _, _ := strings.Cut(order, ".")
	if _, id, ok := strings.Cut(root, "Z"); ok && id != "" {
		return id
	}
	if parent := v.Get("parent_run_id"); !parent.Missing() {
		return ""
	}
	id, _ := v.Get("id").Text()
	return id
}

// isRequest reports whether a run is a request to a model: llm for LangSmith, chat_model for some of LangChain's tracers.
func isRequest(v rawjson.Value) bool {
	kind, _ := v.Get("run_type").Text()
	return kind == "llm" || kind == "chat_model"
}

// maxDepth bounds how deep runs lie in runs.
const maxDepth = 64

// find gathers the requests of a run and of its child runs.
func find(r *frame.Record, at string, v rawjson.Value, depth int, list []request) ([]request, error) {
	if depth > maxDepth {
		return nil, r.Fault(at, "too-deep", "at most 64 levels of runs", "runs lie in runs more than 64 levels deep")
	}
	if isRequest(v) {
		q, err := parse(r, at, v)
		if err != nil {
			return nil, err
		}
		if len(q.Call.Input) > 0 || q.Call.Usage.Input >= 0 {
			list = append(list, q)
		}
	}
	var err error
	v.Get("child_runs").Each(func(i int, child rawjson.Value) bool {
		list, err = find(r, frame.Pointer(at+"/child_runs", i), child, depth+1, list)
		return err == nil
	})
	return list, err
}

// Build makes the trajectory.
func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	var all []history.Told
	for i := range t.Records {
		list, err := find(&t.Records[i], "", t.Records[i].Value, 0, nil)
		if err != nil {
			return nil, err
		}
		for i := range list {
			all = append(all, list[i].Told)
		}
	}
	return traced.Trajectory(history.Distinct(all)), nil
}
