package langfuse

import (
	"paceline/workloads/import/frame"
	"paceline/workloads/rawjson"
)

// lose counts what is not kept of a record.
func lose(v rawjson.Value, s *frame.Scan) {
	if list := v.Get("observations"); list.Kind() == rawjson.Array {
		loseTrace(v, s)
	}
	each(v, func(at string, o rawjson.Value) bool {
		if o.Kind() != rawjson.Object { // the id of one
			return true
		}
		fields(o, s)
		if text(o, "type") != "GENERATION" {
			s.Lose("observations", 1)
			return true
		}
		var q request
		q.messages(o)
		q.lose(o, s)
		return true
	})
}

func loseTrace(v rawjson.Value, s *frame.Scan) {
	objects, about := 0, false
	v.Get("observations").Each(func(_ int, o rawjson.Value) bool {
		if o.Kind() == rawjson.Object {
			objects++
		}
		return true
	})
	if objects == 0 {
		s.Lose("traces", 1)
	}
	v.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "id", "timestamp", "name", "input", "output", "sessionId", "observations", "createdAt", "updatedAt", "externalId", "environment",
			"projectId", "htmlPath", "latency", "bookmarked", "public", "session_id":
		case "userId", "metadata", "tags", "totalCost", "scores", "release", "version", "user_id":
			about = about || told(v)
		default:
			s.Strange(string(key))
		}
	})
	if about {
		s.Lose("about", 1)
	}
}

// told reports whether a note says anything.
func told(v rawjson.Value) bool {
	return !v.Missing() && string(v) != "[]" && string(v) != "{}" && string(v) != `""` && string(v) != "0"
}

// fields counts what stands beside an observation's request.
func fields(o rawjson.Value, s *frame.Scan) {
	about, model, stream := false, false, false
	o.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "id", "traceId", "trace_id", "type", "name", "startTime", "start_time", "endTime", "end_time", "input", "output", "usageDetails",
			"usage_details", "usage", "usagePricingTierName", "usagePricingTierId", "modelParameters", "model_parameters", "parentObservationId",
			"parent_observation_id", "level", "projectId", "project_id", "environment", "createdAt", "created_at", "updatedAt", "updated_at",
			"sessionId", "session_id", "latency", "timeToFirstToken", "time_to_first_token", "unit", "promptTokens", "completionTokens",
			"totalTokens", "prompt_tokens", "completion_tokens", "total_tokens", "inputUsage", "outputUsage", "totalUsage", "version",
			"toolDefinitions", "tool_definitions", "toolCalls", "tool_calls", "toolCallNames", "tool_call_names", "isRootObservation",
			"is_root_observation":
		case "model", "modelId", "model_id", "internalModelId", "internal_model_id", "providedModelName", "provided_model_name":
			model = model || !v.Missing()
		case "completionStartTime", "completion_start_time":
			stream = !v.Missing()
		case "metadata", "costDetails", "cost_details", "statusMessage", "status_message", "promptId", "prompt_id", "promptName", "prompt_name",
			"promptVersion", "prompt_version", "calculatedInputCost", "calculatedOutputCost", "calculatedTotalCost", "inputPrice",
			"outputPrice", "totalPrice", "inputCost", "outputCost", "totalCost", "total_cost", "input_price", "output_price", "total_price",
			"userId", "user_id", "tags", "release", "traceName", "trace_name", "usage_pricing_tier_name", "bookmarked", "public", "scores":
			about = about || told(v)
		default:
			s.Strange(string(key))
		}
	})
	if text(o, "type") != "GENERATION" {
		return
	}
	for _, l := range [...]struct {
		code string
		is   bool
	}{{"about", about}, {"model", model}, {"stream", stream}} {
		if l.is {
			s.Lose(l.code, 1)
		}
	}
}

// lose counts what is not kept of a request.
func (q *request) lose(o rawjson.Value, s *frame.Scan) {
	switch {
	case q.empty():
		s.Lose("nothing", 1)
		return
	case len(q.Call.Input) == 0:
		s.Lose("lengths", 1)
	}
	if q.odd {
		s.Lose("odd", 1)
	}
	if text(o, "level") == "ERROR" {
		s.Lose("errors", 1)
	}
	s.Lose("parts", q.other)
	s.Lose("params", q.params)
}
