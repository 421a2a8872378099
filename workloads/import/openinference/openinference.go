// Package openinference reads spans with the attributes of OpenInference, as Phoenix and its instrumentations write them.
// Each span of kind LLM is one request.
package openinference

import (
	"slices"
	"strings"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/import/span"
	"paceline/workloads/import/traced"
	"paceline/workloads/rawjson"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "openinference",
		Summary: "OpenInference spans (openinference.span.kind, llm.input_messages.N...): OTLP/JSON, the SDK's console JSON, or flat spans",
		Paths:   span.Paths(),
		ByTime:  true,
		Losses: []frame.Loss{
			{Code: "spans", Text: "spans that are no requests to a model (tools, agents, chains): waits follow from the times between requests"},
			{Code: "value", Text: "requests without llm.input_messages: what input.value holds is sent"},
			{Code: "lengths", Text: "requests without recorded messages: filler of the lengths that the usage tells"},
			{Code: "nothing", Text: "requests with neither messages nor usage, left out"},
			{Code: "model", Text: "names of models: the run names it"},
			{Code: "parts", Text: "parts of messages that are no text (images)"},
			{Code: "params", Text: "invocation parameters that are not carried"},
			{Code: "cost", Text: "costs (llm.cost)"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func kind(s *span.Span) string { return s.Attributes.Text("openinference.span.kind") }

func (reader) Detect(r *frame.Record) bool {
	s, ok := span.Parse(r.Value)
	return ok && kind(&s) != ""
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	sp, ok := span.Parse(r.Value)
	if !ok {
		return r.Fault("", "span", "a span with ids of trace and span", "the record is no span")
	}
	if kind(&sp) != "LLM" {
		s.Lose("spans", 1)
		return nil
	}
	c, about := call(&sp)
	s.Lose("parts", about.other)
	s.Lose("params", about.params)
	switch {
	case len(c.Input) > 0 && about.value:
		s.Lose("value", 1)
	case len(c.Input) > 0:
	case c.Usage.Input >= 0:
		s.Lose("lengths", 1)
	default:
		s.Lose("nothing", 1)
		return nil
	}
	if sp.Attributes.Get("llm.model_name") != nil {
		s.Lose("model", 1)
	}
	if slices.ContainsFunc(sp.Attributes, func(a span.Attribute) bool { return strings.HasPrefix(a.Key, "llm.cost.") }) {
		s.Lose("cost", 1)
	}
	key := sp.Attributes.Text("session.id")
	if key == "" {
		key = sp.Trace
	}
	s.Part(key, sp.Start)
	return nil
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	var all []history.Told
	for i := range t.Records {
		sp, _ := span.Parse(t.Records[i].Value)
		c, _ := call(&sp)
		all = append(all, history.Told{Call: c, ID: sp.Key(), Parent: sp.Outer()})
	}
	return traced.Trajectory(history.Distinct(all)), nil
}

// about is what a request has beside what is carried.
type about struct {
	other, params int
	value         bool // its messages are those of input.value
}

// call gives a span as a request.
func call(s *span.Span) (history.Call, about) {
	var lost about
	a := s.Attributes
	c := history.Call{
		Start: s.Start, End: s.End,
		Usage: history.Usage{
			Input: a.Tokens("llm.token_count.prompt"), Output: a.Tokens("llm.token_count.completion"),
			Cached:    a.Tokens("llm.token_count.prompt_details.cache_read"),
			Reasoning: a.Tokens("llm.token_count.completion_details.reasoning"),
		},
	}
	for _, n := range a.Tree("llm.input_messages.").List() {
		m, other := message(n.Get("message"))
		lost.other += other
		c.Input = append(c.Input, m)
	}
	if len(c.Input) == 0 {
		c.Input = fromValue(a, "input.value", "user")
		lost.value = len(c.Input) > 0
	}
	for _, n := range a.Tree("llm.output_messages.").List() {
		m, _ := message(n.Get("message"))
		c.Output = &m
		break // of several choices the first one
	}
	if out := fromValue(a, "output.value", "assistant"); c.Output == nil && len(out) == 1 {
		c.Output = &out[0]
	}
	c.Tools = tools(a)
	c.Params, c.MaxTokens, lost.params = parameters(a.JSON("llm.invocation_parameters"))
	return c, lost
}

// tools gives the definitions of tools; nil where there are none.
func tools(a span.Attributes) []byte {
	var out []byte
	for _, n := range a.Tree("llm.tools.").List() {
		doc := asJSON(n.Get("tool", "json_schema").Value)
		if doc == nil {
			continue
		}
		if out == nil {
			out = append(out, '[')
		} else {
			out = append(out, ',')
		}
		out = append(out, history.Tool(doc)...)
	}
	if out == nil {
		return nil
	}
	return append(out, ']')
}

// asJSON gives a document that may stand in a text.
func asJSON(v rawjson.Value) rawjson.Value { return span.Attributes{{Key: "v", Value: v}}.JSON("v") }
