package endpoint_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

// seen is what the reference's client, or ours, made of a sequence of frames.
type seen struct {
	Outcome   sample.Outcome
	First     int // the frame with the first token, -1 for none
	Content   string
	Reasoning string
	Calls     string // id name arguments; ...
	Finish    string
}

type accumulatorCase struct {
	Name      string
	AllChunks bool `json:"stream_all_chunks"`
	Frames    []json.RawMessage
	Emitted   []*struct {
		First bool `json:"first_chunk"`
	}
	Metadata struct {
		Finish string `json:"finish_reason"`
	}
	Parts []json.RawMessage `json:"message_parts"`
}

// accumulatorDiffers lists where ours is another answer than the reference's, and why.
var accumulatorDiffers = map[string]struct {
	ours seen
	why  string
}{
	"content_and_reasoning_same_delta": {
		seen{Outcome: sample.OK, Content: "AB", Reasoning: "R", Finish: "stop"},
		"the reference drops the reasoning of a delta that also has content; it is generated text, and counts",
	},
	"error_frame": {
		seen{Outcome: sample.InBandError, Content: "x"},
		"the reference ignores error frames and books a success; an error inside is a failure, what came before it is kept",
	},
}

func goldenFile(t *testing.T, name string, v any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, v); err != nil {
		t.Fatal(err)
	}
}

func TestAccumulatorGolden(t *testing.T) {
	var file struct{ Cases []accumulatorCase }
	goldenFile(t, "sse_accumulator.json", &file)
	played := 0
	for _, c := range file.Cases {
		if c.AllChunks { // the same frames once more: the reference then tells every chunk, as we always do
			continue
		}
		played++
		t.Run(c.Name, func(t *testing.T) {
			want := c.reference(t)
			if d, ok := accumulatorDiffers[c.Name]; ok {
				t.Logf("reference %+v\nours %+v\nwhy: %s", want, d.ours, d.why)
				want = d.ours
			}
			synctest.Test(t, func(t *testing.T) {
				if d := cmp.Diff(want, playFrames(t, c.Frames)); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			})
		})
	}
	if played != 11 {
		t.Errorf("%d sequences played, want 11", played)
	}
}

func (c accumulatorCase) reference(t *testing.T) seen {
	s := seen{Outcome: sample.OK, First: -1, Finish: c.Metadata.Finish}
	for i, e := range c.Emitted {
		if e != nil && e.First {
			s.First = i
		}
	}
	text := func(raw json.RawMessage) (s string) {
		if err := json.Unmarshal(raw, &s); err != nil && string(raw) != "null" {
			t.Fatal(err)
		}
		return s
	}
	s.Content, s.Reasoning = text(c.Parts[0]), text(c.Parts[1])
	var m message
	if err := json.Unmarshal([]byte(`{"tool_calls":`+string(c.Parts[2])+`}`), &m); err != nil {
		t.Fatal(err)
	}
	s.Calls = m.calls()
	return s
}

func (m message) calls() string {
	var list []string
	for _, c := range m.ToolCalls {
		list = append(list, c.ID+" "+c.Function.Name+" "+c.Function.Arguments)
	}
	return strings.Join(list, "; ")
}

// playFrames sends one frame each millisecond, so that the instant of the first token tells its frame.
func playFrames(t *testing.T, frames []json.RawMessage) seen {
	reply := coretest.Reply{Headers: []coretest.Header{{Name: "Content-Type", Value: "text/event-stream"}}}
	for i, frame := range append(frames, json.RawMessage("[DONE]")) {
		var line bytes.Buffer
		if json.Compact(&line, frame) != nil { // the end mark
			line.Write(frame)
		}
		step := coretest.Step{At: coretestMS(i), Data: []byte("data: " + line.String() + "\n\n")}
		reply.Body = append(reply.Body, step)
	}
	b := newBench(t, &coretest.Script{Replies: []coretest.Reply{reply}}, endpoint.Config{})
	x := b.ask(t.Context(), "{}")
	m := messageOf(t, x)
	if x.Answer == nil {
		t.Fatalf("%s (%s)", x.Outcome, x.Cause)
	}
	s := seen{Outcome: x.Outcome, First: -1, Content: m.text(), Reasoning: m.Reasoning, Calls: m.calls(), Finish: x.Answer.FinishReason}
	if first, ok := ms(x.Timing.FirstToken, x.Timing.Sent).(float64); ok {
		s.First = int(first)
	}
	return s
}

// parseDiffers lists the buffers of the reference's parser where ours finds other deltas, and why.
var parseDiffers = map[string]struct {
	ours []string
	why  string
}{
	"malformed_then_good":           {[]string{"lost"}, "the reference drops the rest of a read behind a malformed frame; we count the frame and go on"},
	"good_then_malformed_then_good": {[]string{"kept", "lost"}, "the same"},
}

func TestParseGolden(t *testing.T) {
	var file struct {
		Cases []struct {
			Name, Buffer string
			Out          []struct {
				Delta struct{ Content string }
			}
		}
	}
	goldenFile(t, "sse_parse.json", &file)
	for _, c := range file.Cases {
		t.Run(c.Name, func(t *testing.T) {
			var want []string
			for _, o := range c.Out {
				want = append(want, o.Delta.Content)
			}
			if d, ok := parseDiffers[c.Name]; ok {
				t.Logf("reference %q\nours %q\nwhy: %s", want, d.ours, d.why)
				want = d.ours
			}
			synctest.Test(t, func(t *testing.T) {
				x := newBench(t, oneReply(c.Buffer, coretest.EndClose), endpoint.Config{}).ask(t.Context(), "{}")
				if got := messageOf(t, x).text(); got != strings.Join(want, "") {
					t.Errorf("text %q, want %q", got, want)
				}
				chunks := 0
				for range x.Chunks.All() {
					chunks++
				}
				if chunks != len(want) {
					t.Errorf("%d chunks, want %d", chunks, len(want))
				}
			})
		})
	}
}
