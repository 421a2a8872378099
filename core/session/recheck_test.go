package session_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/coretest"
	"paceline/core/sample"
	"paceline/core/session"
)

// keepsQuiet is a target like llama.cpp's Python server: what it cannot do it ends in silence when a stream is asked for,
// and refuses in words when none is.
func keepsQuiet(turn string, silence, words coretest.Reply) *coretest.Script {
	asks := func(stream string) func(*coretest.Request) bool {
		return func(r *coretest.Request) bool {
			return bytes.Contains(r.Body, []byte(turn)) && bytes.Contains(r.Body, []byte(`"stream":`+stream))
		}
	}
	silence.When, words.When = asks("true"), asks("false")
	return &coretest.Script{Replies: []coretest.Reply{silence, words, three()}}
}

func said(status int, body string, after time.Duration) coretest.Reply {
	return coretest.Reply{
		Status: status, Headers: []coretest.Header{{Name: "Content-Type", Value: "application/json"}},
		Body: []coretest.Step{{At: after, Data: []byte(body)}}, Coding: coretest.WithLength, End: coretest.EndKeepAlive,
	}
}

const tooLong = `{"error":{"message":"This model's maximum context length is 8192 tokens. However, you requested 8243 tokens"}}`

func TestRecheck(t *testing.T) {
	pings := streamed(coretest.Step{At: ms(10), Data: []byte(": ping\n\n")})
	pings.End = coretest.EndClose
	nothing := coretest.Reply{Headers: pings.Headers, Coding: coretest.WithLength, End: coretest.EndKeepAlive}
	answer := `{"choices":[{"index":0,"message":{"role":"assistant","content":"x"},"finish_reason":"stop"}]}`
	for name, c := range map[string]struct {
		silence, words coretest.Reply
		quiet          bool
		outcome        sample.Outcome
		state          sample.State
		cause          string
		asked          int
	}{
		"empty": {nothing, said(400, tooLong, 0), false, sample.ContextOverflow, sample.Overflow,
			"status 200 and an empty body; the same request after the load, not streamed: status 400: This model's maximum", 1},
		"pings": {pings, said(400, tooLong, 0), false, sample.ContextOverflow, sample.Overflow,
			"the stream ended without any event; the same request after the load, not streamed: status 400: This model's", 1},
		"answered": {pings, said(200, answer, ms(100)), false, sample.Truncated, sample.Failed,
			"the stream ended without any event; the same request after the load, not streamed: ok", 1},
		"broken": {pings, said(500, `{"error":"no"}`, 0), false, sample.Truncated, sample.Failed,
			"the stream ended without any event; the same request after the load, not streamed: status 500: no", 1},
		"hangs": {pings, said(200, answer, time.Hour), false, sample.Truncated, sample.Failed,
			"the stream ended without any event; the same request after the load, not streamed: time limit of the turn", 1},
		"not asked": {pings, said(400, tooLong, 0), true, sample.Truncated, sample.Failed, "the stream ended without any event", 0},
	} {
		t.Run(name, func(t *testing.T) {
			run := &play{
				source: sourceOf(talk("a", 3), talk("b", 2)), stream: true, sched: users(2), quiet: c.quiet,
				script: keepsQuiet("a asks 1", c.silence, c.words),
			}
			p := run.run(t).good(t)
			r := p.journal(t)
			turn := r.Samples[1]
			if turn.Outcome != c.outcome || !strings.HasPrefix(turn.Cause, c.cause) {
				t.Errorf("%s: %s; want %s: %s", turn.Outcome, turn.Cause, c.outcome, c.cause)
			}
			overflow := c.outcome == sample.ContextOverflow
			if got := slices.Contains(turn.Notes, sample.NoteRechecked); got != overflow {
				t.Errorf("notes %v", turn.Notes)
			}
			i := slices.IndexFunc(r.Conversations, func(c sample.Conversation) bool { return c.Trajectory == "a" })
			if got := r.Conversations[i]; got.State != c.state || got.Cause != "turn 1: "+string(c.outcome) {
				t.Errorf("conversation %s: %s", got.State, got.Cause)
			}
			if len(r.Rechecks) != c.asked {
				t.Errorf("%d rechecks, want %d", len(r.Rechecks), c.asked)
			}
			p.comparesBodies(t, c.asked)
			p.recomputes(t, p.judge(t, &session.Judges{}))
		})
	}
}

// comparesBodies checks that what was asked again came after all else, and differs from the turn's request in the stream
// alone.
func (p *played) comparesBodies(t *testing.T, asked int) {
	t.Helper()
	var posts []coretest.Request
	for _, r := range p.requests {
		if r.Method == http.MethodPost {
			posts = append(posts, r)
		}
	}
	if len(posts) != 4+asked { // two turns of a, two of b
		t.Fatalf("%d requests, want %d", len(posts), 4+asked)
	}
	if asked == 0 {
		return
	}
	again := posts[4]
	at := slices.IndexFunc(posts, func(r coretest.Request) bool { return bytes.Contains(r.Body, []byte("a asks 1")) })
	want := strings.Replace(string(posts[at].Body), `"stream":true,"stream_options":{"include_usage":true}`, `"stream":false`, 1)
	if d := cmp.Diff(want, string(again.Body)); d != "" {
		t.Errorf("asked again (-want +got):\n%s", d)
	}
}
