package stub

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/coretest"
)

func ask(t *testing.T, s Script) (body string, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		network := coretest.NewNetwork()
		ln, err := network.Listen("stub:80")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); Serve(ctx, ln, s, nil) }()
		conn, err := network.Dial(ctx, "tcp", "stub:80")
		if err != nil {
			t.Fatal(err)
		}
		in := bufio.NewReader(conn)
		for range 2 {
			began := time.Now()
			request := httptest.NewRequest(http.MethodPost, "http://stub/v1/chat/completions", strings.NewReader(`{"messages":[]}`))
			if err := request.Write(conn); err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(in, request)
			if err != nil {
				t.Fatal(err)
			}
			data, err := io.ReadAll(answer.Body)
			if err != nil || answer.StatusCode != http.StatusOK {
				t.Fatal(answer.Status, err)
			}
			body, took = string(data), time.Since(began)
		}
		cancel()
		conn.Close()
		<-done
	})
	return body, took
}

func TestAnswers(t *testing.T) {
	for name, s := range map[string]Script{
		"stream": {Chunks: 40, Stream: true, Gap: 10 * time.Millisecond}, "split": {Chunks: 40, Stream: true, SplitEnd: true, Gap: 10 * time.Millisecond},
		"document": {Chunks: 40, Gap: 10 * time.Millisecond},
	} {
		body, took := ask(t, s)
		if least := 40 * s.Gap; took < least || took > least+firstGaps*s.Gap {
			t.Errorf("%s: took %v", name, took)
		}
		if !strings.Contains(body, `"completion_tokens":40`) {
			t.Errorf("%s: no usage in %s", name, body)
		}
		if n := strings.Count(body, `"content":"`); s.Stream && (n != 41 || !strings.HasSuffix(body, "data: [DONE]\n\n")) {
			t.Errorf("%s: %d chunks, ends with %q", name, n, body[len(body)-20:])
		}
	}
}

func TestWrites(t *testing.T) {
	for name, c := range map[string]struct {
		s    Script
		want int
	}{
		"stream": {Script{Chunks: 64, Stream: true}, 68}, "split": {Script{Chunks: 64, Stream: true, SplitEnd: true}, 69}, "document": {Script{Chunks: 64}, 1},
	} {
		if n := c.s.Writes(); n != c.want {
			t.Errorf("%s: %d writes, want %d", name, n, c.want)
		}
	}
	for _, w := range (Script{Chunks: 3, Stream: true}).render()[1:3] {
		if !bytes.HasSuffix(w, []byte("\n\n\r\n")) || len(w) < 180 || len(w) > 280 {
			t.Errorf("%d bytes: %q", len(w), w)
		}
	}
}
