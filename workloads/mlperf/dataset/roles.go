package dataset

import (
	"slices"
	"strconv"

	"paceline/workloads/rawjson"
)

// follows tells which roles may come after which; the empty one is the start.
func follows(before, role string) bool {
	switch before {
	case "", "user":
		return before == "" && role == "user" || before == "user" && role == "assistant"
	case "assistant":
		return role == "tool" || role == "user"
	case "tool":
		return role == "assistant" || role == "user"
	default:
		return false
	}
}

// message checks the role, its place, and what a message of that role must have.
func (s *state) message(r *rowCheck) {
	role, ok := r.row.Role.Text()
	if !ok || role != "user" && role != "assistant" && role != "tool" {
		r.add("/role", "role-unknown", "user, assistant or tool", "the role is %s", roleName(r.row.Role))
		s.role, s.calls, s.loose, s.callsBad = "", nil, true, true
		return
	}
	if !s.loose && !follows(s.role, role) {
		s.outOfOrder(r, role)
		s.callsBad = true
	} else if role == "user" && s.role == "assistant" && len(s.calls) > 0 && !s.loose {
		r.add("/role", "user-after-tool-calls", "a tool row with the results",
			"a user row follows an assistant row whose tool calls wait for results, the first of them %q", s.calls[0])
	}
	switch role {
	case "user":
		s.users++
		r.userContent()
		s.calls = nil
	case "assistant":
		s.calls, s.callsBad = r.assistant()
	case "tool":
		s.results(r)
		s.calls = nil
	}
	s.role, s.loose = role, false
}

func roleName(v rawjson.Value) string {
	if v == nil {
		return "missing"
	}
	return clip(v)
}

func (s *state) outOfOrder(r *rowCheck, role string) {
	if s.role == "" {
		r.add("/role", "role-order", "user", "the conversation begins with a row of role %s", role)
		return
	}
	want := map[string]string{"user": "assistant", "assistant": "tool or user", "tool": "assistant or user"}[s.role]
	r.add("/role", "role-order", want, "a row of role %s follows one of role %s", role, s.role)
}

func (r *rowCheck) userContent() {
	const pointer = "/content"
	switch v := r.row.Content; v.Kind() {
	case rawjson.Absent, rawjson.Null:
		r.add(pointer, "user-content-empty", "text", "the user row has no content")
	case rawjson.String, rawjson.Array:
		if string(v) == `""` {
			r.add(pointer, "user-content-empty", "text", "the user row's content is empty")
		}
	default:
		r.add(pointer, "content-type", "a string or a list of content parts", "the content is %s", clip(v))
	}
	if r.row.HasCalls() {
		r.add("/tool_calls", "tool-calls-role", "tool calls on assistant rows only", "a user row has tool calls")
	}
}

// assistant checks an answer and gives the ids of its calls; bad is true where a call is faulty.
func (r *rowCheck) assistant() (ids []string, bad bool) {
	switch v := r.row.Content; v.Kind() {
	case rawjson.Absent, rawjson.Null, rawjson.String, rawjson.Array:
		if (v.Missing() || string(v) == `""`) && r.row.ToolCalls.Missing() {
			r.add("/content", "assistant-empty", "content, or tool calls", "the assistant row has neither content nor tool calls")
		}
	default:
		r.add("/content", "content-type", "a string or a list of content parts", "the content is %s", clip(v))
	}
	before := len(r.faults)
	switch v := r.row.ToolCalls; {
	case v.Missing():
	case v.Kind() != rawjson.Array:
		r.add("/tool_calls", "tool-calls-type", "a list of tool calls", "tool_calls is no list")
	case v.Empty():
		r.add("/tool_calls", "tool-calls-empty", "a call at least, or no tool_calls", "tool_calls is empty")
	default:
		v.Each(func(i int, call rawjson.Value) bool {
			ids = append(ids, r.call("/tool_calls/"+strconv.Itoa(i), call))
			return true
		})
	}
	return ids, len(r.faults) > before
}

