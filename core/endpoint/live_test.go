package endpoint_test

import (
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

// TestLiveHistory plays conversations whose answers join the history: cases 46, 47, 53 and 55.
func TestLiveHistory(t *testing.T) {
	for name, tt := range map[string]struct {
		script   func(t *testing.T) *coretest.Script
		rule     chat.Thinking
		next     []string
		pairing  chat.Pairing
		contains []string
		without  []string
	}{
		"46 ids by position": {
			caseScript("46"), chat.Keep,
			[]string{`{"role":"tool","tool_call_id":"call_1","content":"files"}`, `{"role":"tool","tool_call_id":"call_2","content":"/work"}`},
			chat.Pairing{Rewrites: 2}, []string{`"tool_call_id":"call_x1","content":"files"`, `"tool_call_id":"call_x2","content":"/work"`}, []string{"call_1", "call_2"},
		},
		"47 null content": {
			caseScript("47"), chat.Keep, []string{`{"role":"tool","tool_call_id":"call_1","content":""}`, `{"role":"tool","tool_call_id":"call_2","content":""}`},
			chat.Pairing{Rewrites: 2}, []string{`"content":null,"tool_calls"`}, []string{`"None"`, `"null"`, "undefined"},
		},
		"53 empty answer": {
			caseScript("53"), chat.Keep, []string{`{"role":"user","content":"still there?"}`},
			chat.Pairing{}, []string{`{"role":"assistant","content":""}`}, nil,
		},
		"55 inline, strip": {streamFile("inline.sse"), chat.Strip, follow, chat.Pairing{}, []string{`{"role":"assistant","content":"Answer"}`}, nil},
		"55 field, strip":  {streamFile("field.sse"), chat.Strip, follow, chat.Pairing{}, []string{`{"role":"assistant","content":"Answer"}`}, []string{"plan"}},
		"55 open, strip":   {streamFile("open.sse"), chat.Strip, follow, chat.Pairing{}, []string{`{"role":"assistant","content":""}`}, nil},
		"55 inline, keep":  {streamFile("inline.sse"), chat.Keep, follow, chat.Pairing{}, []string{`"content":"<think>plan</think>Answer"`}, nil},
		"55 field, keep":   {streamFile("field.sse"), chat.Keep, follow, chat.Pairing{}, []string{`"content":"Answer","reasoning_content":"plan"`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, tt.script(t), endpoint.Config{})
				shell, err := chat.Wire{Model: "m", Stream: true, IncludeUsage: true}.Shell(chat.Params{}, nil, 64)
				if err != nil {
					t.Fatal(err)
				}
				h := chat.NewHistory(tt.rule)
				if _, err := h.Append(json.RawMessage(`{"role":"user","content":"go"}`)); err != nil {
					t.Fatal(err)
				}
				first := b.turn(t, shell, h)
				if err := h.Live(first.Answer); err != nil {
					t.Fatal(err)
				}
				var next []json.RawMessage
				for _, m := range tt.next {
					next = append(next, json.RawMessage(m))
				}
				pairing, err := h.Append(next...)
				if err != nil || pairing != tt.pairing {
					t.Errorf("pairing %+v, %v, want %+v", pairing, err, tt.pairing)
				}
				b.turn(t, shell, h)
				body := string(b.endpoint.Requests()[1].Body)
				for _, want := range tt.contains {
					if !strings.Contains(body, want) {
						t.Errorf("%s is not in %s", want, body)
					}
				}
				for _, bad := range tt.without {
					if strings.Contains(body, bad) {
						t.Errorf("%s is in %s", bad, body)
					}
				}
			})
		})
	}
}

var follow = []string{`{"role":"user","content":"follow-up"}`}

func caseScript(name string) func(*testing.T) *coretest.Script {
	return func(t *testing.T) *coretest.Script { return coretest.LoadCase(t, name).Script(t) }
}

func streamFile(name string) func(*testing.T) *coretest.Script {
	return func(t *testing.T) *coretest.Script {
		return oneReply(string(coretest.LoadCase(t, "55").File(t, name)), coretest.EndKeepAlive)
	}
}

func (b *bench) turn(t *testing.T, shell *chat.Shell, h *chat.History) *sample.Exchange {
	t.Helper()
	x := &sample.Exchange{Timing: sample.NoTiming()}
	b.client.Issue(t.Context(), shell.Body(h.Messages()), x)
	if x.Outcome != sample.OK {
		t.Fatalf("%s (%s)", x.Outcome, x.Cause)
	}
	return x
}

// TestManyAtOnce is the client's part of case 30: the pool follows the users, and keeps their connections.
func TestManyAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := oneReply(goodStream, coretest.EndKeepAlive)
		script.Replies[0].Body[0].At = 50 * time.Millisecond
		b := newBench(t, script, endpoint.Config{})
		start := time.Now()
		failed := make(chan string, 300)
		for range 300 {
			go func() {
				said := ""
				for i := range 10 {
					if x := b.ask(t.Context(), "{}"); x.Outcome != sample.OK || x.Timing.Reused != (i > 0) {
						said = fmt.Sprintf("%s (%s), reused %v", x.Outcome, x.Cause, x.Timing.Reused)
					}
				}
				failed <- said
			}()
		}
		for range 300 {
			if said := <-failed; said != "" {
				t.Error(said)
			}
		}
		if took := time.Since(start); took != 500*time.Millisecond || b.endpoint.Conns() != 300 {
			t.Errorf("took %v over %d connections", took, b.endpoint.Conns())
		}
	})
}
