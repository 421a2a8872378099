package relay_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"paceline/core/digest"
	"paceline/core/endpoint"
	"paceline/core/relay"
	"paceline/core/sample"
)

const key = "sk-test-canary-7f3a9c"

// kept is what a relay recorded.
type kept struct {
	mu   sync.Mutex
	list []*relay.Exchange
}

func (k *kept) Relayed(x *relay.Exchange) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = append(k.list, x)
}

func (k *kept) all() []*relay.Exchange {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]*relay.Exchange(nil), k.list...)
}

// start starts a target and a relay to it.
func start(t *testing.T, target http.HandlerFunc, change func(*relay.Config)) (*relay.Relay, *kept) {
	t.Helper()
	s := httptest.NewServer(target)
	t.Cleanup(s.Close)
	epoch := time.Now()
	client, err := endpoint.New(endpoint.Config{URL: s.URL + "/v1", APIKey: key, Headers: []endpoint.Header{{Name: "X-Team", Value: "red"}}}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	k := &kept{}
	c := relay.Config{Forward: client, Record: k, Epoch: epoch, Model: "m", MaxTokensKey: "max_tokens", MaxTokens: 9,
		Params: json.RawMessage(`{"temperature":1,"top_p":0.5}`), Override: json.RawMessage(`{"seed":7}`), RoutingHeaders: []string{"X-Session-ID"}}
	if change != nil {
		change(&c)
	}
	r, err := relay.Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.End)
	return r, k
}

const answer = `{"choices":[{"message":{"role":"assistant","content":"four"},"finish_reason":"stop"}]}`

func post(t *testing.T, r *relay.Relay, token, body string, headers ...string) *http.Response {
	t.Helper()
	q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL()+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i < len(headers); i += 2 {
		q.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func text(t *testing.T, r *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestRequest: what reaches the target is the run's, and what is recorded is what was sent and passed on.
func TestRequest(t *testing.T) {
	var got *http.Request
	var body []byte
	r, k := start(t, func(w http.ResponseWriter, q *http.Request) {
		got = q
		body, _ = io.ReadAll(q.Body)
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "r-1")
		w.Header().Set("Set-Cookie", "a=b")
		_, _ = io.WriteString(w, answer)
	}, nil)
	resp := post(t, r, r.Token(), `{"model":"other","messages":[{"role":"user","content":"2+2?"}],"temperature":0,"seed":1,"max_completion_tokens":5}`,
		relay.ConversationHeader, "item-1")
	if out := text(t, resp); resp.StatusCode != 200 || out != answer || resp.Header.Get("X-Request-Id") != "r-1" || resp.Header.Get("Set-Cookie") != "" {
		t.Fatalf("%d %v %s", resp.StatusCode, resp.Header, out)
	}
	const want = `{"model":"m","messages":[{"role":"user","content":"2+2?"}],"temperature":0,"max_tokens":5,"stream":false,"seed":7,"top_p":0.5}`
	if string(body) != want {
		t.Errorf("sent %s\nwant %s", body, want)
	}
	for name, value := range map[string]string{"Authorization": "Bearer " + key, "X-Team": "red", "X-Session-Id": "item-1"} {
		if got.Header.Get(name) != value {
			t.Errorf("%s: %q", name, got.Header.Get(name))
		}
	}
	list := k.all()
	if len(list) != 1 {
		t.Fatalf("%d recorded", len(list))
	}
	x := list[0]
	if x.Number != 1 || x.Conversation != "item-1" || string(x.Request) != want || string(x.Answer) != answer || x.Outcome != sample.OK || x.Status != 200 ||
		digest.SHA256(x.AnswerDigest) != digest.Of([]byte(answer)) || x.AnswerBytes != int64(len(answer)) || !x.Timing.Sent.Set() || !x.Timing.Done.Set() {
		t.Errorf("recorded %+v", x)
	}
	if params := string(r.Params()); params != `{"temperature":1,"seed":7,"top_p":0.5}` {
		t.Errorf("params %s", params)
	}
}

// TestStream: an answer is passed on as it comes: the target waits with its second event until the first one has arrived.
func TestStream(t *testing.T) {
	arrived := make(chan struct{})
	r, k := start(t, func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"fo"}}]}`+"\n\n")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-arrived:
		case <-q.Context().Done():
		}
		_, _ = io.WriteString(w, `data: {"choices":[{"delta":{"content":"ur"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}, nil)
	resp := post(t, r, r.Token(), `{"messages":[{"role":"user","content":"2+2?"}],"stream":true,"stream_options":{"include_usage":true}}`)
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() || !strings.Contains(lines.Text(), `"fo"`) {
		t.Fatalf("got %s, %v", lines.Text(), lines.Err())
	}
	close(arrived)
	var rest string
	for lines.Scan() {
		rest += lines.Text()
	}
	if !strings.Contains(rest, `"ur"`) || !strings.Contains(rest, "[DONE]") || resp.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%s, %v", rest, resp.Header)
	}
	r.End()
	if x := k.all()[0]; !x.Stream || x.Outcome != sample.OK || !bytes.Contains(x.Request, []byte(`"stream":true,"stream_options":{"include_usage":true}`)) {
		t.Errorf("%+v", x)
	}
}

