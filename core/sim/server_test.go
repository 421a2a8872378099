package sim_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/coretest"
	"paceline/core/sim"
)

func (b *bench) get(method, path string, headers ...string) (int, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), method, baseURL+path, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Error(err)
	}
	return resp.StatusCode, string(body)
}

func TestRefusals(t *testing.T) {
	inBubble(t, sim.Config{MaxContext: 100}, func(b *bench) {
		for _, test := range []struct {
			name, body string
			status     int
			want       string
		}{
			{"no JSON", `{"model"`, 400, "not a chat completion request"},
			{"other model", `{"model":"x","messages":[{"role":"user","content":"a"}]}`, 404, `"code":"model_not_found"`},
			{"bytes behind", prompt("", "a") + "]", 400, "invalid character ']' at offset"},
			{"no messages", `{"model":"m","messages":[]}`, 400, "messages must not be empty"},
			{"role", `{"model":"m","messages":[{"role":"boss","content":"a"}]}`, 400, `messages[0]: role \"boss\" is not known`},
			{"content", `{"model":"m","messages":[{"role":"user","content":7}]}`, 400, "messages[0]: content"},
			{"arguments", `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":{"arguments":{}}}]}]}`, 400, "arguments"},
			{"tools", prompt(`,"tools":7`, "a"), 400, "tools: "},
			{"n", prompt(`,"n":2`, "a"), 400, "n must be 1"},
			{"max_tokens", prompt(`,"max_tokens":0`, "a"), 400, "max_tokens must be at least 1"},
			{"max_tokens too large", prompt(`,"max_tokens":98`, "a"), 400, `"code":"context_length_exceeded"`},
			{"prompt too long", prompt("", text("a", 98)), 400, `"code":"context_length_exceeded"`},
			{"max_tokens that fits", prompt(`,"max_tokens":50`, "a"), 200, `"choices"`},
			{"prompt that fits", prompt("", text("a", 90)), 200, `"choices"`},
			{"parts", `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":null,"tool_call_id":null,"tool_calls":null}],"stream_options":null}`, 200, `"choices"`},
		} {
			if r := b.ask(test.body); r.status != test.status || !strings.Contains(r.body, test.want) {
				t.Errorf("%s: got %d %s", test.name, r.status, r.body)
			}
		}
	})
}

func TestOtherPaths(t *testing.T) {
	inBubble(t, sim.Config{APIKey: "secret", Answer: say(text("a", 10))}, func(b *bench) {
		key := []string{"Authorization", "Bearer secret"}
		if status, body := b.get("GET", "/v1/models"); status != 401 || !strings.Contains(body, "invalid_api_key") {
			t.Errorf("without the key: %d %s", status, body)
		}
		if status, body := b.get("GET", "/v1/models", key...); status != 200 || !strings.Contains(body, `"id":"m"`) || !strings.Contains(body, `"max_model_len":131072`) {
			t.Errorf("models: %d %s", status, body)
		}
		if status, body := b.get("GET", "/version"); status != 200 || body != `{"version":"sim-1"}` {
			t.Errorf("/version: %d %s", status, body)
		}
		if status, _ := b.get("GET", "/health"); status != 200 {
			t.Errorf("health: %d", status)
		}
		if status, body := b.get("GET", "/v1/v1/models", key...); status != 404 {
			t.Errorf("wrong path: %d %s", status, body)
		}
	})
}

func TestMetricsAndReset(t *testing.T) {
	inBubble(t, sim.Config{Answer: say(text("a", 10))}, func(b *bench) {
		for range 2 {
			b.ask(prompt("", text("p", 98)))
		}
		_, body := b.get("GET", "/metrics")
		coretest.Golden(t, "testdata/metrics.txt", []byte(body))
		for _, flush := range [][2]string{{"POST", "/reset_prefix_cache"}, {"POST", "/flush_cache"}, {"GET", "/flush_cache"}} {
			if status, body := b.get(flush[0], flush[1]); status != 200 {
				t.Errorf("%v: %d %s", flush, status, body)
			}
			if r := b.ask(prompt(streaming, text("p", 98))); r.usage.Details.Cached != 0 {
				t.Errorf("%v: %d tokens are still cached", flush, r.usage.Details.Cached)
			}
		}
	})
}

