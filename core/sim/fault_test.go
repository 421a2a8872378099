package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"paceline/core/sim"

	"github.com/google/go-cmp/cmp"
)

// verdict is what a careful client makes of an answer.
type verdict struct {
	Status, Tokens int
	Finish         string
	Done, Usage    bool
	Err            error
	Has            string // a part of the body
}

func judge(r reply, has string) verdict {
	v := verdict{Status: r.status, Tokens: len(r.tokens), Finish: r.finish, Done: r.done, Usage: r.usage != nil}
	for _, err := range []error{syscall.ECONNRESET, context.DeadlineExceeded} {
		if errors.Is(r.err, err) {
			v.Err = err
		}
	}
	if r.err != nil && v.Err == nil {
		v.Err = r.err
	}
	if strings.Contains(r.body, has) {
		v.Has = has
	}
	return v
}

func TestFaults(t *testing.T) {
	const reset = syscall.ECONNRESET
	tests := map[string]struct{ stream, whole verdict }{
		"status-429":      {verdict{Status: 429, Has: "rate_limit"}, verdict{Status: 429, Has: "rate_limit"}},
		"status-500":      {verdict{Status: 500, Has: `"error"`}, verdict{Status: 500, Has: `"error"`}},
		"status-503":      {verdict{Status: 503, Has: `"error"`}, verdict{Status: 503, Has: `"error"`}},
		"reset":           {verdict{Err: reset}, verdict{Err: reset}},
		"reset-midstream": {verdict{Status: 200, Tokens: 5, Err: reset}, verdict{Status: 200, Err: reset}},
		"truncated":       {verdict{Status: 200, Tokens: 5}, verdict{Status: 200}},
		"no-done":         {verdict{Status: 200, Tokens: 10, Finish: "stop", Usage: true}, verdict{Status: 200, Tokens: 1, Finish: "stop", Usage: true}},
		"hang":            {verdict{Status: 200, Tokens: 5, Err: context.DeadlineExceeded}, verdict{Status: 200, Err: context.DeadlineExceeded}},
		"hang-early":      {verdict{Err: context.DeadlineExceeded}, verdict{Err: context.DeadlineExceeded}},
		"error-event":     {verdict{Status: 200, Tokens: 5, Done: true, Has: `{"error":{`}, verdict{Status: 200, Has: `{"error":{`}},
		"html":            {verdict{Status: 200, Has: "<html>"}, verdict{Status: 200, Has: "<html>"}},
		"empty-body":      {verdict{Status: 200}, verdict{Status: 200}},
		"silent-overflow": {verdict{Status: 200, Tokens: 10, Finish: "stop", Done: true, Usage: true}, verdict{Status: 200, Tokens: 1, Finish: "stop", Usage: true}},
		"malformed-event": {verdict{Status: 200, Tokens: 10, Finish: "stop", Done: true, Usage: true, Has: "\"del\n"}, verdict{Status: 200}},
		"slow":            {verdict{Status: 200, Tokens: 10, Finish: "stop", Done: true, Usage: true}, verdict{Status: 200, Tokens: 1, Finish: "stop", Usage: true}},
		"crlf":            {verdict{Status: 200, Tokens: 10, Finish: "stop", Done: true, Usage: true, Has: "]\r\n\r\n"}, verdict{Status: 200, Tokens: 1, Finish: "stop", Usage: true}},
		"early-role":      {verdict{Status: 200, Tokens: 10, Finish: "stop", Done: true, Usage: true}, verdict{Status: 200, Tokens: 1, Finish: "stop", Usage: true}},
		"no-usage":        {verdict{Status: 200, Tokens: 10, Finish: "stop", Done: true}, verdict{Status: 200, Tokens: 1, Finish: "stop"}},
	}
	for _, name := range sim.FaultNames() {
		t.Run(name, func(t *testing.T) {
			test, ok := tests[name]
			if !ok || sim.FaultHelp(name) == "" {
				t.Fatal("this fault has no test or no help")
			}
			c := sim.Config{Answer: say(text("a", 10)), Faults: []sim.Fault{{Name: name, Requests: []int{1, 3}}}}
			inBubble(t, c, func(b *bench) {
				ctx, cancel := context.WithTimeout(b.t.Context(), time.Minute)
				defer cancel()
				if diff := cmp.Diff(test.stream, judge(b.askWithin(ctx, prompt(streaming, "hello")), test.stream.Has)); diff != "" {
					t.Errorf("streamed (-want +got):\n%s", diff)
				}
				if r := b.ask(prompt(streaming, "hello")); r.text != text("a", 10) || !r.done || r.usage == nil {
					t.Errorf("the request after it got %+v", r)
				}
				ctx, cancel = context.WithTimeout(b.t.Context(), time.Minute)
				defer cancel()
				if diff := cmp.Diff(test.whole, judge(b.askWithin(ctx, prompt("", "hello")), test.whole.Has)); diff != "" {
					t.Errorf("whole (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestFaultInstants(t *testing.T) {
	first := prefillTime(10, 0)
	for name, want := range map[string][2]time.Duration{ // role chunk, first token
		"":           {first, first},
		"early-role": {0, first},
		"slow":       {time.Second + first, time.Second + first},
	} {
		c := sim.Config{Answer: say("aaaa")}
		if name != "" {
			c.Faults = []sim.Fault{{Name: name, Rate: 1, Delay: time.Second}}
		}
		inBubble(t, c, func(b *bench) {
			r := b.ask(prompt(streaming, text("p", 8)))
			if got := [2]time.Duration{r.events[0].at, r.tokens[0]}; got != want {
				t.Errorf("%q: role and first token came after %v, want %v", name, got, want)
			}
		})
	}
}

func TestFaultChoice(t *testing.T) {
	c := sim.Config{Answer: say("aaaa"), Seed: 7, Faults: []sim.Fault{
		{Name: "status-503", When: func(r *sim.Request) bool { return r.LastUser() == "bad" }},
		{Name: "status-500", Rate: 0.25},
	}}
	hit := func(c sim.Config) (hits []int) {
		inBubble(t, c, func(b *bench) {
			if r := b.ask(prompt(streaming, "bad")); r.status != 503 {
				t.Errorf("the chosen request got %d", r.status)
			}
			for i := range 200 {
				if b.ask(prompt(streaming, fmt.Sprint("prompt ", i))).status == 500 {
					hits = append(hits, i)
				}
			}
		})
		return hits
	}
	first := hit(c)
	if len(first) < 30 || len(first) > 70 {
		t.Errorf("%d of 200 requests failed, want about 50", len(first))
	}
	if diff := cmp.Diff(first, hit(c)); diff != "" {
		t.Errorf("the same seed hits others:\n%s", diff)
	}
	c.Seed = 8
	if cmp.Equal(first, hit(c)) {
		t.Error("another seed hits the same")
	}
}

func TestFaultPosition(t *testing.T) {
	c := sim.Config{Answer: say(text("a", 10)), Faults: []sim.Fault{{Name: "truncated", Rate: 1, After: 2}}}
	inBubble(t, c, func(b *bench) {
		if r := b.ask(prompt(streaming, "x")); len(r.tokens) != 2 || r.done {
			t.Errorf("%d tokens came", len(r.tokens))
		}
	})
}

func TestParseFault(t *testing.T) {
	f, err := sim.ParseFault("reset=0.25")
	if err != nil || f.Name != "reset" || f.Rate != 0.25 {
		t.Errorf("got %+v, %v", f, err)
	}
	for text, want := range map[string]string{
		"reset": "not NAME=RATE", "reset=x": "no number", "reset=2": "between 0 and 1",
		"reset=NaN": "between 0 and 1", "rest=0.1": "one of crlf, early-role",
	} {
		if _, err := sim.ParseFault(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseFault(%q) = %v, want %q", text, err, want)
		}
	}
}

// TestSilentOverflow: what does not fit gets nothing where a stream was asked for, and the reason where none was.
func TestSilentOverflow(t *testing.T) {
	c := sim.Config{MaxContext: 64, Answer: say(text("a", 10)), Faults: []sim.Fault{{Name: "silent-overflow", Rate: 1}}}
	inBubble(t, c, func(b *bench) {
		long := strings.Repeat("word ", 200)
		if r := b.ask(prompt(streaming, long)); r.status != 200 || r.body != "" {
			t.Errorf("streamed: status %d, %q", r.status, r.body)
		}
		if r := b.ask(prompt("", long)); r.status != 400 || !strings.Contains(r.body, "maximum context length is 64 tokens") {
			t.Errorf("whole: status %d, %q", r.status, r.body)
		}
	})
}