// call checks one tool call and gives its id.
func (r *rowCheck) call(at string, v rawjson.Value) string {
	if v.Kind() != rawjson.Object {
		r.add(at, "tool-call-object", "an object with id, type and function", "the tool call is no object")
		return ""
	}
	var id, kind string
	var f rawjson.Value
	v.Fields(func(key []byte, value rawjson.Value) {
		switch string(key) {
		case "id":
			id, _ = value.Text()
		case "type":
			kind, _ = value.Text()
		case "function":
			f = value
		}
	})
	if id == "" {
		r.add(at+"/id", "tool-call-id", "a string that is not empty", "the tool call has no id")
	}
	if kind != "function" {
		r.add(at+"/type", "tool-call-type", `"function"`, "the type of the tool call is not \"function\"")
	}
	r.callee(at+"/function", f)
	return id
}

// callee checks the function of a tool call.
func (r *rowCheck) callee(at string, f rawjson.Value) {
	if f.Kind() != rawjson.Object {
		r.add(at, "tool-call-function", "an object with name and arguments", "the function of the tool call is no object")
		return
	}
	if name, _ := f.Get("name").Text(); name == "" {
		r.add(at+"/name", "tool-call-name", "a string that is not empty", "the function of the tool call has no name")
	}
	if k := f.Get("arguments").Kind(); k != rawjson.String && k != rawjson.Object {
		r.add(at+"/arguments", "tool-call-arguments", "a string or an object", "the arguments of the tool call are neither a string nor an object")
	}
}

// results checks a tool row, and its ids against the calls of the assistant row before it.
func (s *state) results(r *rowCheck) {
	const pointer = "/tool_results"
	pair := s.role == "assistant" && !s.loose && !s.callsBad
	if pair && len(s.calls) == 0 {
		r.add("/role", "tool-without-calls", "a user row, or tool calls in the assistant row", "a tool row follows an assistant row without tool calls")
		pair = false
	}
	v := r.row.ToolResults
	if v.Kind() != rawjson.Array {
		r.add(pointer, "tool-results-missing", "a list of {tool_call_id, content}", "the tool row has no list of tool_results")
		return
	}
	if v.Empty() {
		r.add(pointer, "tool-results-empty", "a result for each tool call", "tool_results is empty")
		return
	}
	var answered []string
	v.Each(func(i int, result rawjson.Value) bool {
		at := pointer + "/" + strconv.Itoa(i)
		id := r.result(at, result)
		pair = pair && id != ""
		if pair && !slices.Contains(s.calls, id) {
			r.add(at+"/tool_call_id", "tool-result-unmatched", "the id of a call of the assistant row before", "the result's id %q fits no call of the assistant row before it", id)
		}
		answered = append(answered, id)
		return true
	})
	for _, id := range s.calls {
		if pair && !slices.Contains(answered, id) {
			r.add(pointer, "tool-call-unanswered", "a result for each tool call", "the call %q of the assistant row before has no result", id)
		}
	}
}

// result checks one tool result and gives its id, empty where it has none.
func (r *rowCheck) result(at string, v rawjson.Value) string {
	if v.Kind() != rawjson.Object {
		r.add(at, "tool-result-object", "an object with tool_call_id and content", "the tool result is no object")
		return ""
	}
	var id string
	var content rawjson.Value
	v.Fields(func(key []byte, value rawjson.Value) {
		switch string(key) {
		case "tool_call_id":
			id, _ = value.Text()
		case "content":
			content = value
		}
	})
	if id == "" {
		r.add(at+"/tool_call_id", "tool-result-id", "the id of a tool call, a string that is not empty", "the tool result has no tool_call_id")
	}
	switch content.Kind() {
	case rawjson.String, rawjson.Array:
	case rawjson.Absent, rawjson.Null:
		r.add(at+"/content", "tool-result-content", "a string, which may be empty", "the tool result has no content")
	default:
		r.add(at+"/content", "content-type", "a string or a list of content parts", "the content of the tool result is %s", clip(content))
	}
	return id
}
