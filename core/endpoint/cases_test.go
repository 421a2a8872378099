package endpoint_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

const engine = "engine:8000"

// bench is an endpoint that plays a script in the bubble of its test, and a client of it.
type bench struct {
	network  *coretest.Network
	endpoint *coretest.Endpoint
	client   *endpoint.Client
}

func newBench(t *testing.T, script *coretest.Script, config endpoint.Config) *bench {
	t.Helper()
	b := &bench{network: coretest.NewNetwork()}
	l, err := b.network.Listen(engine)
	if err != nil {
		t.Fatal(err)
	}
	b.endpoint = coretest.Start(t, l, script)
	if config.URL == "" {
		config.URL = "http://" + engine
	}
	config.Dial = b.network.Dial
	b.client, err = endpoint.New(config, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.client.Close)
	return b
}

// ask sends one request that asks for a stream.
func (b *bench) ask(ctx context.Context, body string, headers ...chat.Header) *sample.Exchange {
	x := &sample.Exchange{Timing: sample.NoTiming()}
	b.client.Issue(ctx, &chat.Request{Body: [][]byte{[]byte(body)}, Size: int64(len(body)), Stream: true, Headers: headers}, x)
	return x
}

// expected is what expected.json says of one request.
type expected struct {
	Outcome      string
	Class        string `json:"error_class"`
	Contains     string `json:"error_contains"`
	Text         *string
	TextSHA      string `json:"text_sha256"`
	TextLength   int    `json:"text_length"`
	Reasoning    *string
	Finish       string `json:"finish_reason"`
	Note         string
	Empty        bool                                   `json:"empty_answer"`
	Malformed    *int                                   `json:"malformed_events"`
	OutputTokens *uint64                                `json:"output_tokens"`
	PromptTokens *uint64                                `json:"prompt_tokens"`
	Events       *int                                   `json:"content_events"`
	TTFT         any                                    `json:"ttft_ms"` // a number, or null for none
	FirstContent any                                    `json:"first_content_ms"`
	LastToken    *float64                               `json:"last_token_ms"`
	End          *float64                               `json:"stream_end_ms"`
	Gaps         []uint64                               `json:"inter_chunk_ms"`
	TPOT         *float64                               `json:"tpot_ms"`
	ReceivedLen  int64                                  `json:"received_body_bytes"`
	ReceivedSHA  string                                 `json:"received_body_sha256"`
	ToolCalls    []struct{ ID, Name, Arguments string } `json:"tool_calls"`

	given map[string]json.RawMessage
}

func (e *expected) UnmarshalJSON(data []byte) error {
	type plain expected
	if err := json.Unmarshal(data, (*plain)(e)); err != nil {
		return err
	}
	return json.Unmarshal(data, &e.given)
}

type message struct {
	Role      string
	Content   *string
	Reasoning string `json:"reasoning_content"`
	ToolCalls []struct {
		ID       string
		Type     string
		Function struct{ Name, Arguments string }
	} `json:"tool_calls"`
}

func messageOf(t *testing.T, x *sample.Exchange) (m message) {
	t.Helper()
	if x.Answer == nil {
		return m
	}
	if err := json.Unmarshal(x.Answer.Message, &m); err != nil {
		t.Fatalf("message %s: %v", x.Answer.Message, err)
	}
	return m
}

func (m message) text() string {
	if m.Content == nil {
		return ""
	}
	return *m.Content
}

// TestCases plays the cases on streams, counting and timing. In virtual time every instant is exact; only where the script
// spreads writes that belong to one instant, the case's tolerance is needed.
func TestCases(t *testing.T) {
	for _, name := range []string{
		"01", "02", "03", "04", "05", "07", "08", "09", "11", "12", "13", "14", "15", "16", "18", "19", "20", "21", "23", "24", "25",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := coretest.LoadCase(t, name)
				script := c.Script(t)
				var file struct {
					Requests  []expected
					Tolerance float64 `json:"tolerance_ms"`
				}
				c.Decode(t, "expected.json", &file)
				if len(file.Requests) == 0 {
					file.Requests = make([]expected, 1)
					c.Decode(t, "expected.json", &file.Requests[0])
				}
				b := newBench(t, script, endpoint.Config{Path: script.Path})
				for i, want := range file.Requests {
					tolerance := 0.0
					if script.Gap > 0 {
						tolerance = file.Tolerance
					}
					x := b.ask(t.Context(), `{"stream":true,"max_tokens":64}`)
					check(t, fmt.Sprintf("request %d", i+1), want, x, tolerance)
				}
			})
		})
	}
}

