package endpoint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

var called = coretest.Spoken{
	Reasoning: []string{"let me ", "look"}, Content: []string{"I \"look\"", " é\n"},
	Calls: []coretest.SpokenCall{
		{ID: "call_1", Name: "bash", Arguments: []string{`{"cmd": `, `"ls <b>"}`}}, {ID: "call_2", Name: "read", Arguments: []string{`{}`}},
	},
	Finish: "tool_calls", Prompt: 120, Cached: 64, Output: 21,
}

// aloud is what an answer must be read as by every API.
const aloud = `{"role":"assistant","content":"I \"look\" é\n","reasoning_content":"let me look","tool_calls":[` +
	`{"id":"call_1","type":"function","function":{"name":"bash","arguments":"{\"cmd\": \"ls <b>\"}"}},` +
	`{"id":"call_2","type":"function","function":{"name":"read","arguments":"{}"}}]}`

func play(t *testing.T, api chat.API, reply coretest.Reply) *sample.Exchange {
	t.Helper()
	b := newBench(t, &coretest.Script{Replies: []coretest.Reply{reply}}, endpoint.Config{API: api})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return b.ask(ctx, `{}`)
}

// same compares JSON values.
func same(t *testing.T, got json.RawMessage, want string) bool {
	t.Helper()
	var a, b any
	if json.Unmarshal(got, &a) != nil || json.Unmarshal([]byte(want), &b) != nil {
		return false
	}
	return fmt.Sprint(a) == fmt.Sprint(b)
}

// TestAPIsAgree reads one answer by each API that has all it holds.
func TestAPIsAgree(t *testing.T) {
	for _, api := range []chat.API{chat.APIChat, chat.APIResponses, chat.APIMessages} {
		t.Run(string(api), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				x := play(t, api, coretest.Stream(coretest.Speak(api, called)...))
				if x.Outcome != sample.OK || len(x.Notes) > 0 {
					t.Fatalf("%s (%s), notes %v", x.Outcome, x.Cause, x.Notes)
				}
				a := x.Answer
				if !same(t, a.Message, aloud) {
					t.Errorf("message %s", a.Message)
				}
				if a.FinishReason != "tool_calls" || a.Usage.PromptTokens != 120 || a.Usage.CompletionTokens != 21 || *a.Usage.CachedTokens != 64 {
					t.Errorf("answer %+v", a)
				}
				if string(a.Extra) != `{"model":"m"}` {
					t.Errorf("extra %s", a.Extra)
				}
				var channels []string
				for k := range x.Chunks.All() {
					channels = append(channels, fmt.Sprintf("%d:%d", k.Channel, k.Bytes))
				}
				// Name and arguments of a call come one after the other.
				if got := strings.Join(channels, " "); got != "2:7 2:4 1:8 1:4 3:4 3:8 3:9 3:4 3:2" {
					t.Errorf("chunks %s", got)
				}
				if x.Timing.FirstAnswer <= x.Timing.FirstToken || x.Timing.Done < x.Timing.LastToken {
					t.Errorf("timing %+v", x.Timing)
				}
			})
		})
	}
}

func TestCompletions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := coretest.Spoken{Content: []string{"a", "b"}, Finish: "length", Prompt: 9, Cached: 4, Output: 2}
		x := play(t, chat.APICompletions, coretest.Stream(coretest.Speak(chat.APICompletions, s)...))
		if x.Outcome != sample.OK || messageOf(t, x).text() != "ab" || x.Answer.FinishReason != "length" || x.Answer.Usage.PromptTokens != 9 {
			t.Errorf("%s (%s) %+v", x.Outcome, x.Cause, x.Answer)
		}
	})
}

// TestDocuments reads whole answers.
func TestDocuments(t *testing.T) {
	for api, body := range map[chat.API]string{chat.APIResponses: called.Response(), chat.APIMessages: called.Message()} {
		t.Run(string(api), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, &coretest.Script{Replies: []coretest.Reply{coretest.Document(200, body)}}, endpoint.Config{API: api})
				x := &sample.Exchange{Timing: sample.NoTiming()}
				b.client.Issue(t.Context(), &chat.Request{Body: [][]byte{[]byte("{}")}}, x)
				if x.Outcome != sample.OK || len(x.Notes) > 0 || !same(t, x.Answer.Message, aloud) {
					t.Fatalf("%s (%s), notes %v: %+v", x.Outcome, x.Cause, x.Notes, x.Answer)
				}
				if u := x.Answer.Usage; x.Answer.FinishReason != "tool_calls" || u.PromptTokens != 120 || *u.CachedTokens != 64 || u.CompletionTokens != 21 {
					t.Errorf("answer %+v", x.Answer)
				}
			})
		})
	}
}

