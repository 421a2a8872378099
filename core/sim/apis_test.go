package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sample"
	"paceline/core/sim"
)

// post asks a path and returns the status and the whole body.
func (b *bench) post(path, body string) (int, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, baseURL+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Error(err)
	}
	return resp.StatusCode, string(text)
}

var twice = sim.Answer{Reasoning: "hmm, well", Content: "I say \"é\"", ToolCalls: []sim.ToolCall{{ID: "c1", Name: "f", Arguments: `{"a": 1}`}, {ID: "c2", Name: "g", Arguments: "{}"}}}

func give(a sim.Answer) func(*sim.Request) (sim.Answer, bool) {
	return func(*sim.Request) (sim.Answer, bool) { return a, true }
}

// TestStreamsOfAPIs holds whole streams and documents against golden ones.
func TestStreamsOfAPIs(t *testing.T) {
	inBubble(t, sim.Config{Answer: give(twice), TokensPerChunk: 2}, func(b *bench) {
		var all strings.Builder
		for _, ask := range []struct{ path, body string }{
			{"/v1/responses", `{"model":"m","input":"hello","stream":true}`},
			{"/v1/responses", `{"model":"m","input":"hello","max_output_tokens":5}`},
			{"/v1/messages", `{"model":"m","max_tokens":50,"messages":[{"role":"user","content":"hello"}],"stream":true}`},
			{"/v1/messages", `{"model":"m","max_tokens":50,"messages":[{"role":"user","content":"hello"}]}`},
			{"/v1/completions", `{"model":"m","prompt":[1,2,3],"stream":true,"return_token_ids":true,"stream_options":{"include_usage":true},"max_tokens":4}`},
			{"/v1/completions", `{"model":"m","prompt":"hello","max_tokens":3}`},
		} {
			status, body := b.post(ask.path, ask.body)
			fmt.Fprintf(&all, "# %s %s\n%d\n%s\n", ask.path, ask.body, status, body)
		}
		coretest.Golden(t, "testdata/apis.txt", []byte(all.String()))
	})
}

func TestRefusalsOfAPIs(t *testing.T) {
	inBubble(t, sim.Config{MaxContext: 100, Answer: say("word")}, func(b *bench) {
		for _, tt := range []struct {
			path, body string
			status     int
			want       string
		}{
			{"/v1/completions", `{"model":"m"}`, 400, "prompt must not be empty"},
			{"/v1/completions", `{"model":"m","prompt":[1,-2]}`, 400, "want a text or a list of token ids"},
			{"/v1/completions", `{"model":"m","prompt":[4294967296]}`, 400, "above 32 bits"},
			{"/v1/responses", `{"model":"m","input":[]}`, 400, "input must not be empty"},
			{"/v1/responses", `{"model":"m","input":[{"role":"boss"}]}`, 400, `input[0]: role \"boss\" is not known`},
			{"/v1/responses", `{"model":"m","input":[{"type":"item_reference"}]}`, 400, `type \"item_reference\"`},
			{"/v1/responses", `{"model":"m","input":"a","tools":7}`, 400, "tools"},
			{"/v1/messages", `{"model":"m","messages":[{"role":"system","content":"a"}]}`, 400, `{"type":"error","error":{"type":"invalid_request_error","message":"the body is not a message request: messages[0]: role \"system\" is not taken here"}}`},
			{"/v1/messages", `{"model":"m","messages":[{"role":"user","content":[{"type":"video"}]}]}`, 400, `type \"video\"`},
			{"/v1/messages", `{"model":"x","messages":[{"role":"user","content":"a"}]}`, 404, `"message":"the model`},
			{"/v1/messages", `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"` + strings.Repeat("word", 120) + `"}]}`, 400, "maximum context length"},
		} {
			if status, body := b.post(tt.path, tt.body); status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("%s %.60s: %d %s", tt.path, tt.body, status, body)
			}
		}
	})
}

