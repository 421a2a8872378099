// Package traced reads requests to a model as tracing tools keep them: inputs and outputs of any shape that the traced
// program had. It knows chat messages of OpenAI's two APIs and of Anthropic's, LangChain's messages in their three
// serialisations, and the answers of all of these.
package traced

import (
	"strings"

	"paceline/sdk"
	"paceline/workloads/import/history"
	"paceline/workloads/rawjson"
)

// Spoken is what was found in the input or the output of a request.
type Spoken struct {
	Messages []sdk.Message
	Tools    []rawjson.Value // definitions
	Other    int             // parts of messages that are no text
	Odd      bool            // a value of a shape that is not known: its JSON is the text
}

// Input reads what was sent: a text, a message, a list of messages or of such lists, of which the first counts, or an object
// that holds one of these.
func Input(v rawjson.Value) Spoken {
	var s Spoken
	s.input(Embedded(v), 0)
	return s
}

// Embedded gives the JSON that a text holds, and any other value as it is.
func Embedded(v rawjson.Value) rawjson.Value {
	text, ok := v.Text()
	if text = strings.TrimSpace(text); !ok || text == "" || text[0] != '{' && text[0] != '[' || rawjson.Valid([]byte(text)) != nil {
		return v
	}
	return rawjson.Value(text)
}

// maxNest bounds how deep objects hold the object that holds messages.
const maxNest = 4

func (s *Spoken) input(v rawjson.Value, depth int) {
	switch v.Kind() {
	case rawjson.String:
		text, _ := v.Text()
		s.text("user", text)
	case rawjson.Array:
		if first := history.First(v); first.Kind() == rawjson.Array {
			v = first
		}
		v.Each(func(_ int, m rawjson.Value) bool {
			s.message(m, "user")
			return true
		})
	case rawjson.Object:
		s.object(v, depth)
	}
}

// object reads an object that is a message or holds some, with what stands beside them.
func (s *Spoken) object(v rawjson.Value, depth int) {
	if _, _, ok := parts(v); ok {
		s.message(v, "user")
		return
	}
	s.tools(v.Get("tools"))
	for _, name := range []string{"system", "instructions"} {
		if text, _ := history.Content(v.Get(name)); text != "" {
			s.text("system", text)
		}
	}
	for _, name := range []string{"messages", "prompts", "input", "prompt", "inputs", "kwargs"} {
		if held := v.Get(name); !held.Missing() && depth < maxNest {
			s.input(held, depth+1)
			return
		}
	}
	if !v.Empty() {
		s.Odd = true
		s.text("user", string(rawjson.AppendCompact(nil, v)))
	}
}

func (s *Spoken) text(role, text string) { s.Messages = append(s.Messages, history.Text(role, text)) }

func (s *Spoken) tools(list rawjson.Value) {
	list.Each(func(_ int, tool rawjson.Value) bool {
		if tool.Kind() == rawjson.Object {
			s.Tools = append(s.Tools, history.Tool(tool))
		}
		return true
	})
}

// message adds a message; role is that of a bare text.
func (s *Spoken) message(v rawjson.Value, role string) {
	if text, ok := v.Text(); ok {
		s.text(role, text)
		return
	}
	if s.item(v) {
		return
	}
	role, body, ok := parts(v)
	if !ok {
		if v.Kind() == rawjson.Object {
			s.Odd = true
			s.text("user", string(rawjson.AppendCompact(nil, v)))
		}
		return
	}
	content := body.Get("content")
	if role == "tool" || role == "function" {
		s.result(body, content)
		return
	}
	a, results, other := read(content)
	s.Other += other
	s.Messages = append(s.Messages, results...)
	if role == "assistant" {
		a.Calls = append(a.Calls, calls(body)...)
		if text, _ := body.Get("reasoning_content").Text(); a.Reasoning == "" {
			a.Reasoning = text
		}
		s.Messages = append(s.Messages, a.Message())
		return
	}
	if a.Text != "" || len(results) == 0 {
		s.text(role, a.Text)
	}
}

// result adds the result of a tool, or keeps the definition of a tool that stands among the messages.
func (s *Spoken) result(body, content rawjson.Value) {
	id, _ := body.Get("tool_call_id").Text()
	if id == "" && content.Kind() == rawjson.Object {
		s.Tools = append(s.Tools, history.Tool(content))
		return
	}
	text, other := history.Content(content)
	s.Other += other
	s.Messages = append(s.Messages, history.Result(id, text))
}

// item adds a call or a result as OpenAI's Responses API lists them beside messages.
func (s *Spoken) item(v rawjson.Value) bool {
	kind, _ := v.Get("type").Text()
	id, _ := v.Get("call_id").Text()
	switch kind {
	case "function_call":
		name, _ := v.Get("name").Text()
		a := history.Answer{Calls: []history.ToolCall{{ID: id, Name: name, Arguments: v.Get("arguments")}}}
		s.Messages = append(s.Messages, a.Message())
	case "function_call_output":
		text, _ := history.Content(v.Get("output"))
		s.Messages = append(s.Messages, history.Result(id, text))
	case "reasoning":
		s.Other++
	default:
		return false
	}
	return true
}

// roles are the names that roles have elsewhere.
var roles = map[string]string{
	"human": "user", "HumanMessage": "user", "HumanMessageChunk": "user",
	"ai": "assistant", "model": "assistant", "AIMessage": "assistant", "AIMessageChunk": "assistant",
	"SystemMessage": "system", "SystemMessageChunk": "system", "ToolMessage": "tool", "ToolMessageChunk": "tool",
	"FunctionMessage": "function",
}

// parts gives role and body of a message: {role, content}, {type, content}, {type, data: {content}}, or LangChain's
// {lc, id, kwargs: {content}}.
func parts(v rawjson.Value) (role string, body rawjson.Value, ok bool) {
	if v.Kind() != rawjson.Object {
		return "", nil, false
	}
	body = v
	if kwargs := v.Get("kwargs"); kwargs.Kind() == rawjson.Object && v.Get("lc") != nil {
		body = kwargs
		v.Get("id").Each(func(_ int, name rawjson.Value) bool {
			role, _ = name.Text()
			return true
		})
	} else if data := v.Get("data"); data.Kind() == rawjson.Object {
		body = data
		role, _ = v.Get("type").Text()
	}
	own, _ := body.Get("role").Text()
	if own == "" {
		own, _ = body.Get("type").Text()
	}
	if own != "" && own != "chat" {
		role = own
	}
	if name := roles[role]; name != "" {
		role = name
	}
	switch role {
	case "user", "assistant", "system", "developer", "tool", "function":
		return role, body, true
	case "message":
		return "", nil, false
	}
	return role, body, role != "" && body.Get("role") != nil
}
