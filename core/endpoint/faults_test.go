package endpoint_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

func coretestMS(n int) time.Duration { return time.Duration(n) * time.Millisecond }

const (
	goodStream = `data: {"choices":[{"index":0,"delta":{"content":"A"}}]}` + "\n\n" +
		`data: {"choices":[{"index":0,"delta":{"content":"B"},"finish_reason":"stop"}]}` + "\n\n" +
		`data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\ndata: [DONE]\n\n"
	halfStream = `data: {"choices":[{"index":0,"delta":{"content":"A"}}]}` + "\n\n"
)

func document(status int, body string) *coretest.Script {
	return &coretest.Script{Replies: []coretest.Reply{{
		Status: status, Headers: []coretest.Header{{Name: "Content-Type", Value: "application/json"}},
		Body: []coretest.Step{{Data: []byte(body)}}, Coding: coretest.WithLength, End: coretest.EndKeepAlive,
	}}}
}

// TestFaults is the table of misbehaving servers: what the reference makes of them, what we do, and why.
func TestFaults(t *testing.T) {
	for name, tt := range map[string]struct {
		script    *coretest.Script
		outcome   sample.Outcome
		cause     string
		notes     []string
		reference string
		why       string
	}{
		"cut without end mark": {oneReply(halfStream, coretest.EndClose), sample.Truncated, "without finish reason", nil,
			"success with half the text", "a cut answer is short and fast, and would lift the numbers"},
		"cut before the end of the body": {oneReply(halfStream, coretest.EndCut), sample.Reset, "unexpected EOF", nil,
			"success with half the text", "the same"},
		"reset": {oneReply(halfStream, coretest.EndReset), sample.Reset, "reset", nil,
			"success with half the text", "the same"},
		"cut after the finish reason": {oneReply(strings.TrimSuffix(goodStream, "data: [DONE]\n\n"), coretest.EndCut), sample.OK, "", []string{"missing_done"},
			"success", "the stream had said all; the missing end is noted"},
		"error event": {oneReply(halfStream+`data: {"error":{"message":"boom"}}`+"\n\n", coretest.EndClose), sample.InBandError, "boom", nil,
			"success with half the text", "an error is one whatever the status"},
		"named error event": {oneReply("event: error\ndata: {\"message\":\"boom\"}\n\n", coretest.EndClose), sample.InBandError, "boom", nil,
			"ignored", "the same"},
		"overload inside": {oneReply(`data: {"error":{"message":"later","code":503}}`+"\n\n", coretest.EndClose), sample.Overload, "later", nil,
			"empty success", "the in-band form of 503"},
		"malformed event": {oneReply("data: {bad}\n\n"+goodStream, coretest.EndClose), sample.MalformedStream, "1 of 4", nil,
			"drops the rest of that read, success", "text may be missing, so the answer cannot be trusted"},
		"CRLF": {oneReply(strings.ReplaceAll(goodStream, "\n", "\r\n"), coretest.EndClose), sample.OK, "", nil,
			"parsed only at the end, TTFT equals latency", "CRLF ends a line"},
		"no choices": {document(200, `{"object":"chat.completion"}`), sample.NotAnAnswer, "without choices", nil,
			"failure", "the same as ours, with the body kept"},
		"not JSON": {document(200, `not json`), sample.NotAnAnswer, "no JSON", nil,
			"failure", "the same"},
		"content and reasoning in a document": {document(200, `{"choices":[{"message":{"content":"A","reasoning":"R"},"finish_reason":"stop"}]}`), sample.OK, "", []string{"no_usage", "not_streamed"},
			"failure", "both are legal together, and vLLM sends them"},
		"error document called a stream": {oneReply(`{"error":{"message":"no such model"}}`, coretest.EndClose), sample.InBandError, "no such model", nil,
			"empty success", "the type of the body says one thing, the body another"},
		"status 500": {document(500, `{"error":{"message":"boom"}}`), sample.Status, "status 500: boom", nil,
			"failure inside completed counts and latencies", "failures have a class of their own"},
		"status 503": {document(503, `busy`), sample.Overload, "status 503: busy", nil, "failure", "told apart: a reader acts otherwise on it"},
		"status 403": {document(403, `{"detail":"no"}`), sample.Auth, "no", nil, "failure", "the same"},
		"redirect":   {document(302, ``), sample.Status, "302", nil, "failure", "no redirect is followed"},
		"not HTTP":   {nil, sample.MalformedStream, "SSH-2.0", nil, "failure", "names what answered"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := benchOf(t, tt.script)
				x := b.ask(t.Context(), "{}")
				if x.Outcome != tt.outcome || !strings.Contains(x.Cause, tt.cause) || !slices.Equal(x.Notes, tt.notes) {
					t.Errorf("got %s (%s) %v, want %s (%s) %v", x.Outcome, x.Cause, x.Notes, tt.outcome, tt.cause, tt.notes)
				}
				if x.Outcome.Failed() && x.Received == nil && tt.script != nil && name != "redirect" {
					t.Error("no evidence was kept")
				}
			})
		})
	}
}

// benchOf plays a script, or a server that speaks another protocol.
func benchOf(t *testing.T, script *coretest.Script) *bench {
	if script != nil {
		return newBench(t, script, endpoint.Config{})
	}
	b := &bench{network: coretest.NewNetwork()}
	serve(t, b.network, func(c net.Conn) { io.WriteString(c, "SSH-2.0-x\r\n") })
	b.dialled(t, endpoint.Config{})
	return b
}

// serve runs f on each connection of the engine's address, and closes it after.
func serve(t *testing.T, network *coretest.Network, f func(net.Conn)) {
	l, err := network.Listen(engine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				f(c)
				c.Close()
			}()
		}
	}()
}

func (b *bench) dialled(t *testing.T, config endpoint.Config) {
	config.URL, config.Dial = "http://"+engine, b.network.Dial
	var err error
	if b.client, err = endpoint.New(config, time.Now()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.client.Close)
}

// TestOverflow is how engines say that a prompt does not fit; texts follow theirs in form.
func TestOverflow(t *testing.T) {
	for name, body := range map[string]string{
		"case 54":             `{"error":{"message":"prompt is too long for this model","type":"invalid_request_error","code":"context_length_exceeded"}}`,
		"vLLM":                `{"object":"error","message":"This model's maximum context length is 8192 tokens. However, you requested 9000 tokens.","type":"BadRequestError","code":400}`,
		"vLLM, newer":         `{"error":{"message":"The decoder prompt (length 9000) is longer than the maximum model length of 8192.","type":"BadRequestError","param":null,"code":400}}`,
		"llama.cpp":           `{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_ctx":8192}}`,
		"llama.cpp in Python": `{"error":{"message":"This model's maximum context length is 8192 tokens, however you requested 9000 tokens (8000 in your prompt; 1000 for completion).","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`,
		"its older form":      `{"error":{"message":"Requested tokens (9000) exceed context window of 8192","type":"internal_server_error","code":null}}`,
		"SGLang":              `{"object":"error","message":"The input (9000 tokens) is longer than the model's context length (8192 tokens).","type":"BadRequestError","code":400}`,
	} {
		t.Run(name, func(t *testing.T) {
			for _, script := range []*coretest.Script{
				document(400, body), document(500, body), document(200, body), oneReply("data: "+body+"\n\n", coretest.EndClose),
			} {
				synctest.Test(t, func(t *testing.T) {
					x := newBench(t, script, endpoint.Config{}).ask(t.Context(), "{}")
					// With status 200 and no error member around it, only the event or an "object" tells that this is one.
					if x.Outcome != sample.ContextOverflow {
						t.Errorf("got %s (%s)", x.Outcome, x.Cause)
					}
				})
			}
		})
	}
}

func TestTimeLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		limit   func(context.Context) (context.Context, context.CancelFunc)
		outcome sample.Outcome
	}{
		"timeout": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, time.Second)
		}, sample.Timeout},
		"cancelled": {func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(time.Second, func() { cancel(errors.New("run ended")) })
			return ctx, func() { cancel(nil) }
		}, sample.Cancelled},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, oneReply(halfStream, coretest.EndHang), endpoint.Config{})
				ctx, cancel := tt.limit(t.Context())
				defer cancel()
				start := time.Now()
				x := b.ask(ctx, "{}")
				if x.Outcome != tt.outcome || time.Since(start) != time.Second {
					t.Errorf("got %s (%s) after %v", x.Outcome, x.Cause, time.Since(start))
				}
				if messageOf(t, x).text() != "A" || x.Received == nil || x.Timing.Done.Set() {
					t.Errorf("what arrived was not kept: %+v", x)
				}
				x = b.ask(ctx, "{}")
				if x.Outcome != tt.outcome || x.Timing.Sent.Set() {
					t.Errorf("after the end: %s, sent %v", x.Outcome, x.Timing.Sent)
				}
			})
		})
	}
}

func TestConnecting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{network: coretest.NewNetwork()}
		b.dialled(t, endpoint.Config{ConnectTimeout: 2 * time.Second})
		if x := b.ask(t.Context(), "{}"); x.Outcome != sample.ConnectRefused || x.Timing.Sent.Set() {
			t.Errorf("refused: got %s (%s)", x.Outcome, x.Cause)
		}
		b.network.OnDial = func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }
		start := time.Now()
		if x := b.ask(t.Context(), "{}"); x.Outcome != sample.Connect || time.Since(start) != 2*time.Second || !strings.Contains(x.Cause, "2s") {
			t.Errorf("black hole: got %s (%s) after %v", x.Outcome, x.Cause, time.Since(start))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if x := b.ask(ctx, "{}"); x.Outcome != sample.Timeout {
			t.Errorf("black hole with a time limit: got %s (%s)", x.Outcome, x.Cause)
		}
	})
}

