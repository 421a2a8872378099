package dataset

import (
	"paceline/workloads/rawjson"
)

// Row is one row as it stands in the file: known keys by name, each value as source text.
type Row struct {
	ConversationID, Turn, Role, Content   rawjson.Value
	System, Tools, ToolCalls, ToolResults rawjson.Value
	Reasoning, Name, IntentCodes          rawjson.Value
	DelaySeconds, DelayMS                 rawjson.Value
	MaxNewTokens, MaxCompletionTokens     rawjson.Value
	MaxTokens, Model, Stream              rawjson.Value
	Params                                [len(paramNames)]rawjson.Value
	Metadata                              bool // a _type row, which is no message
	repeated                              string
}

// paramNames are the sampling fields that a client row may carry for its own request, in the order of the request body.
var paramNames = [...]string{
	"temperature", "seed", "top_p", "top_k", "repetition_penalty", "n", "stop", "presence_penalty",
	"frequency_penalty", "logit_bias", "user", "chat_template", "chat_template_kwargs", "tool_choice",
}

// ParamName returns the name of Row.Params[i].
func ParamName(i int) string { return paramNames[i] }

// ParseRow reads one line. Only its form is checked: it is JSON, and an object.
func ParseRow(line []byte) (Row, *rawjson.SyntaxError) {
	var row Row
	start := rawjson.Space(line, 0)
	end, err := rawjson.Members(line, start, func(key []byte, value rawjson.Value) bool {
		row.set(key, value)
		return true
	})
	if err != nil {
		return row, err
	}
	if end = rawjson.Space(line, end); end != len(line) {
		return row, &rawjson.SyntaxError{Offset: end, Reason: "text goes on after the end of the row"}
	}
	return row, nil
}

func (r *Row) set(key []byte, value rawjson.Value) {
	if string(key) == "_type" {
		text, _ := value.Text()
		r.Metadata = text == "dataset_metadata"
		return
	}
	field := r.field(key)
	if field == nil {
		return
	}
	if *field != nil && r.repeated == "" {
		r.repeated = string(key)
	}
	*field = value
}

func (r *Row) field(key []byte) *rawjson.Value {
	switch string(key) {
	case "conversation_id":
		return &r.ConversationID
	case "turn":
		return &r.Turn
	case "role":
		return &r.Role
	case "content":
		return &r.Content
	case "system":
		return &r.System
	case "tools":
		return &r.Tools
	case "tool_calls":
		return &r.ToolCalls
	case "tool_results":
		return &r.ToolResults
	case "reasoning_content":
		return &r.Reasoning
	case "name":
		return &r.Name
	case "intent_codes":
		return &r.IntentCodes
	case "delay_seconds":
		return &r.DelaySeconds
	case "delay_ms":
		return &r.DelayMS
	}
	return r.parameter(key)
}

func (r *Row) parameter(key []byte) *rawjson.Value {
	switch string(key) {
	case "max_new_tokens":
		return &r.MaxNewTokens
	case "max_completion_tokens":
		return &r.MaxCompletionTokens
	case "max_tokens":
		return &r.MaxTokens
	case "model":
		return &r.Model
	case "stream":
		return &r.Stream
	}
	for i, name := range paramNames {
		if name == string(key) {
			return &r.Params[i]
		}
	}
	return nil
}

// ID gives the conversation's id: a string as it is, a whole number as it is written. ok is false for all else, and for
// the empty string.
func (r *Row) ID() (id string, ok bool) { return idText(r.ConversationID) }

func idText(v rawjson.Value) (string, bool) {
	switch v.Kind() {
	case rawjson.String:
		text, ok := v.Text()
		return text, ok && text != ""
	case rawjson.Number:
		for i, c := range v {
			if (c < '0' || c > '9') && (i > 0 || c != '-') {
				return "", false
			}
		}
		return string(v), true
	default:
		return "", false
	}
}

// TurnNumber gives the row's turn: a whole number, however written (2, 2.0), or a string that holds digits only.
func (r *Row) TurnNumber() (n int64, ok bool) {
	text := []byte(r.Turn)
	if r.Turn.Kind() == rawjson.String {
		s, _ := r.Turn.Text()
		for _, c := range s {
			if c < '0' || c > '9' {
				return 0, false
			}
		}
		text = []byte(s)
	}
	return rawjson.Integer(text)
}

// DelayNS is the tool time before this row is sent, in nanoseconds: delay_seconds where it is a number above zero, else
// delay_ms likewise, else 0. ok is false where the number does not fit.
func (r *Row) DelayNS() (ns int64, ok bool) {
	if ns, ok = delay(r.DelaySeconds, 9); ns > 0 || !ok {
		return ns, ok
	}
	return delay(r.DelayMS, 6)
}

func delay(v rawjson.Value, scale int) (int64, bool) {
	if v.Kind() != rawjson.Number || v[0] == '-' {
		return 0, true
	}
	return rawjson.Scaled(v, scale)
}

// IsClient reports whether the row is a request of the client: role user or tool.
func (r *Row) IsClient() bool {
	role, _ := r.Role.Text()
	return role == "user" || role == "tool"
}

// HasCalls reports whether the row has a tool call at least.
func (r *Row) HasCalls() bool { return r.ToolCalls.Kind() == rawjson.Array && !r.ToolCalls.Empty() }
