// Package langfuse reads what Langfuse exports: traces with their observations inside, or observations by themselves. The
// observations of one session, or of a trace that belongs to none, make a trajectory: its generations are the requests, in
// the order of their start; what lies between them, tools and other spans, is the waits.
package langfuse

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/import/traced"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "langfuse",
		Summary: "Langfuse's exports: traces {id, sessionId, observations} or observations {id, traceId, type, startTime, input, output}, one a line or a list",
		Paths:   []string{"", "*", "data/*"},
		ByTime:  true,
		Losses: []frame.Loss{
			{Code: "observations", Text: "observations that are no generations (spans, events, tools, agents): waits follow from the times between requests"},
			{Code: "traces", Text: "traces without their observations, left out"},
			{Code: "lengths", Text: "requests without recorded messages: filler of the lengths that the usage tells"},
			{Code: "nothing", Text: "requests with neither messages nor usage, left out"},
			{Code: "odd", Text: "inputs of a shape that is not known: their JSON is the prompt"},
			{Code: "errors", Text: "requests that failed (level ERROR): without an answer on record"},
			{Code: "parts", Text: "parts of messages that are no text (images, files, reasoning that is not shown)"},
			{Code: "model", Text: "names of models: the run names it"},
			{Code: "params", Text: "parameters of requests that are not carried"},
			{Code: "stream", Text: "when the first token of an answer came (completionStartTime)"},
			{Code: "about", Text: "costs, scores, prompts and notes of requests and traces"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool { return isTrace(r.Value) || isObservation(r.Value) }

func isTrace(v rawjson.Value) bool {
	list := v.Get("observations")
	if list.Kind() != rawjson.Array || v.Get("id").Kind() != rawjson.String {
		return false
	}
	first := history.First(list)
	return first == nil || first.Kind() == rawjson.String || first.Get("type").Kind() == rawjson.String
}

func isObservation(v rawjson.Value) bool {
	return v.Get("type").Kind() == rawjson.String && v.Get("id").Kind() == rawjson.String &&
		text(v, "traceId", "trace_id") != "" && field(v, "startTime", "start_time") != nil && v.Get("span_id") == nil
}

// field gives the first of some members that is there: the API's name, then that of the Python SDK and of table exports.
func field(v rawjson.Value, names ...string) rawjson.Value {
	for _, name := range names {
		if held := v.Get(name); !held.Missing() {
			return held
		}
	}
	return nil
}

func text(v rawjson.Value, names ...string) string {
	s, _ := field(v, names...).Text()
	return s
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	requests, err := find(r)
	if err != nil {
		return err
	}
	lose(r.Value, s)
	if len(requests) == 0 {
		return nil
	}
	key := text(r.Value, "sessionId", "session_id")
	if key == "" {
		key = text(r.Value, "traceId", "trace_id")
	}
	if key == "" {
		key = text(r.Value, "id")
	}
	if key == "" {
		return r.Fault("/id", "trace", "the id of a trace", "the record belongs to no trace")
	}
	start := int64(frame.NoTime)
	for i := range requests {
		if at := requests[i].Call.Start; start == frame.NoTime || at < start {
			start = at
		}
	}
	s.Part(key, start)
	return nil
}

// each calls yield for the observations of a record, with their places.
func each(v rawjson.Value, yield func(at string, o rawjson.Value) bool) {
	list := v.Get("observations")
	if list.Kind() != rawjson.Array {
		yield("", v)
		return
	}
	list.Each(func(i int, o rawjson.Value) bool { return yield(frame.Pointer("/observations", i), o) })
}

// find gathers the requests of a record.
func find(r *frame.Record) (list []request, err error) {
	each(r.Value, func(at string, o rawjson.Value) bool {
		if text(o, "type") != "GENERATION" {
			return true
		}
		var q request
		if q, err = parse(r, at, o); err == nil && !q.empty() {
			list = append(list, q)
		}
		return err == nil
	})
	return list, err
}

// Build makes the trajectory. Exports by pages may repeat themselves, and generations lie inside each other.
func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	var all []history.Told
	for i := range t.Records {
		list, err := find(&t.Records[i])
		if err != nil {
			return nil, err
		}
		for i := range list {
			all = append(all, list[i].Told)
		}
	}
	return traced.Trajectory(history.Distinct(all)), nil
}
