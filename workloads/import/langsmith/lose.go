package langsmith

import (
	"paceline/workloads/import/frame"
	"paceline/workloads/rawjson"
)

// lose counts what is not kept of a run and of its child runs, whatever they are.
func lose(v rawjson.Value, s *frame.Scan, depth int) {
	if depth > maxDepth {
		return
	}
	request := isRequest(v)
	if !request {
		s.Lose("runs", 1)
	}
	about, stream := false, false
	v.Fields(func(key []byte, v rawjson.Value) {
		switch string(key) {
		case "id", "trace_id", "dotted_order", "parent_run_id", "parent_run_ids", "name", "run_type", "start_time", "end_time", "inputs",
			"outputs", "error", "extra", "child_runs", "child_run_ids", "direct_child_run_ids", "session_id", "session_name", "status",
			"prompt_tokens", "completion_tokens", "total_tokens", "prompt_token_details", "completion_token_details", "usage_metadata":
		case "first_token_time", "events":
			stream = stream || !v.Missing() && (v.Kind() != rawjson.Array || !v.Empty())
		case "tags", "feedback_stats", "total_cost", "prompt_cost", "completion_cost", "prompt_cost_details", "completion_cost_details",
			"reference_example_id", "reference_dataset_id", "serialized", "manifest_id", "manifest_s3_id", "attachments", "app_path",
			"in_dataset", "share_token", "last_queued_at", "inputs_preview", "outputs_preview", "inputs_s3_urls", "outputs_s3_urls",
			"s3_urls", "trace_tier", "trace_first_received_at", "trace_min_start_time", "trace_max_start_time", "ttl_seconds",
			"trace_upgrade", "thread_id", "latency", "execution_order", "child_execution_order", "price_model_id", "messages", "metadata":
			about = about || !v.Missing() && string(v) != "[]" && string(v) != "{}" && string(v) != "false"
		default:
			s.Strange(string(key))
		}
	})
	if request && about {
		s.Lose("about", 1)
	}
	if request && stream {
		s.Lose("stream", 1)
	}
	if request && empty(v) {
		s.Lose("nothing", 1)
	}
	v.Get("child_runs").Each(func(_ int, child rawjson.Value) bool {
		lose(child, s, depth+1)
		return true
	})
}

// empty reports whether a request has neither messages nor usage.
func empty(v rawjson.Value) bool {
	var q request
	q.messages(v)
	return len(q.Call.Input) == 0 && q.Call.Usage.Input < 0
}

// lose counts what is not kept of a request.
func (q *request) lose(s *frame.Scan) {
	metadata := q.value.Get("extra").Get("metadata")
	for _, l := range [...]struct {
		code string
		is   bool
	}{
		{"lengths", len(q.Call.Input) == 0},
		{"odd", q.odd},
		{"errors", !q.value.Get("error").Missing()},
		{"model", named(q.value)},
		{"thread", !metadata.Get("thread_id").Missing() || !metadata.Get("session_id").Missing() || !metadata.Get("conversation_id").Missing()},
	} {
		if l.is {
			s.Lose(l.code, 1)
		}
	}
	s.Lose("parts", q.other)
	s.Lose("params", q.params)
}

// named reports whether a request names its model.
func named(v rawjson.Value) bool {
	extra := v.Get("extra")
	for _, at := range []rawjson.Value{v.Get("inputs"), extra.Get("invocation_params")} {
		if at.Get("model") != nil || at.Get("model_name") != nil {
			return true
		}
	}
	return !extra.Get("metadata").Get("ls_model_name").Missing()
}