// TestRefused: what is no request of this evaluation's is answered here, and the target hears nothing of it.
func TestRefused(t *testing.T) {
	r, k := start(t, func(http.ResponseWriter, *http.Request) { t.Error("the target was asked") }, nil)
	good := `{"messages":[{"role":"user","content":"a"}]}`
	for _, c := range []struct {
		name, token, body string
		headers           []string
		status            int
	}{
		{"no token", "", good, nil, 401},
		{"another token", r.Token()[1:] + "A", good, nil, 401},
		{"a longer token", r.Token() + "A", good, nil, 401},
		{"no JSON", r.Token(), `{"messages":`, nil, 400},
		{"no messages", r.Token(), `{}`, nil, 400},
		{"messages of text", r.Token(), `{"messages":["a"]}`, nil, 400},
		{"no object", r.Token(), `[1]`, nil, 400},
		{"a limit below zero", r.Token(), `{"messages":[{}],"max_tokens":-1}`, nil, 400},
		{"long conversation", r.Token(), good, []string{relay.ConversationHeader, strings.Repeat("a", 257)}, 400},
		{"large", r.Token(), `{"messages":[{"content":"` + strings.Repeat("a", relay.MaxRequest) + `"}]}`, nil, 413},
	} {
		resp := post(t, r, c.token, c.body, c.headers...)
		if resp.StatusCode != c.status {
			t.Errorf("%s: status %d: %s", c.name, resp.StatusCode, text(t, resp))
		}
	}
	if passed, refused := r.Counts(); passed != 0 || refused != 10 || len(k.all()) != 0 {
		t.Errorf("%d passed, %d refused, %d recorded", passed, refused, len(k.all()))
	}
	for path, status := range map[string]int{"/models": 200, "/chat/completions": 405, "/completions": 404} {
		q, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL()+path, nil)
		q.Header.Set("Authorization", "Bearer "+r.Token())
		resp, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		if out := text(t, resp); resp.StatusCode != status || status == 200 && !strings.Contains(out, `"id":"m"`) {
			t.Errorf("%s: %d %s", path, resp.StatusCode, out)
		}
		_ = resp.Body.Close()
	}
}

// TestLimits: requests beyond those at the same time, and beyond those in all.
func TestLimits(t *testing.T) {
	came, leave := make(chan struct{}), make(chan struct{})
	r, _ := start(t, func(w http.ResponseWriter, _ *http.Request) {
		came <- struct{}{}
		<-leave
		_, _ = io.WriteString(w, answer)
	}, func(c *relay.Config) { c.MaxOpen, c.MaxRequests = 1, 1 })
	body := `{"messages":[{"role":"user","content":"a"}]}`
	first := make(chan int)
	go func() {
		q, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL()+"/chat/completions", strings.NewReader(body))
		q.Header.Set("Authorization", "Bearer "+r.Token())
		resp, err := http.DefaultClient.Do(q)
		if err != nil {
			first <- 0
			return
		}
		_ = resp.Body.Close()
		first <- resp.StatusCode
	}()
	<-came
	if resp := post(t, r, r.Token(), body); resp.StatusCode != 429 || !strings.Contains(text(t, resp), "1 requests are open") {
		t.Errorf("a second one at the same time: %d", resp.StatusCode)
	}
	close(leave)
	if got := <-first; got != 200 {
		t.Errorf("the first: %d", got)
	}
	for { // its place becomes free right after its answer
		if resp := post(t, r, r.Token(), body); resp.StatusCode != 429 {
			if resp.StatusCode != 403 {
				t.Errorf("one too many: %d", resp.StatusCode)
			}
			break
		}
	}
}