func TestFinishReasons(t *testing.T) {
	for _, tt := range []struct {
		api          chat.API
		events, want string
	}{
		{chat.APIMessages, "stop_sequence", "stop"},
		{chat.APIMessages, "model_context_window_exceeded", "length"},
		{chat.APIMessages, "refusal", "content_filter"},
		{chat.APIMessages, "pause_turn", "pause_turn"},
		{chat.APIResponses, "max_output_tokens", "length"},
		{chat.APIResponses, "content_filter", "content_filter"},
	} {
		t.Run(tt.events, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				events := []string{
					coretest.Named("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`),
					coretest.Named("message_delta", `{"type":"message_delta","delta":{"stop_reason":%q}}`, tt.events),
					coretest.Named("message_stop", `{"type":"message_stop"}`),
				}
				if tt.api == chat.APIResponses {
					events = []string{
						coretest.Data(`{"type":"response.output_text.delta","output_index":0,"delta":"a"}`),
						coretest.Data(`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":%q}}}`, tt.events),
					}
				}
				if x := play(t, tt.api, coretest.Stream(events...)); x.Outcome != sample.OK || x.Answer.FinishReason != tt.want {
					t.Errorf("%s (%s): %+v", x.Outcome, x.Cause, x.Answer)
				}
			})
		})
	}
}

// TestUsageAtTheEnd is how vLLM tells what its cache held: the first count holds all, the last one its parts.
func TestUsageAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := play(t, chat.APIMessages, coretest.Stream(
			coretest.Named("message_start", `{"type":"message_start","message":{"role":"assistant","content":[],"usage":{"input_tokens":300,"output_tokens":0}}}`),
			coretest.Named("content_block_delta", `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"}}`),
			coretest.Named("message_delta", `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"input_tokens":44,"cache_read_input_tokens":256,"output_tokens":7}}`),
			coretest.Named("message_stop", `{"type":"message_stop"}`)))
		if u := x.Answer.Usage; u.PromptTokens != 300 || *u.CachedTokens != 256 || u.CompletionTokens != 7 {
			t.Errorf("usage %+v", u)
		}
	})
}

func TestHostileReplies(t *testing.T) {
	for _, api := range []chat.API{chat.APICompletions, chat.APIResponses, chat.APIMessages} {
		for _, h := range coretest.HostileReplies(api) {
			t.Run(string(api)+"/"+h.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					x := play(t, api, h.Reply)
					if string(x.Outcome) != h.Outcome || !strings.Contains(x.Cause, h.Cause) {
						t.Errorf("%s (%s), want %s (%s)", x.Outcome, x.Cause, h.Outcome, h.Cause)
					}
					if got := messageOf(t, x).text(); got != h.Text {
						t.Errorf("text %q, want %q", got, h.Text)
					}
				})
			})
		}
	}
}

func TestCredentials(t *testing.T) {
	for name, tt := range map[string]struct {
		config    endpoint.Config
		want, not string
	}{
		"key by chat":        {endpoint.Config{APIKey: "sk-secret"}, "Authorization: Bearer sk-secret\r\n", "Anthropic"},
		"key by responses":   {endpoint.Config{API: chat.APIResponses, APIKey: "sk-secret"}, "Authorization: Bearer sk-secret\r\n", "Anthropic"},
		"key by messages":    {endpoint.Config{API: chat.APIMessages, APIKey: "sk-secret"}, "X-Api-Key: sk-secret\r\nAnthropic-Version: 2023-06-01\r\n", "Authorization"},
		"no key by messages": {endpoint.Config{API: chat.APIMessages}, "Anthropic-Version: 2023-06-01\r\n", "X-Api-Key"},
		"own headers": {endpoint.Config{API: chat.APIMessages, APIKey: "sk-secret", Headers: []endpoint.Header{
			{Name: "anthropic-version", Value: "2"}, {Name: "Authorization", Value: "Bearer t"},
		}}, "Authorization: Bearer t\r\n", "2023"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, &coretest.Script{Replies: []coretest.Reply{coretest.Document(401, `{"error":{"message":"no sk-secret"}}`)}}, tt.config)
				x := b.ask(t.Context(), `{}`)
				if strings.Contains(x.Cause, "sk-secret") && tt.config.APIKey != "" {
					t.Errorf("the cause shows the key: %s", x.Cause)
				}
				head := string(b.endpoint.Requests()[0].Head)
				if !strings.Contains(head, tt.want) || strings.Contains(head, tt.not) {
					t.Errorf("head\n%s", head)
				}
			})
		})
	}
}
