package session_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/session"
	"paceline/core/verdict"
)

// TestProbeRequests shows what a probe's request takes from the run.
func TestProbeRequests(t *testing.T) {
	layers := []chat.Layer{
		{Name: "run", Params: json.RawMessage(`{"temperature":1,"chat_template_kwargs":{"preserve_thinking":true}}`)},
		{Name: "override", Params: json.RawMessage(`{"top_k":20}`)},
	}
	wire := chat.Wire{Model: "served", Stream: true, IncludeUsage: true, MaxTokensKey: "max_completion_tokens"}
	for _, tc := range []struct {
		name          string
		wire          chat.Wire
		request, want string
	}{
		{"filled in", wire, `{"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`,
			`{"model":"served","messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}],"stream":false,"max_completion_tokens":1,` +
				`"temperature":1,"top_k":20,"chat_template_kwargs":{"preserve_thinking":true}}`},
		{"its own goes first", wire, `{"model":"m","max_tokens":7,"stream":true,"temperature":0,"top_k":null,"messages":[],"tools":[]}`,
			`{"model":"m","messages":[],"stream":false,"max_completion_tokens":7,"temperature":0,"tools":[],"chat_template_kwargs":{"preserve_thinking":true}}`},
		{"no model known", chat.Wire{}, `{"messages": []}`, `{"messages": []}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				script := &coretest.Script{Replies: []coretest.Reply{{Status: 200, Headers: []coretest.Header{{Name: "Server", Value: "e1"}},
					Body: []coretest.Step{{Data: []byte("{}")}}, Coding: coretest.WithLength, End: coretest.EndKeepAlive}}}
				fact, requests := probeOnce(t, script, session.EndpointProber{Wire: tc.wire, Params: layers}, tc.request)
				if fact.Status != 200 || fact.Error != "" || len(fact.Headers) != 1 || fact.Headers[0].Name != "Server" {
					t.Fatalf("fact %+v", fact)
				}
				if got := sortedKeys(t, requests[0].Body); got != sortedKeys(t, []byte(tc.want)) {
					t.Errorf("sent %s\nwant %s", requests[0].Body, tc.want)
				}
			})
		})
	}
}

// TestProbeThatHangs gives up after a minute.
func TestProbeThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		script := &coretest.Script{Replies: []coretest.Reply{{Status: 200, Body: []coretest.Step{{At: 2 * time.Hour}}, Coding: coretest.WithLength}}}
		fact, _ := probeOnce(t, script, session.EndpointProber{}, `{}`)
		if took := time.Since(begun); fact.Status != 0 || !strings.Contains(fact.Error, "1m0s") || took != time.Minute {
			t.Errorf("%+v after %v", fact, took)
		}
	})
}

func probeOnce(t *testing.T, script *coretest.Script, p session.EndpointProber, request string) (verdict.Fact, []coretest.Request) {
	t.Helper()
	network := coretest.NewNetwork()
	l, err := network.Listen("engine:8000")
	if err != nil {
		t.Fatal(err)
	}
	target := coretest.Serve(l, script)
	defer target.Stop()
	if p.Client, err = endpoint.New(endpoint.Config{URL: "http://engine:8000/v1", Dial: network.Dial}, time.Now()); err != nil {
		t.Fatal(err)
	}
	defer p.Client.Close()
	return p.Probe(context.WithoutCancel(t.Context()), verdict.Probe{ID: "p", ChatRequest: json.RawMessage(request)}), target.Requests()
}

func sortedKeys(t *testing.T, text []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
