package endpoint_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

// streamOf is a response of n chunks as vLLM writes them, each in a chunk of the coding.
func streamOf(n int) []byte {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n")
	event := func(data string) { fmt.Fprintf(&b, "%x\r\ndata: %s\n\n\r\n", len(data)+8, data) }
	for range n {
		event(`{"id":"chatcmpl-9d1f0c5c8f3b4b0e","object":"chat.completion.chunk","created":1754000000,"model":"served-model","choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]}`)
	}
	event(`{"id":"chatcmpl-9d1f0c5c8f3b4b0e","object":"chat.completion.chunk","created":1754000000,"model":"served-model","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`)
	event(`{"choices":[],"usage":{"prompt_tokens":9000,"completion_tokens":64}}`)
	event("[DONE]")
	b.WriteString("0\r\n\r\n")
	return b.Bytes()
}

// answerAll reads requests of a known length and answers each with the same bytes, in pieces of size n.
func answerAll(c net.Conn, response []byte, n int) {
	buf := make([]byte, 64<<10)
	marker := []byte("-end-of-body-\"}")
	tail := make([]byte, 0, 2*len(marker))
	for {
		got, err := c.Read(buf)
		if err != nil {
			return
		}
		seen := append(tail, buf[max(0, got-len(marker)):got]...)
		if !bytes.HasSuffix(seen, marker) {
			tail = append(tail[:0], seen[max(0, len(seen)-len(marker)):]...)
			continue
		}
		tail = tail[:0]
		for rest := response; len(rest) > 0; {
			k := min(n, len(rest))
			if _, err := c.Write(rest[:k]); err != nil {
				return
			}
			rest = rest[k:]
		}
	}
}

// request is a body of about size bytes in fragments, as a history gives them.
func request(size int) *chat.Request {
	var messages [][]byte
	for n := 0; n < size; n += 900 {
		messages = append(messages, []byte(`{"role":"user","content":"`+strings.Repeat("x", 870)+`"}`))
	}
	shell, err := chat.Wire{Model: "served-model", Stream: true}.Shell(chat.Params{}, []byte(`["-end-of-body-"]`), 0)
	if err != nil {
		panic(err)
	}
	r := shell.Body(messages)
	r.Body[len(r.Body)-1] = []byte(`],"z":"-end-of-body-"}`)
	return r
}

func issueLoop(b *testing.B, dial func(context.Context, string, string) (net.Conn, error)) {
	c, err := endpoint.New(endpoint.Config{URL: "http://127.0.0.1:1", Dial: dial}, time.Now())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	req := request(40 << 10)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.ReportAllocs()
	for b.Loop() {
		x := sample.Exchange{Timing: sample.NoTiming()}
		c.Issue(ctx, req, &x)
		if x.Outcome != sample.OK {
			b.Fatalf("%s (%s)", x.Outcome, x.Cause)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/64, "ns/chunk")
}

// BenchmarkIssueMemory is the client alone: 40 KB sent, 64 chunks received in one read, over memory.
func BenchmarkIssueMemory(b *testing.B) {
	response := streamOf(64)
	issueLoop(b, func(context.Context, string, string) (net.Conn, error) {
		near, far := coretest.Pipe()
		go answerAll(far, response, len(response))
		return near, nil
	})
}

// BenchmarkIssueSockets is the same over a loopback socket, one write for each 256 bytes of the answer.
func BenchmarkIssueSockets(b *testing.B) {
	response := streamOf(64)
	l := coretest.Loopback(b)
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				answerAll(c, response, 256)
				c.Close()
			}()
		}
	}()
	issueLoop(b, func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "tcp", l.Addr().String())
	})
}

// BenchmarkBareSockets is the floor that BenchmarkIssueSockets is read against: the same writes and reads and no more.
func BenchmarkBareSockets(b *testing.B) {
	response := streamOf(64)
	l := coretest.Loopback(b)
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		answerAll(c, response, 256)
		c.Close()
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	body := bytes.Join(request(40<<10).Body, nil)
	buf := make([]byte, 16<<10)
	for b.Loop() {
		if _, err := c.Write(body); err != nil {
			b.Fatal(err)
		}
		for n := 0; n < len(response); {
			k, err := c.Read(buf)
			if err != nil {
				b.Fatal(err)
			}
			n += k
		}
	}
}

// BenchmarkNetHTTPSockets is what package net/http needs for the same, its bytes read and not looked at.
func BenchmarkNetHTTPSockets(b *testing.B) {
	response := streamOf(64)
	l := coretest.Loopback(b)
	defer l.Close()
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		answerAll(c, response, 256)
		c.Close()
	}()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	body := bytes.Join(request(40<<10).Body, nil)
	buf := make([]byte, 8<<10)
	b.ReportAllocs()
	for b.Loop() {
		r, err := client.Post("http://"+l.Addr().String(), "application/json", bytes.NewReader(body))
		if err != nil {
			b.Fatal(err)
		}
		for err == nil {
			_, err = r.Body.Read(buf)
		}
		r.Body.Close()
	}
}

// TestIssueAllocates holds a ceiling on what one turn costs the collector, whatever the number of its chunks.
func TestIssueAllocates(t *testing.T) {
	response := streamOf(64)
	c, err := endpoint.New(endpoint.Config{URL: "http://127.0.0.1:1", Dial: func(context.Context, string, string) (net.Conn, error) {
		near, far := coretest.Pipe()
		go answerAll(far, response, len(response))
		return near, nil
	}}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	req := request(40 << 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var x sample.Exchange
	c.Issue(ctx, req, &x)
	if n := testing.AllocsPerRun(200, func() { c.Issue(ctx, req, &x) }); n > 10 {
		t.Errorf("a turn of 64 chunks allocates %v times", n)
	}
	if x.Outcome != sample.OK {
		t.Errorf("%s (%s)", x.Outcome, x.Cause)
	}
}
