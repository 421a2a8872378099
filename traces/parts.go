package traces

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"paceline/core/trajectory"
)

// roles are the words that a message's role may be; another one becomes user.
var roles = []string{"system", "developer", "user", "assistant", "tool", "function"}

func role(said string) string {
	if slices.Contains(roles, said) {
		return said
	}
	return "user"
}

// chat is a chat message as it is written, in this order.
type chat struct {
	Role      string `json:"role"`
	Name      string `json:"name,omitempty"`
	Content   any    `json:"content,omitempty"`
	Calls     []call `json:"tool_calls,omitempty"`
	CallID    string `json:"tool_call_id,omitempty"`
	Reasoning string `json:"reasoning_content,omitempty"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func (a *Anonymizer) message(m *trajectory.Message) (trajectory.Message, error) {
	if m.Composed != nil {
		return trajectory.Message{Composed: a.composed(m.Composed)}, nil
	}
	var in struct {
		Role      string          `json:"role"`
		Name      string          `json:"name"`
		Content   json.RawMessage `json:"content"`
		Calls     []toolCall      `json:"tool_calls"`
		CallID    string          `json:"tool_call_id"`
		Reasoning string          `json:"reasoning_content"`
	}
	if err := json.Unmarshal(m.JSON, &in); err != nil {
		return trajectory.Message{}, err
	}
	out := chat{
		Role: role(in.Role), Name: a.name('n', in.Name), Content: a.content(in.Content), CallID: a.name('c', in.CallID),
		Reasoning: string(a.w.text([]byte(in.Reasoning))),
	}
	for _, c := range in.Calls {
		out.Calls = append(out.Calls, call{ID: a.name('c', c.ID), Type: "function", Function: function{
			Name: a.name('f', c.Function.Name), Arguments: a.arguments(c.Function.Arguments),
		}})
	}
	text, err := encode(out)
	return trajectory.Message{JSON: text}, err
}

// toolCall is a call as it stands in a message; its arguments may be a text or an object.
type toolCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// content gives a text, or the text parts of a list; a part that is no text becomes one of the length of its JSON.
func (a *Anonymizer) content(raw json.RawMessage) any {
	var text string
	if json.Unmarshal(raw, &text) == nil && len(raw) > 0 && raw[0] == '"' {
		return string(a.w.text([]byte(text)))
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil || len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	type part struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	out := []part{}
	for _, p := range parts {
		var in part
		text := p
		if json.Unmarshal(p, &in) == nil && in.Text != "" {
			text = []byte(in.Text)
		}
		out = append(out, part{Type: "text", Text: string(a.w.text(text))})
	}
	return out
}

// Arguments are an object with one text, as long together as they were. Marks at both ends of it keep apart the twelve bytes
// that begin or end with the object.
const (
	argumentsOpen  = `{"a":"`
	argumentsClose = `"}`
)

func (a *Anonymizer) arguments(raw json.RawMessage) string {
	text := []byte(raw)
	var s string
	if json.Unmarshal(raw, &s) == nil {
		text = []byte(s)
	}
	made := a.w.text(text)
	mark := string(a.w.mark[:])
	room := len(text) - len(argumentsOpen) - len(argumentsClose) - 2*markBytes
	if room < 0 {
		return "{}"
	}
	return argumentsOpen + mark + string(made[:room]) + mark + argumentsClose
}

// tools gives definitions with names only; what descriptions and parameters said becomes a description of that length.
func (a *Anonymizer) tools(raw json.RawMessage) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	var list []struct {
		Function struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
		} `json:"function"`
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, err
	}
	type definition struct {
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	type tool struct {
		Type     string     `json:"type"`
		Function definition `json:"function"`
	}
	out := []tool{}
	for _, t := range list {
		about := append([]byte(t.Function.Description), t.Function.Parameters...)
		out = append(out, tool{"function", definition{a.name('f', t.Function.Name), string(a.w.text(about))}})
	}
	return encode(out)
}

func (a *Anonymizer) composed(c *trajectory.Composed) *trajectory.Composed {
	out := &trajectory.Composed{Role: role(c.Role), ToolCallID: a.name('c', c.ToolCallID)}
	for _, p := range c.Pieces {
		switch {
		case p.Filler != nil:
			f := *p.Filler
			f.Key = []byte(a.name('k', string(f.Key)))
			p = trajectory.Piece{Filler: &f}
		case p.Text != nil:
			p = trajectory.Piece{Text: a.w.text(p.Text)}
		}
		out.Pieces = append(out.Pieces, p)
	}
	return out
}

// parameters are those that are kept, where they are a number or a truth value.
var parameters = []string{
	"temperature", "top_p", "top_k", "min_p", "seed", "presence_penalty", "frequency_penalty", "repetition_penalty", "ignore_eos",
}

// params keeps numbers of known parameters, and tools.
func (a *Anonymizer) params(raw json.RawMessage) (json.RawMessage, error) {
	if raw == nil {
		return nil, nil
	}
	var in map[string]json.RawMessage
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	for _, name := range parameters {
		if v := in[name]; len(v) > 0 && len(v) <= maxName && v[0] != '"' && v[0] != '{' && v[0] != '[' {
			out[name] = v
		}
	}
	if in["tools"] != nil {
		tools, err := a.tools(in["tools"])
		if err != nil {
			return nil, err
		}
		out["tools"] = tools
	}
	if len(out) == 0 {
		return nil, nil
	}
	return encode(out)
}

// truth keeps the token counts.
func truth(raw json.RawMessage) json.RawMessage {
	var in struct {
		Usage *struct {
			Input     *int64 `json:"input_tokens,omitempty"`
			Output    *int64 `json:"output_tokens,omitempty"`
			Cached    *int64 `json:"cached_tokens,omitempty"`
			Reasoning *int64 `json:"reasoning_tokens,omitempty"`
		} `json:"usage"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &in) != nil || in.Usage == nil {
		return nil
	}
	out, err := encode(in)
	if err != nil {
		return nil
	}
	return out
}

// encode writes JSON on one line, signs as they are.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// sorted orders labels by key and keeps the first of equal ones.
func sorted(list []trajectory.Label) []trajectory.Label {
	slices.SortStableFunc(list, func(a, b trajectory.Label) int { return strings.Compare(a.Key, b.Key) })
	return slices.CompactFunc(list, func(a, b trajectory.Label) bool { return a.Key == b.Key })
}