// TestEarlyRefusal has a server that answers before it has read a large body, and goes on not reading.
func TestEarlyRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{network: coretest.NewNetwork()}
		serve(t, b.network, func(c net.Conn) {
			io.ReadFull(c, make([]byte, 100))
			io.WriteString(c, "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig")
			time.Sleep(time.Minute)
		})
		b.dialled(t, endpoint.Config{})
		start := time.Now()
		x := b.ask(t.Context(), strings.Repeat("x", 8<<20))
		if x.Outcome != sample.Status || x.Cause != "status 413: big" || time.Since(start) != 0 || x.Timing.BodySent.Set() {
			t.Errorf("got %s (%s) after %v, body sent %v", x.Outcome, x.Cause, time.Since(start), x.Timing.BodySent)
		}
		if s := b.client.Stats(); s.Idle != 0 {
			t.Errorf("the connection was kept: %+v", s)
		}
		time.Sleep(2 * time.Minute)
	})
}

// TestSecrets is case 38.
func TestSecrets(t *testing.T) {
	const key = "sk-test-7f3a9c-EXAMPLE"
	for name, config := range map[string]endpoint.Config{
		"key":            {APIKey: key},
		"header":         {Headers: []endpoint.Header{{Name: "Authorization", Value: "Bearer " + key}}},
		"another header": {APIKey: key, Headers: []endpoint.Header{{Name: "X-Api-Key", Value: key}}},
		"URL":            {URL: "http://user:" + key + "@" + engine},
		"query":          {APIKey: key, URL: "http://" + engine + "/?api-key=" + key},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := coretest.LoadCase(t, "38").Script(t)
				script.Replies[0].Headers = append(script.Replies[0].Headers, coretest.Header{Name: "X-Request-Id", Value: key})
				script.Replies[1].Headers = append(script.Replies[1].Headers, coretest.Header{Name: "X-Request-Id", Value: key})
				b := newBench(t, script, config)
				first, second := b.ask(t.Context(), "{}"), b.ask(t.Context(), "{}")
				if first.Outcome != sample.Auth || second.Outcome != sample.OK {
					t.Errorf("got %s (%s), %s (%s)", first.Outcome, first.Cause, second.Outcome, second.Cause)
				}
				if len(second.Answer.Headers) != 1 || second.Answer.Headers[0].Value != "[secret]" {
					t.Errorf("headers %v", second.Answer.Headers)
				}
				out, err := json.Marshal([]any{first, second, string(first.Received.Head), b.client.Info()})
				if err != nil {
					t.Fatal(err)
				}
				for _, secret := range []string{"7f3a9c", "dXNlcjpzay10ZXN0"} {
					if bytes.Contains(out, []byte(secret)) {
						t.Errorf("%s in %s", secret, out)
					}
				}
				for _, r := range b.endpoint.Requests() {
					want := "Bearer " + key
					if name == "URL" {
						want = "Basic dXNlcjpzay10ZXN0LTdmM2E5Yy1FWEFNUExF"
					}
					if got := r.Header.Get("Authorization"); got != want {
						t.Errorf("on the wire: %q", got)
					}
				}
			})
		})
	}
}

