// Package otel reads spans with the attributes of OpenTelemetry's semantic conventions for generative AI. Each span of a
// request to a model is one request; its messages stand in attributes or, by older conventions, in events or in numbered
// attributes. Where no messages were recorded, the requests are filler of the lengths that the usage tells.
package otel

import (
	"slices"
	"strings"

	"paceline/sdk"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/history"
	"paceline/workloads/import/span"
	"paceline/workloads/import/traced"
)

// Format is the importer.
func Format() frame.Format {
	return frame.Format{
		Name:    "otel",
		Summary: "OpenTelemetry spans with gen_ai attributes: OTLP/JSON, the SDK's console JSON, or flat spans",
		Paths:   span.Paths(),
		ByTime:  true,
		Losses: []frame.Loss{
			{Code: "spans", Text: "spans that are no requests to a model (tools, agents, embeddings): waits follow from the times between requests"},
			{Code: "lengths", Text: "requests without recorded messages: filler of the lengths that the usage tells"},
			{Code: "nothing", Text: "requests with neither messages nor usage, left out"},
			{Code: "model", Text: "names of models: the run names it"},
			{Code: "stream", Text: "whether answers were streamed, and when their first part came"},
			{Code: "finish", Text: "reasons why answers ended"},
			{Code: "params", Text: "parameters of requests that are not carried (choice count, encoding formats, type of output and others)"},
			{Code: "errors", Text: "requests that failed (error.type): without an answer on record"},
			{Code: "parts", Text: "parts of messages that are no text (files, images)"},
		},
		Reader: reader{},
	}
}

type reader struct{}

func (reader) Detect(r *frame.Record) bool {
	s, ok := span.Parse(r.Value)
	return ok && slices.ContainsFunc(s.Attributes, func(a span.Attribute) bool { return strings.HasPrefix(a.Key, "gen_ai.") })
}

// request reports whether a span is a request to a model.
func request(s *span.Span) bool {
	switch s.Attributes.Text("gen_ai.operation.name", "llm.request.type") {
	case "chat", "text_completion", "generate_content", "completion":
		return true
	case "":
		return s.Attributes.Text("gen_ai.request.model", "gen_ai.response.model") != "" && s.Attributes.Get("gen_ai.tool.name") == nil
	}
	return false
}

func (reader) Scan(r *frame.Record, s *frame.Scan) error {
	sp, ok := span.Parse(r.Value)
	if !ok {
		return r.Fault("", "span", "a span with ids of trace and span", "the record is no span")
	}
	if !request(&sp) {
		s.Lose("spans", 1)
		return nil
	}
	a := sp.Attributes
	in := input(&sp)
	s.Lose("parts", in.other+output(&sp).other)
	if len(in.messages) == 0 {
		if usage(a).Input < 0 {
			s.Lose("nothing", 1)
			return nil
		}
		s.Lose("lengths", 1)
	}
	for _, l := range lost {
		if slices.ContainsFunc(l.names, func(name string) bool { return a.Get(name) != nil }) {
			s.Lose(l.code, 1)
		}
	}
	if slices.ContainsFunc(a, unread) {
		s.Lose("params", 1)
	}
	key := a.Text("gen_ai.conversation.id", "session.id")
	if key == "" {
		key = sp.Trace
	}
	s.Part(key, sp.Start)
	return nil
}

// lost are the attributes of each loss.
var lost = [...]struct {
	code  string
	names []string
}{
	{"model", []string{"gen_ai.request.model", "gen_ai.response.model"}},
	{"stream", []string{"gen_ai.request.stream", "gen_ai.response.time_to_first_chunk"}},
	{"finish", []string{"gen_ai.response.finish_reasons"}},
	{"errors", []string{"error.type"}},
}

// unread reports whether an attribute is a parameter that is not carried.
func unread(a span.Attribute) bool {
	if !strings.HasPrefix(a.Key, "gen_ai.request.") && !strings.HasPrefix(a.Key, "gen_ai.openai.request.") && a.Key != "gen_ai.output.type" {
		return false
	}
	switch a.Key {
	case "gen_ai.request.model", "gen_ai.request.stream", "gen_ai.request.max_tokens":
		return false
	}
	return !slices.ContainsFunc(parameters[:], func(p parameter) bool { return p.attribute == a.Key })
}

func (reader) Build(t *frame.Trace) (*sdk.Trajectory, error) {
	var all []history.Told
	for i := range t.Records {
		sp, _ := span.Parse(t.Records[i].Value)
		call := history.Call{
			Start: sp.Start, End: sp.End, Input: input(&sp).messages, Output: output(&sp).answer(), Tools: tools(sp.Attributes),
			Params: params(sp.Attributes), MaxTokens: limit(sp.Attributes), Usage: usage(sp.Attributes),
		}
		call.Labels = labels(&sp, call.Input)
		all = append(all, history.Told{Call: call, ID: sp.Key(), Parent: sp.Outer()})
	}
	return traced.Trajectory(history.Distinct(all)), nil
}

// labels tell the agent of a request beside who made it necessary.
func labels(s *span.Span, messages []sdk.Message) []sdk.Label {
	list := history.Request(history.KindOf(messages))
	if name := s.Attributes.Text("gen_ai.agent.name"); name != "" {
		list = slices.Insert(list, 0, sdk.Label{Key: "agent", Value: name})
	}
	return list
}
