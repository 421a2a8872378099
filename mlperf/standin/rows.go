package standin

import "encoding/json"

// row is one row of the file; its fields stand in this order.
type row struct {
	ID          string          `json:"conversation_id"`
	Turn        int             `json:"turn"`
	Role        string          `json:"role"`
	Content     *string         `json:"content,omitempty"`
	Reasoning   string          `json:"reasoning_content,omitempty"`
	ToolCalls   []toolCall      `json:"tool_calls,omitempty"`
	ToolResults []toolResult    `json:"tool_results,omitempty"`
	System      json.RawMessage `json:"system,omitempty"`
	Tools       json.RawMessage `json:"tools,omitempty"`
	Delay       json.Number     `json:"delay_seconds,omitempty"`
	Intents     []string        `json:"intent_codes,omitempty"`
}

type toolCall struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type toolResult struct {
	ID      string `json:"tool_call_id"`
	Content string `json:"content"`
}

// tool is the description of one that a model may call.
type tool struct {
	Type     string      `json:"type"`
	Function description `json:"function"`
}

type description struct {
	Name        string     `json:"name"`
	Description string     `json:"description"`
	Parameters  parameters `json:"parameters"`
}

type parameters struct {
	Type       string                `json:"type"`
	Properties map[string]properties `json:"properties"` // encoded in the order of keys
	Required   []string              `json:"required"`
}

type properties struct {
	Type        string `json:"type"`
	Description string `json:"description"`
}

func newTool(name, what, argument, meaning string) tool {
	return tool{Type: "function", Function: description{Name: name, Description: what, Parameters: parameters{
		Type: "object", Properties: map[string]properties{argument: {"string", meaning}}, Required: []string{argument}}}}
}

// newCall is a call with one argument.
func newCall(id, name, argument, value string) toolCall {
	text, err := json.Marshal(map[string]string{argument: value})
	if err != nil {
		panic(err) // texts always encode
	}
	return toolCall{ID: id, Type: "function", Function: function{Name: name, Arguments: string(text)}}
}