func TestClientThatLeavesFreesItsPlace(t *testing.T) {
	inBubble(t, sim.Config{MaxBatch: 1, Answer: say(text("a", 100000))}, func(b *bench) {
		ctx, cancel := context.WithTimeout(b.t.Context(), time.Second)
		defer cancel()
		done := make(chan reply)
		for i := range 2 { // one in the batch, one in the queue
			go func() { done <- b.askWithin(ctx, prompt(streaming, fmt.Sprint("p", i))) }()
		}
		time.Sleep(time.Second / 2)
		if st := b.server.Stats(); st.Running != 1 || st.Waiting != 1 {
			t.Errorf("before: %+v", st)
		}
		if status, _ := b.get("POST", "/flush_cache"); status != 400 {
			t.Errorf("a working engine flushed its cache: %d", status)
		}
		<-done
		<-done
		time.Sleep(time.Second)
		synctest.Wait()
		if st := b.server.Stats(); st.Running != 0 || st.Waiting != 0 || st.UsedBlocks != st.IdleBlocks {
			t.Errorf("after: %+v", st)
		}
	})
}

func TestServeEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, err := sim.New(sim.Config{Model: "m", Faults: []sim.Fault{{Name: "hang-early", Rate: 1}}})
		if err != nil {
			t.Fatal(err)
		}
		n := coretest.NewNetwork()
		l, _ := n.Listen("engine:8000")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		b := &bench{t, server, n, n.Client(t)}
		go b.ask(prompt(streaming, "stuck"))
		start := time.Now()
		if err := server.Serve(ctx, l); err != nil || time.Since(start) != time.Minute {
			t.Errorf("Serve returned %v after %v", err, time.Since(start))
		}
		if err := server.Serve(ctx, l); err == nil {
			t.Error("Serve ran twice")
		}
	})
}

func TestServeReportsItsListener(t *testing.T) {
	server, err := sim.New(sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	l := coretest.Loopback(t)
	l.Close()
	if err := server.Serve(t.Context(), l); err == nil || !strings.HasPrefix(err.Error(), "serve simulated engine: accept") {
		t.Errorf("Serve = %v", err)
	}
}

func TestOverASocket(t *testing.T) {
	server, err := sim.New(sim.Config{Model: "m", TimeScale: 0.001, Answer: say("over a socket")})
	if err != nil {
		t.Fatal(err)
	}
	l := coretest.Loopback(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- server.Serve(ctx, l) }()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	body := prompt("", "x")
	fmt.Fprintf(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	got, err := io.ReadAll(c)
	if err != nil || !strings.HasPrefix(string(got), "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n") || !strings.Contains(string(got), "over a socket") {
		t.Errorf("got %q, %v", got, err)
	}
	cancel()
	if err := <-done; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

func TestNoise(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, err := sim.New(sim.Config{})
		if err != nil {
			t.Fatal(err)
		}
		n := coretest.NewNetwork()
		l, _ := n.Listen("engine:8000")
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- server.Serve(ctx, l) }()
		for text, want := range map[string]string{
			"nonsense\r\n\r\n": "HTTP/1.1 400 Bad Request\r\n",
			"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n": "HTTP/1.1 400 Bad Request\r\n",
			"GET /": "",
		} {
			c, _ := n.Dial(ctx, "tcp", "engine:8000")
			io.WriteString(c, text)
			c.(*coretest.Conn).CloseWrite()
			got, _ := io.ReadAll(c)
			if !strings.HasPrefix(string(got), want) {
				t.Errorf("%q got %q", text, got)
			}
			c.Close()
		}
		cancel()
		<-done
	})
}

func TestConfigCheckListsEveryFault(t *testing.T) {
	err := sim.Config{
		MaxBatch: -1, TimeScale: -2, ReasoningField: "thoughts", KVTokens: 8, StepTokens: 4, TokensPerChunk: 5,
		Cost: sim.Cost{Base: -1}, Faults: []sim.Fault{{Name: "boom"}, {Name: "reset", Rate: 3}, {Name: "hang", After: -1}},
	}.Check()
	for _, want := range []string{
		"max batch: -1 is below 0", "time scale: -2", `reasoning field: "thoughts"`, "kv tokens: 8 do not fill a block of 16",
		"tokens per chunk: 5 do not fit", "cost: base: -1", `faults[0]: fault "boom" is not known`, "faults[1]: fault reset: rate 3",
		"faults[2]: fault hang: after",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check does not say %q:\n%v", want, err)
		}
	}
	if err := (sim.Config{}).Check(); err != nil {
		t.Errorf("the zero value: %v", err)
	}
}