func check(t *testing.T, name string, want expected, x *sample.Exchange, tolerance float64) {
	t.Helper()
	checkOutcome(t, name, want, x)
	checkTiming(t, name, want, x, tolerance)
	m := messageOf(t, x)
	if want.Text != nil && m.text() != *want.Text {
		t.Errorf("%s: text %q, want %q", name, m.text(), *want.Text)
	}
	if sum := sha256.Sum256([]byte(m.text())); want.TextSHA != "" && hex.EncodeToString(sum[:]) != want.TextSHA {
		t.Errorf("%s: text of %d bytes has another digest", name, len(m.text()))
	}
	if want.TextLength > 0 && len(m.text()) != want.TextLength {
		t.Errorf("%s: text of %d bytes, want %d", name, len(m.text()), want.TextLength)
	}
	if want.Reasoning != nil && m.Reasoning != *want.Reasoning {
		t.Errorf("%s: reasoning %q, want %q", name, m.Reasoning, *want.Reasoning)
	}
	for i, call := range want.ToolCalls {
		if len(m.ToolCalls) != len(want.ToolCalls) || m.ToolCalls[i].ID != call.ID || m.ToolCalls[i].Function.Name != call.Name || m.ToolCalls[i].Function.Arguments != call.Arguments {
			t.Errorf("%s: calls %+v, want %+v", name, m.ToolCalls, want.ToolCalls)
		}
	}
	if want.Finish != "" && x.Answer.FinishReason != want.Finish {
		t.Errorf("%s: finish reason %q, want %q", name, x.Answer.FinishReason, want.Finish)
	}
	if want.OutputTokens != nil && x.Answer.Usage.CompletionTokens != *want.OutputTokens {
		t.Errorf("%s: %d output tokens, want %d", name, x.Answer.Usage.CompletionTokens, *want.OutputTokens)
	}
	if want.PromptTokens != nil && x.Answer.Usage.PromptTokens != *want.PromptTokens {
		t.Errorf("%s: %d prompt tokens, want %d", name, x.Answer.Usage.PromptTokens, *want.PromptTokens)
	}
}

var classes = map[string]sample.Outcome{
	"truncated": sample.Truncated, "empty_body": sample.EmptyBody, "connection": sample.Reset, "rate_limited": sample.Overload,
}

func checkOutcome(t *testing.T, name string, want expected, x *sample.Exchange) {
	t.Helper()
	switch {
	case want.Outcome == "success" && (x.Outcome != sample.OK || x.Cause != "" || x.Received != nil):
		t.Errorf("%s: %s (%s), want ok", name, x.Outcome, x.Cause)
	case want.Outcome != "success" && (!x.Outcome.Failed() || x.Cause == ""):
		t.Errorf("%s: %s, want a failure with its cause", name, x.Outcome)
	case want.Class != "" && x.Outcome != classes[want.Class]:
		t.Errorf("%s: %s, want %s", name, x.Outcome, want.Class)
	}
	if !strings.Contains(x.Cause, want.Contains) {
		t.Errorf("%s: cause %q, want %q in it", name, x.Cause, want.Contains)
	}
	for note, wanted := range map[string]bool{
		sample.NoteMissingDone: want.Note == "missing_done", sample.NoteEmptyAnswer: want.Empty,
	} {
		if _, said := want.given["tpot_ms"]; said && note == sample.NoteMissingDone {
			continue // streams of these cases end without an end mark, and nothing is said of it
		}
		if note == sample.NoteMissingDone && want.Note == "" || x.Outcome != sample.OK {
			continue
		}
		if slices.Contains(x.Notes, note) != wanted {
			t.Errorf("%s: notes %v, want %s: %v", name, x.Notes, note, wanted)
		}
	}
	if want.Malformed != nil && x.Malformed != *want.Malformed {
		t.Errorf("%s: %d malformed events, want %d", name, x.Malformed, *want.Malformed)
	}
	if want.ReceivedLen > 0 && (x.Received == nil || x.Received.Bytes != want.ReceivedLen || x.Received.SHA256.String() != want.ReceivedSHA) {
		t.Errorf("%s: received %+v", name, x.Received)
	}
}

func ms(o, from sample.Offset) any {
	d, ok := o.Since(from)
	if !ok {
		return nil
	}
	return float64(d) / float64(time.Millisecond)
}