// TestTokenIDs: a prompt of ids has as many tokens as ids, an answer tells as many as it has, and one that goes back as it came
// is found in the cache.
func TestTokenIDs(t *testing.T) {
	inBubble(t, sim.Config{}, func(b *bench) {
		type answer struct {
			Choices []struct {
				Text  string
				IDs   []uint32 `json:"token_ids"`
				Given []uint32 `json:"prompt_token_ids"`
			}
			Usage struct {
				Prompt     int `json:"prompt_tokens"`
				Completion int `json:"completion_tokens"`
				Details    struct {
					Cached int `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			}
		}
		ask := func(ids []uint32) (a answer) {
			prompt, _ := json.Marshal(ids)
			status, body := b.post("/v1/completions", fmt.Sprintf(`{"model":"m","prompt":%s,"max_tokens":40,"min_tokens":40,"ignore_eos":true,"return_token_ids":true}`, prompt))
			if err := json.Unmarshal([]byte(body), &a); err != nil || status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			return a
		}
		first := make([]uint32, 100)
		for i := range first {
			first[i] = uint32(7 * i)
		}
		a := ask(first)
		if c := a.Choices[0]; a.Usage.Prompt != 100 || a.Usage.Completion != 40 || len(c.IDs) != 40 || !slices.Equal(c.Given, first) {
			t.Fatalf("%+v", a)
		}
		second := ask(append(append(first, a.Choices[0].IDs...), 1, 2, 3))
		if second.Usage.Prompt != 143 || second.Usage.Details.Cached < 128 {
			t.Errorf("%+v", second.Usage)
		}
		if other := ask(append(first[:100:100], 5, 6)); other.Usage.Details.Cached != 96 {
			t.Errorf("another end: %+v", other.Usage)
		}
	})
}

// TestFaultsOfAPIs reads each fault with the runner's own client.
func TestFaultsOfAPIs(t *testing.T) {
	bodies := map[chat.API]string{
		chat.APICompletions: `{"model":"m","prompt":"hello","stream":true}`,
		chat.APIResponses:   `{"model":"m","input":"hello","stream":true}`,
		chat.APIMessages:    `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"hello"}],"stream":true}`,
	}
	for fault, want := range map[string]sample.Outcome{
		"": sample.OK, "status-429": sample.Overload, "status-503": sample.Overload, "status-500": sample.Status, "truncated": sample.Truncated,
		"error-event": sample.InBandError, "malformed-event": sample.MalformedStream, "crlf": sample.OK, "early-role": sample.OK,
		"no-usage": sample.OK, "reset-midstream": sample.Reset, "hang": sample.Timeout, "no-done": sample.OK,
	} {
		for api, body := range bodies {
			c := sim.Config{Answer: say(text("a", 30))}
			if fault != "" {
				c.Faults = []sim.Fault{{Name: fault, Rate: 1}}
			}
			inBubble(t, c, func(b *bench) {
				client, err := endpoint.New(endpoint.Config{URL: baseURL, API: api, Dial: b.network.Dial}, time.Now())
				if err != nil {
					t.Fatal(err)
				}
				defer client.Close()
				ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
				defer cancel()
				x := &sample.Exchange{Timing: sample.NoTiming()}
				client.Issue(ctx, &chat.Request{Body: [][]byte{[]byte(body)}, Stream: true}, x)
				wanted := want
				if fault == "no-done" && api == chat.APIResponses {
					wanted = sample.Truncated // its end mark is what tells how it ended
				}
				if x.Outcome != wanted {
					t.Errorf("%s by %s: %s (%s), want %s", fault, api, x.Outcome, x.Cause, wanted)
				}
				if x.Outcome == sample.OK && x.Answer.Usage.Reported == (fault == "no-usage" || api == chat.APICompletions) {
					t.Errorf("%s by %s: usage %+v", fault, api, x.Answer.Usage)
				}
			})
		}
	}
}