// TestSecretAtTheCut holds that a key which the limit of evidence cuts in two leaves no part.
func TestSecretAtTheCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, document(401, "bad key: sk-12345678"), endpoint.Config{APIKey: "sk-12345678", KeepReceived: 15})
		x := b.ask(t.Context(), "{}")
		if got := string(x.Received.Head); got != "bad key: " || !x.Received.Cut || x.Received.Bytes != 20 {
			t.Errorf("head %q of %d bytes", got, x.Received.Bytes)
		}
	})
}

// TestRetryOff is case 33: one attempt, and what the server asked for is told.
func TestRetryOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, coretest.LoadCase(t, "33").Script(t), endpoint.Config{})
		x := b.ask(t.Context(), "{}")
		if x.Outcome != sample.Overload || !strings.Contains(x.Cause, "Retry-After: 1") || !strings.Contains(x.Cause, "slow down") || len(b.endpoint.Requests()) != 1 {
			t.Errorf("got %s (%s) after %d attempts", x.Outcome, x.Cause, len(b.endpoint.Requests()))
		}
		if x := b.ask(t.Context(), "{}"); x.Outcome != sample.OK || x.Answer.Usage.CompletionTokens != 2 {
			t.Errorf("the next one: %s (%s)", x.Outcome, x.Cause)
		}
	})
}

func TestRequestHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, oneReply(goodStream, coretest.EndKeepAlive), endpoint.Config{
			APIKey: "sekret", Headers: []endpoint.Header{{Name: "X-Team", Value: "a"}},
		})
		x := b.ask(t.Context(), `{"a":1}`, chat.Header{Name: "X-Session-ID", Value: "c1\r\nX-Evil: 1"}, chat.Header{Name: "Content-Length", Value: "9"})
		if x.Outcome != sample.OK {
			t.Fatal(x.Cause)
		}
		want := "POST /v1/chat/completions HTTP/1.1\r\nHost: engine:8000\r\nAuthorization: Bearer sekret\r\nContent-Type: application/json\r\n" +
			"Accept: text/event-stream\r\nX-Team: a\r\nX-Session-ID: c1X-Evil: 1\r\nContent-Length: 7\r\n\r\n"
		if got := string(b.endpoint.Requests()[0].Head); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	})
}

// TestFragments holds that the wire carries the fragments' bytes in order, small and large ones mixed.
func TestFragments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, oneReply(goodStream, coretest.EndKeepAlive), endpoint.Config{})
		for range 2 {
			var body [][]byte
			for i := range 60 {
				body = append(body, bytes.Repeat([]byte{'a' + byte(i%26)}, i%7*1500))
			}
			x := &sample.Exchange{Timing: sample.NoTiming()}
			x.Timing.Due = 5
			b.client.Issue(t.Context(), &chat.Request{Body: body, Stream: true}, x)
			requests := b.endpoint.Requests()
			if got := requests[len(requests)-1].Body; !bytes.Equal(got, bytes.Join(body, nil)) || x.Outcome != sample.OK || x.Timing.Due != 5 {
				t.Errorf("%d bytes arrived, %s (%s), due %d", len(got), x.Outcome, x.Cause, x.Timing.Due)
			}
		}
	})
}
