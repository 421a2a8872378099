package langfuse

import (
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/import/traced"
	"paceline/workloads/rawjson"
)

// request is one generation.
type request struct {
	history.Told
	odd           bool
	other, params int // parts and parameters that are not kept
}

// empty reports whether neither messages nor usage are on record.
func (q *request) empty() bool { return len(q.Call.Input) == 0 && q.Call.Usage.Input < 0 }

func parse(r *frame.Record, at string, o rawjson.Value) (request, error) {
	q := request{Told: history.Told{ID: text(o, "id"), Parent: text(o, "parentObservationId", "parent_observation_id")}}
	var err error
	if q.Call.Start, err = instant(r, at, o, "startTime", "start_time"); err != nil {
		return q, err
	}
	if q.Call.End, err = instant(r, at, o, "endTime", "end_time"); err != nil {
		return q, err
	}
	if q.Call.Start == frame.NoTime {
		return q, r.Fault(at+"/startTime", "time", "an ISO 8601 time", "the generation tells no start")
	}
	if q.Call.End != frame.NoTime && q.Call.End < q.Call.Start {
		return q, r.Fault(at+"/endTime", "time", "a time after the start", "the generation ends before it starts")
	}
	q.messages(o)
	return q, nil
}

func instant(r *frame.Record, at string, o rawjson.Value, names ...string) (int64, error) {
	for _, name := range names {
		told := o.Get(name)
		if told.Missing() {
			continue
		}
		when := history.Instant(told, 3)
		if when == frame.NoTime {
			return 0, r.Fault(at+"/"+name, "time", "an ISO 8601 time", "the time is %s", frame.Clip(told))
		}
		return when, nil
	}
	return frame.NoTime, nil
}

// messages reads input, output and all that belongs to the request.
func (q *request) messages(o rawjson.Value) {
	in := traced.Input(o.Get("input"))
	input := traced.Embedded(o.Get("input"))
	in.AddTools(traced.Embedded(field(o, "toolDefinitions", "tool_definitions")))
	c := &q.Call
	c.Input, c.Tools, q.odd = in.Messages, in.ToolList(), in.Odd
	settings := traced.Embedded(field(o, "modelParameters", "model_parameters"))
	c.Params, c.MaxTokens, q.params = traced.Params(settings, members(input))
	var other int
	if text(o, "level") != "ERROR" {
		c.Output, other = traced.Output(o.Get("output"))
	}
	q.other = in.Other + other
	c.Usage = usage(o)
}

// members gives an input as parameters where it is the body of a request.
func members(input rawjson.Value) rawjson.Value {
	if input.Get("messages") != nil {
		return input
	}
	return nil
}

// usage takes usageDetails, then the older usage, then the counts beside them.
func usage(o rawjson.Value) history.Usage {
	beside := history.WithMember(nil, "promptTokens", field(o, "promptTokens", "prompt_tokens", "inputUsage"))
	beside = history.WithMember(beside, "completionTokens", field(o, "completionTokens", "completion_tokens", "outputUsage"))
	for _, told := range []rawjson.Value{traced.Embedded(field(o, "usageDetails", "usage_details")), o.Get("usage"), beside} {
		if u := traced.Usage(told); u.Input > 0 || u.Output > 0 {
			return u
		}
	}
	return history.NoUsage()
}
