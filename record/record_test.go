package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sim"
	"paceline/sdk"
	"paceline/sdk/sdktest"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/normal"
)

// recorder is a proxy before a simulated engine.
type recorder struct {
	t     *testing.T
	url   string
	out   bytes.Buffer
	store *Store
}

func start(t *testing.T, c sim.Config, idle time.Duration) *recorder {
	t.Helper()
	c.TimeScale, c.Model = 0.001, "sim"
	engine, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	l := coretest.Loopback(t)
	served := make(chan error, 1)
	go func() { served <- engine.Serve(t.Context(), l) }()
	epoch := time.Now()
	client, err := endpoint.New(endpoint.Config{URL: "http://" + l.Addr().String() + "/v1"}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	r := &recorder{t: t}
	r.store = NewStore(&r.out, idle)
	server := httptest.NewServer(&Proxy{Forward: client, Store: r.store, Epoch: epoch, SessionHeader: "X-Session-Id"})
	r.url = server.URL + "/v1/chat/completions"
	t.Cleanup(func() {
		server.Close()
		client.Close()
	})
	return r
}

// ask sends a request as an agent does and gives the status and the answer's message.
func (r *recorder) ask(session string, body map[string]any) (int, json.RawMessage) {
	r.t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	q, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.url, bytes.NewReader(text))
	if err != nil {
		r.t.Fatal(err)
	}
	q.Header.Set("Authorization", "Bearer sk-secret-of-the-agent")
	q.Header.Set("X-Session-Id", session)
	reply, err := http.DefaultClient.Do(q)
	if err != nil {
		r.t.Fatal(err)
	}
	defer reply.Body.Close()
	all, err := io.ReadAll(reply.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	var answer struct {
		Choices []struct {
			Message json.RawMessage `json:"message"`
		} `json:"choices"`
	}
	if reply.StatusCode == http.StatusOK && body["stream"] == nil {
		if err := json.Unmarshal(all, &answer); err != nil {
			r.t.Fatalf("%v: %s", err, all)
		}
		return reply.StatusCode, answer.Choices[0].Message
	}
	return reply.StatusCode, nil
}

// trajectories ends the recording and reads what was written.
func (r *recorder) trajectories() ([]*sdk.Trajectory, Summary) {
	r.t.Helper()
	summary, err := r.store.Close()
	if err != nil {
		r.t.Fatal(err)
	}
	reader := &sdk.Plugin{Name: "import", Version: "1.0.0", Components: []sdk.Component{frame.Component(normal.Format())}}
	c := sdktest.Open(r.t, reader, "trajectory", sdktest.Options{Inputs: []sdktest.Input{{Name: frame.Input, Data: r.out.Bytes()}}})
	var list []*sdk.Trajectory
	for i := range c.Opened.Workload.Trajectories {
		plan, err := c.Plan(i, 0, nil)
		if err != nil {
			r.t.Fatal(err)
		}
		list = append(list, plan)
	}
	return list, summary
}

func text(role, content string) map[string]any {
	return map[string]any{"role": role, "content": content}
}

// TestTwoAgents records two conversations that begin with the same system prompt, turn by turn in between each other.
func TestTwoAgents(t *testing.T) {
	r := start(t, sim.Config{AnswerTokens: 8}, 0)
	tools := []any{map[string]any{"type": "function", "function": map[string]any{"name": "look", "parameters": map[string]any{"type": "object"}}}}
	histories := [2][]any{}
	for i := range histories {
		histories[i] = []any{text("system", "You look around."), text("user", fmt.Sprintf("task %d", i))}
	}
	for range 3 {
		for i := range histories {
			status, answer := r.ask("", map[string]any{
				"model": "sim", "messages": histories[i], "tools": tools, "temperature": 0.5, "max_tokens": 64, "user": "somebody@example.com",
			})
			if status != http.StatusOK {
				t.Fatal(status)
			}
			histories[i] = append(histories[i], answer, map[string]any{"role": "user", "content": "go on"})
		}
	}
	list, summary := r.trajectories()
	if len(list) != 2 || summary.Conversations != 2 || summary.Turns != 6 || summary.Failed != 0 {
		t.Fatalf("%d trajectories, %+v", len(list), summary)
	}
	for i, c := range list {
		if len(c.Turns) != 3 || len(c.Turns[0].Append) != 2 || len(c.Turns[1].Append) != 1 || c.Turns[2].Recorded == nil || !c.Turns[2].Final {
			t.Errorf("trajectory %d: %+v", i, c)
		}
		if got := string(c.Turns[1].Params); got != `{"temperature":0.5}` || c.Turns[1].MaxTokens != 64 || c.Defaults == nil {
			t.Errorf("params %s, limit %d", got, c.Turns[1].MaxTokens)
		}
		if !strings.Contains(string(c.Turns[0].Truth), `"input_tokens":`) {
			t.Errorf("truth %s", c.Turns[0].Truth)
		}
	}
	if summary.Losses[`field "user" of requests`] != 6 {
		t.Errorf("losses %v", summary.Losses)
	}
	for _, secret := range []string{"sk-secret", "somebody@example.com"} {
		if strings.Contains(r.out.String(), secret) {
			t.Errorf("%s was written", secret)
		}
	}
}

// TestWhatAgentsDo covers streams, answers sent back in other words, a talk begun anew, and requests that fail.
func TestWhatAgentsDo(t *testing.T) {
	r := start(t, sim.Config{AnswerTokens: 8}, 0)
	first := []any{text("user", "one")}
	r.ask("a", map[string]any{"model": "sim", "messages": first, "stream": true})
	second := append(first, text("assistant", "in the agent's words"), text("user", "two"))
	r.ask("a", map[string]any{"model": "sim", "messages": second})
	r.ask("b", map[string]any{"model": "sim", "messages": append(second, text("assistant", "x"), text("user", "of another session"))})
	r.ask("a", map[string]any{"model": "sim", "messages": []any{text("user", "a summary, after a compaction")}})
	if status, _ := r.ask("a", map[string]any{"model": "nobody's", "messages": first}); status == http.StatusOK {
		t.Error("an unknown model was served")
	}
	if status, _ := r.ask("a", map[string]any{"model": "sim"}); status == http.StatusOK {
		t.Error("a request without messages was served")
	}
	list, summary := r.trajectories()
	if len(list) != 3 || summary.Turns != 4 || summary.Failed != 2 {
		t.Fatalf("%d trajectories, %+v", len(list), summary)
	}
	if got := string(list[0].Turns[0].Recorded.Json); !strings.Contains(got, "in the agent's words") {
		t.Errorf("the history has %s", got)
	}
	if len(list[1].Turns[0].Append) != 5 {
		t.Errorf("the other session begins with %d messages", len(list[1].Turns[0].Append))
	}
}

func TestIdleConversationsAreWritten(t *testing.T) {
	var out bytes.Buffer
	s := NewStore(&out, time.Minute)
	add := func(at time.Duration, message string) {
		s.Add(&Call{
			Request: &Request{Messages: []json.RawMessage{json.RawMessage(`{"role":"user","content":"` + message + `"}`)}},
			Answer:  json.RawMessage(`{"role":"assistant","content":"ok"}`), Sent: at, Done: at + time.Second,
		})
	}
	add(0, "a")
	add(30*time.Second, "b")
	add(90*time.Second, "c")
	if n := strings.Count(out.String(), "\n"); n != 1 || !strings.Contains(out.String(), `"recorded-000001"`) {
		t.Errorf("%d lines: %s", n, out.String())
	}
	if summary, err := s.Close(); err != nil || summary.Conversations != 3 {
		t.Errorf("%+v, %v", summary, err)
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	for _, body := range []string{``, `[]`, `{}`, `{"messages":[]}`, `{"messages":["x"]}`, `{"messages":{}}`, `{"messages":[{}],"max_tokens":-1}`} {
		if _, err := ParseRequest([]byte(body)); err == nil {
			t.Errorf("%s: read", body)
		}
	}
}
