package endpoint_test

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

// scripted is a connection that takes any request and answers with given bytes in pieces of n, then ends.
type scripted struct {
	net.Conn
	rest []byte
	n    int
}

func (c *scripted) Write(p []byte) (int, error)      { return len(p), nil }
func (c *scripted) Close() error                     { return nil }
func (c *scripted) SetDeadline(time.Time) error      { return nil }
func (c *scripted) SetReadDeadline(time.Time) error  { return nil }
func (c *scripted) SetWriteDeadline(time.Time) error { return nil }
func (c *scripted) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.rest[:min(c.n, len(c.rest))])
	c.rest = c.rest[n:]
	return n, nil
}

// FuzzResponse gives the client any bytes as a response: whatever they are, the outcome is one, what is kept is JSON where
// it must be, and the cuts between reads do not matter.
func FuzzResponse(f *testing.F) {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	f.Add([]byte(head+"Transfer-Encoding: chunked\r\n\r\n5;a=b\r\ndata:\r\n4\r\n x\n\n\r\n0\r\nT: 1\r\n\r\n"), uint8(1))
	f.Add([]byte(head+"\r\n"+goodStream), uint8(7))
	f.Add([]byte("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.0 400 Bad\nContent-Length: 2\n\n{}"), uint8(3))
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Length: 74\r\n\r\n"+`{"choices":[{"message":{"content":"a","tool_calls":[{"id":"\u0000"}]}}]}`), uint8(3))
	f.Fuzz(func(t *testing.T, response []byte, n uint8) {
		var results []string
		for _, n := range []int{int(n) + 1, len(response) + 1} {
			c, err := endpoint.New(endpoint.Config{URL: "http://h", APIKey: "data", Dial: func(context.Context, string, string) (net.Conn, error) {
				return &scripted{rest: response, n: n}, nil
			}}, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			x := sample.Exchange{Timing: sample.NoTiming()}
			c.Issue(t.Context(), &chat.Request{Body: [][]byte{[]byte("{}")}, Stream: true}, &x)
			c.Close()
			if x.Outcome == "" || x.Chunks.Check() != nil || x.Outcome == sample.OK && x.Answer == nil {
				t.Fatalf("%q: %+v", response, x)
			}
			if x.Answer != nil && (!json.Valid(x.Answer.Message) || x.Answer.Extra != nil && !json.Valid(x.Answer.Extra)) {
				t.Fatalf("%q: %s %s", response, x.Answer.Message, x.Answer.Extra)
			}
			x.Timing, x.Chunks = sample.Timing{}, nil
			out, err := json.Marshal(x)
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, string(out))
		}
		if results[0] != results[1] {
			t.Errorf("%q: in pieces of %d\n%s\nwhole\n%s", response, int(n)+1, results[0], results[1])
		}
	})
}
