package langsmith

import (
	"strings"
	"time"

	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/import/traced"
	"paceline/workloads/rawjson"
)

// request is one llm run.
type request struct {
	history.Told
	odd           bool
	other, params int // parts and parameters that are not kept
	value         rawjson.Value
}

func parse(r *frame.Record, at string, v rawjson.Value) (request, error) {
	q := request{value: v}
	q.ID, _ = v.Get("id").Text()
	q.Parent, _ = v.Get("parent_run_id").Text()
	q.Order, _ = v.Get("dotted_order").Text()
	q.Call = history.Call{Start: history.Instant(v.Get("start_time"), 3), End: history.Instant(v.Get("end_time"), 3)}
	if q.Call.Start == frame.NoTime {
		q.Call.Start = ordered(q.Order)
	}
	for _, name := range []string{"start_time", "end_time"} {
		if told := v.Get(name); !told.Missing() && history.Instant(told, 3) == frame.NoTime {
			return q, r.Fault(at+"/"+name, "time", "an ISO 8601 time", "the time is %s", frame.Clip(told))
		}
	}
	if q.Call.End != frame.NoTime && q.Call.End < q.Call.Start {
		return q, r.Fault(at+"/end_time", "time", "a time after the start", "the run ends before it starts")
	}
	q.messages(v)
	return q, nil
}

// messages reads inputs, outputs and all that belongs to the request.
func (q *request) messages(v rawjson.Value) {
	inputs, invocation := v.Get("inputs"), v.Get("extra").Get("invocation_params")
	in := traced.Input(inputs)
	in.AddTools(inputs.Get("tools"))
	in.AddTools(invocation.Get("tools"))
	c := &q.Call
	c.Input, c.Tools, q.odd = in.Messages, in.ToolList(), in.Odd
	c.Params, c.MaxTokens, q.params = traced.Params(invocation, beside(inputs))
	var other int
	if v.Get("error").Missing() {
		c.Output, other = traced.Output(v.Get("outputs"))
	}
	q.other = in.Other + other
	c.Usage = usage(v)
}

// beside gives inputs as parameters where they are those of an API's request.
func beside(inputs rawjson.Value) rawjson.Value {
	if inputs.Get("model") != nil {
		return inputs
	}
	return nil
}

// usage takes the run's own counts, then those that the answer tells.
func usage(v rawjson.Value) history.Usage {
	u := traced.Usage(v)
	if n := history.Tokens(v.Get("prompt_token_details").Get("cache_read")); n >= 0 {
		u.Cached = n
	}
	if n := history.Tokens(v.Get("completion_token_details").Get("reasoning")); n >= 0 {
		u.Reasoning = n
	}
	if u.Input > 0 || u.Output > 0 {
		return u
	}
	outputs := v.Get("outputs")
	message := history.First(history.First(outputs.Get("generations"))).Get("message")
	for _, told := range []rawjson.Value{
		outputs.Get("usage_metadata"), outputs.Get("usage"), outputs.Get("llm_output").Get("token_usage"), outputs.Get("llm_output").Get("usage"),
		message.Get("kwargs").Get("usage_metadata"), message.Get("usage_metadata"), outputs.Get("kwargs").Get("usage_metadata"),
		v.Get("extra").Get("metadata").Get("usage_metadata"),
	} {
		if found := traced.Usage(told); found.Input >= 0 {
			return found
		}
	}
	return u
}

// ordered reads the time of the last step of a dotted order, 20240429T004912090000Z<id>.
func ordered(order string) int64 {
	last := order[strings.LastIndexByte(order, '.')+1:]
	stamp, _, ok := strings.Cut(last, "Z")
	if !ok || len(stamp) < len("20060102T150405") {
		return frame.NoTime
	}
	text := stamp[:15]
	if fraction := stamp[15:]; fraction != "" {
		text += "." + fraction
	}
	t, err := time.Parse("20060102T150405.999999999", text)
	if err != nil {
		return frame.NoTime
	}
	return t.UnixNano()
}
