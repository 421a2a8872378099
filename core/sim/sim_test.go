package sim_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/coretest"
	"paceline/core/sim"
)

// bench is an engine on an in-memory network inside a bubble.
type bench struct {
	t       *testing.T
	server  *sim.Server
	network *coretest.Network
	client  *http.Client
}

const baseURL = "http://engine:8000"

// start serves c until the test ends.
func start(t *testing.T, c sim.Config) *bench {
	t.Helper()
	if c.Model == "" {
		c.Model = "m"
	}
	server, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	n := coretest.NewNetwork()
	l, err := n.Listen("engine:8000")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, l) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Serve: %v", err)
		}
	})
	return &bench{t, server, n, n.Client(t)}
}

// inBubble runs f with an engine in virtual time.
func inBubble(t *testing.T, c sim.Config, f func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(start(t, c)) })
}

// event is one event of a stream and when it came, counted from the request.
type event struct {
	at   time.Duration
	data string
}

// reply is an answer as a simple client reads it.
type reply struct {
	status    int
	events    []event
	body      string
	err       error
	text      string
	reasoning string
	calls     []sim.ToolCall
	finish    string
	done      bool
	tokens    []time.Duration // of events with generated text
	usage     *usage
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	Completions struct {
		Reasoning int `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

type choice struct {
	Delta, Message struct {
		Content   string
		Reasoning string `json:"reasoning_content"`
		ToolCalls []struct {
			Index    int
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	FinishReason string `json:"finish_reason"`
}

func prompt(fields string, texts ...string) string {
	var messages []string
	for i, text := range texts {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		content, _ := json.Marshal(text)
		messages = append(messages, fmt.Sprintf(`{"role":%q,"content":%s}`, role, content))
	}
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]` + fields + `}`
}

// streaming are the fields of a usual streamed request.
const streaming = `,"stream":true,"stream_options":{"include_usage":true}`

func (b *bench) ask(body string) reply {
	return b.askWithin(b.t.Context(), body)
}

func (b *bench) askWithin(ctx context.Context, body string) (r reply) {
	begin := time.Now()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, baseURL+"/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		return reply{err: err}
	}
	defer resp.Body.Close()
	r.status = resp.StatusCode
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		raw, err := io.ReadAll(resp.Body)
		r.body, r.err = string(raw), err
		r.read(r.body, 0)
		return r
	}
	lines := bufio.NewReader(resp.Body)
	var all strings.Builder
	defer func() { r.body = all.String() }()
	for {
		line, err := lines.ReadString('\n')
		all.WriteString(line)
		if err != nil {
			if err != io.EOF {
				r.err = err
			}
			return r
		}
		if data, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "data: "); ok {
			e := event{time.Since(begin), data}
			r.events = append(r.events, e)
			r.read(data, e.at)
		}
	}
}

// read takes what a chunk or a whole completion says.
func (r *reply) read(data string, at time.Duration) {
	if data == "[DONE]" {
		r.done = true
		return
	}
	var chunk struct {
		Choices []choice
		Usage   *usage
	}
	if json.Unmarshal([]byte(data), &chunk) != nil {
		return
	}
	if chunk.Usage != nil {
		r.usage = chunk.Usage
	}
	for _, c := range chunk.Choices {
		if c.FinishReason != "" {
			r.finish = c.FinishReason
		}
		text, reasoning := c.Delta.Content+c.Message.Content, c.Delta.Reasoning+c.Message.Reasoning
		r.text += text
		r.reasoning += reasoning
		calls := append(c.Delta.ToolCalls, c.Message.ToolCalls...)
		if text+reasoning != "" || len(calls) > 0 {
			r.tokens = append(r.tokens, at)
		}
		for i, call := range calls {
			if call.ID != "" {
				r.calls = append(r.calls, sim.ToolCall{ID: call.ID, Name: call.Function.Name})
			}
			r.calls[max(call.Index, i)].Arguments += call.Function.Arguments
		}
	}
}

// say answers every request with that text.
func say(text string) func(*sim.Request) (sim.Answer, bool) {
	return func(*sim.Request) (sim.Answer, bool) { return sim.Answer{Content: text}, true }
}
