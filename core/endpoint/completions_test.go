package endpoint_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

// events are the steps of a stream, one event every 10 ms.
func events(data ...string) []coretest.Step {
	steps := make([]coretest.Step, len(data))
	for i, d := range data {
		steps[i] = coretest.Step{At: time.Duration(i+1) * 10 * time.Millisecond, Data: []byte("data: " + d + "\n\n")}
	}
	return steps
}

func streamed(steps []coretest.Step) *coretest.Script {
	return &coretest.Script{Replies: []coretest.Reply{{
		Headers: []coretest.Header{{Name: "Content-Type", Value: "text/event-stream"}}, Coding: coretest.Chunked, Body: steps,
	}}}
}

// TestTokenIDs reads what vLLM writes where return_token_ids was asked for. A token without text, half of a letter, counts
// with the text that follows.
func TestTokenIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, streamed(events(
			`{"object":"text_completion","choices":[{"index":0,"text":"ab","logprobs":null,"finish_reason":null,"token_ids":[11],"prompt_token_ids":[1,2,3]}]}`,
			`{"object":"text_completion","choices":[{"index":0,"text":"","finish_reason":null,"token_ids":[12]}]}`,
			`{"object":"text_completion","choices":[{"index":0,"text":"é","finish_reason":"length","token_ids":[13,14]}]}`,
			`{"object":"text_completion","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`,
			`[DONE]`)), endpoint.Config{API: chat.APICompletions})
		x := b.ask(t.Context(), `{"prompt":[1,2,3]}`)
		if path := b.endpoint.Requests()[0].Target; path != "/v1/completions" {
			t.Errorf("path %s", path)
		}
		if x.Outcome != sample.OK || len(x.Notes) > 0 {
			t.Fatalf("%s (%s), notes %v", x.Outcome, x.Cause, x.Notes)
		}
		a := x.Answer
		if string(a.TokenIDs) != "[11,12,13,14]" || a.FinishReason != "length" || a.Usage.PromptTokens != 3 || a.Usage.CompletionTokens != 4 || a.Extra != nil {
			t.Errorf("answer %+v, ids %s, extra %s", a, a.TokenIDs, a.Extra)
		}
		if got := messageOf(t, x).text(); got != "abé" {
			t.Errorf("text %q", got)
		}
		var told []string
		for k := range x.Chunks.All() {
			told = append(told, strings.Repeat("x", int(k.Tokens)))
		}
		if strings.Join(told, " ") != "x xxx" {
			t.Errorf("tokens of the chunks: %v", told)
		}
		if x.Timing.FirstToken != sample.Offset(10*time.Millisecond) || x.Timing.LastToken != sample.Offset(30*time.Millisecond) {
			t.Errorf("timing %+v", x.Timing)
		}
	})
}