// TestEnd: an open request is given up and recorded, and nobody listens afterwards.
func TestEnd(t *testing.T) {
	came := make(chan struct{})
	r, k := start(t, func(_ http.ResponseWriter, q *http.Request) {
		_, _ = io.Copy(io.Discard, q.Body)
		close(came)
		<-q.Context().Done()
	}, nil)
	failed := make(chan error)
	go func() {
		q, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL()+"/chat/completions", strings.NewReader(`{"messages":[{"role":"user"}]}`))
		q.Header.Set("Authorization", "Bearer "+r.Token())
		resp, err := http.DefaultClient.Do(q)
		if err == nil {
			_ = resp.Body.Close()
			err = fmt.Errorf("status %d", resp.StatusCode)
		}
		failed <- err
	}()
	<-came
	r.End()
	if err := <-failed; err == nil {
		t.Error("the request was answered")
	}
	if x := k.all(); len(x) != 1 || x[0].Outcome != sample.Cancelled || !strings.Contains(x[0].Cause, "the evaluation has ended") {
		t.Errorf("recorded %+v", x)
	}
	q, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, r.URL()+"/models", nil)
	if resp, err := http.DefaultClient.Do(q); err == nil {
		_ = resp.Body.Close()
		t.Error("somebody still listens")
	}
	r.End()
}

// TestKeyInAnswer: a target that says the key, in pieces, tells it to nobody.
func TestKeyInAnswer(t *testing.T) {
	r, k := start(t, func(w http.ResponseWriter, q *http.Request) {
		said := strings.TrimPrefix(q.Header.Get("Authorization"), "Bearer ")
		w.Header().Set("X-Request-Id", said)
		for _, c := range `{"choices":[{"message":{"content":"` + said + `"},"finish_reason":"stop"}]}` {
			_, _ = io.WriteString(w, string(c))
			_ = http.NewResponseController(w).Flush()
		}
	}, nil)
	resp := post(t, r, r.Token(), `{"messages":[{"role":"user","content":"key?"}]}`)
	if out := text(t, resp) + resp.Header.Get("X-Request-Id"); strings.Contains(out, key) || !strings.Contains(out, `"[secret]"`) {
		t.Errorf("got %s", out)
	}
	r.End()
	if x := k.all()[0]; bytes.Contains(x.Answer, []byte("7f3a9c")) {
		t.Errorf("recorded %s", x.Answer)
	}
}

// TestTargetFails: statuses of the target are passed on, and a target that is not there is told as such.
func TestTargetFails(t *testing.T) {
	r, k := start(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3")
		w.WriteHeader(503)
		_, _ = io.WriteString(w, `{"error":{"message":"busy"}}`)
	}, nil)
	resp := post(t, r, r.Token(), `{"messages":[{"role":"user"}]}`)
	if out := text(t, resp); resp.StatusCode != 503 || resp.Header.Get("Retry-After") != "3" || !strings.Contains(out, "busy") {
		t.Errorf("%d %s", resp.StatusCode, out)
	}
	r.End()
	if x := k.all()[0]; x.Outcome != sample.Overload {
		t.Errorf("%+v", x)
	}
	client, err := endpoint.New(endpoint.Config{URL: "http://127.0.0.1:1/v1"}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	down, _ := start(t, nil, func(c *relay.Config) { c.Forward = client })
	if resp := post(t, down, down.Token(), `{"messages":[{"role":"user"}]}`); resp.StatusCode != 502 || !strings.Contains(text(t, resp), "no answer from the target") {
		t.Errorf("%d", resp.StatusCode)
	}
}