func checkTiming(t *testing.T, name string, want expected, x *sample.Exchange, tolerance float64) {
	t.Helper()
	near := func(what string, got, want any) {
		t.Helper()
		g, ok1 := got.(float64)
		w, ok2 := want.(float64)
		if ok1 != ok2 || g < w || g > w+tolerance {
			t.Errorf("%s: %s %v, want %v", name, what, got, want)
		}
	}
	tm := x.Timing
	if _, said := want.given["ttft_ms"]; said {
		near("TTFT", ms(tm.FirstToken, tm.Sent), want.TTFT)
	}
	if _, said := want.given["first_content_ms"]; said {
		near("first content", ms(tm.FirstAnswer, tm.Sent), want.FirstContent)
	}
	if want.LastToken != nil {
		near("last token", ms(tm.LastToken, tm.Sent), *want.LastToken)
	}
	if want.End != nil {
		near("end", ms(tm.Done, tm.Sent), *want.End)
	}
	if x.Outcome == sample.OK && (tm.Done < tm.LastToken || tm.LastToken < tm.FirstToken || tm.BodySent < tm.Sent || tm.FirstByte < tm.BodySent) {
		t.Errorf("%s: instants out of order: %+v", name, tm)
	}
	if err := x.Chunks.Check(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	var gaps []uint64
	content := 0
	for k := range x.Chunks.All() {
		if gaps = append(gaps, k.GapMicros/1000); k.Channel == chat.Content {
			content++
		}
	}
	if want.Gaps != nil {
		if d := cmp.Diff(want.Gaps, gaps[1:]); d != "" {
			t.Errorf("%s: gaps (-want +got):\n%s", name, d)
		}
	}
	if want.Events != nil && content != *want.Events {
		t.Errorf("%s: %d content chunks, want %d", name, content, *want.Events)
	}
	if n := *cmpOr(want.OutputTokens); want.TPOT != nil && n > 1 {
		if got := (ms(tm.LastToken, tm.FirstToken)).(float64) / float64(n-1); got != *want.TPOT {
			t.Errorf("%s: TPOT %v, want %v", name, got, *want.TPOT)
		}
	}
}

func cmpOr(n *uint64) *uint64 {
	if n == nil {
		return new(uint64)
	}
	return n
}

// TestTokensOfChunks is case 21: usage in every chunk tells the tokens of each one.
func TestTokensOfChunks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := newBench(t, coretest.LoadCase(t, "21").Script(t), endpoint.Config{}).ask(t.Context(), "{}")
		var got []uint64
		for k := range x.Chunks.All() {
			if !k.Told {
				t.Errorf("chunk %+v was not told", k)
			}
			got = append(got, k.Tokens)
		}
		if d := cmp.Diff([]uint64{1, 3, 3, 3, 3, 3}, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	})
}

// TestBigLine is the larger form of case 08, and the limit that it must not meet in silence.
func TestBigLine(t *testing.T) {
	text := strings.Repeat("abcd ", 1<<20)
	stream := `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n" +
		`data: {"choices":[{"index":0,"delta":{"content":"end"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
	for limit, want := range map[int64]sample.Outcome{0: sample.OK, 1 << 20: sample.TooLarge} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, oneReply(stream, coretest.EndKeepAlive), endpoint.Config{MaxAnswer: limit, KeepReceived: 1000})
			x := b.ask(t.Context(), "{}")
			if x.Outcome != want {
				t.Fatalf("%s (%s), want %s", x.Outcome, x.Cause, want)
			}
			if want == sample.OK {
				if got := messageOf(t, x).text(); got != text+"end" {
					t.Errorf("text of %d bytes, want %d", len(got), len(text)+3)
				}
				return
			}
			if !strings.Contains(x.Cause, "1048576") || len(x.Received.Head) != 1000 || !x.Received.Cut || x.Received.Bytes <= limit {
				t.Errorf("%s; received %d bytes, head of %d", x.Cause, x.Received.Bytes, len(x.Received.Head))
			}
		})
	}
}

// oneReply answers every request with one stream at once.
func oneReply(stream string, end coretest.End) *coretest.Script {
	return &coretest.Script{Replies: []coretest.Reply{{
		Headers: []coretest.Header{{Name: "Content-Type", Value: "text/event-stream"}},
		Body:    []coretest.Step{{Data: []byte(stream)}}, End: end,
	}}}
}
