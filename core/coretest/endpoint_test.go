package coretest_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/coretest"

	"github.com/google/go-cmp/cmp"
)

// inMemory starts script on a new network inside a bubble.
func inMemory(t *testing.T, script *coretest.Script) (*coretest.Endpoint, *coretest.Network, *http.Client) {
	n := coretest.NewNetwork()
	l, err := n.Listen("engine:8000")
	if err != nil {
		t.Fatal(err)
	}
	return coretest.Start(t, l, script), n, n.Client(t)
}

func post(t *testing.T, c *http.Client, url, body string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer key")
	resp, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

func TestStepsAreExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := coretest.LoadCase(t, "14")
		e, n, _ := inMemory(t, c.Script(t))
		conn, err := n.Dial(t.Context(), "tcp", "engine:8000")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "POST /v1/chat/completions?x=1 HTTP/1.1\r\nHost: engine\r\n")
		time.Sleep(time.Second) // at_ms counts from the last byte of the request
		io.WriteString(conn, "Content-Length: 2\r\n\r\n{}")
		start := time.Now()
		var at []int64
		buf := make([]byte, 64<<10)
		for {
			_, err := conn.Read(buf)
			if err != nil {
				break
			}
			if ms := time.Since(start).Milliseconds(); len(at) == 0 || at[len(at)-1] != ms {
				at = append(at, ms)
			}
		}
		var want struct {
			Replies []struct {
				Body []struct {
					AtMS int64 `json:"at_ms"`
				}
			}
		}
		c.Decode(t, "server.json", &want)
		var steps []int64
		for _, b := range want.Replies[0].Body {
			if len(steps) == 0 || steps[len(steps)-1] != b.AtMS {
				steps = append(steps, b.AtMS)
			}
		}
		if diff := cmp.Diff(steps, at); diff != "" {
			t.Errorf("instants of reads in ms (-want +got):\n%s", diff)
		}
		r := e.Requests()[0]
		if r.Method != "POST" || r.Target != "/v1/chat/completions?x=1" || string(r.Body) != "{}" || !r.At.Equal(start) {
			t.Errorf("recorded %+v", r)
		}
	})
}

func TestGapBetweenEqualInstants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := coretest.LoadCase(t, "05")
		e, _, client := inMemory(t, c.Script(t))
		start := time.Now()
		status, body, err := post(t, client, e.URL(), "{}")
		if status != 200 || err != nil || body != string(c.File(t, "stream.sse")) {
			t.Errorf("got %d, %d bytes, %v", status, len(body), err)
		}
		// Three steps at 160 ms push the two at 162 ms to 163 and 164 ms.
		if d := time.Since(start); d != 164*time.Millisecond {
			t.Errorf("took %v", d)
		}
	})
}

// TestEveryCaseParses also plays each case once over a real socket where that
// ends by itself.
func TestEveryCaseParses(t *testing.T) {
	if testing.Short() {
		t.Skip("plays in real time")
	}
	for _, name := range []string{"01", "03", "12", "38", "47", "58"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := coretest.Start(t, coretest.Loopback(t), coretest.LoadCase(t, name).Script(t))
			_, body, err := post(t, http.DefaultClient, e.URL(), `{"messages":[]}`)
			if reset := errors.Is(err, syscall.ECONNRESET); reset != (name == "12") || (err != nil && !reset) {
				t.Errorf("body of %d bytes, error %v", len(body), err)
			}
			if name == "12" && len(body) != 376 {
				t.Errorf("read %d bytes before the reset, want 376", len(body))
			}
		})
	}
	for n := 1; n < 65; n++ {
		for _, name := range caseNames(t, n) {
			c := coretest.LoadCase(t, name)
			if _, err := c.FS.Open("server.json"); err == nil && name != "60-nan-in-json" {
				c.Script(t)
			}
		}
	}
	coretest.LoadCase(t, "60").ScriptOf(t, "run2")
}

func TestChoiceOfReplies(t *testing.T) {
	message := func(role, text string) string { return `{"role":"` + role + `","content":"` + text + `"}` }
	body := func(messages ...string) string { return `{"messages":[` + strings.Join(messages, ",") + `]}` }
	tests := []struct {
		name, body string
		requests   int // sent before the one that counts
		status     int
		want       string
	}{
		{"33", body(), 0, 429, "slow down"},
		{"33", body(), 1, 200, "[DONE]"},
		{"51", body(message("user", "f2 q2")), 0, 500, "error"},
		{"51", body(message("user", "f2 q1")), 0, 200, "[DONE]"},
		{"54", body(message("user", strings.Repeat("x", 901))), 0, 400, "context_length_exceeded"},
		{"54", body(message("user", strings.Repeat("x", 900))), 0, 200, "[DONE]"},
		{"53", body(message("system", "s"), message("user", "u"), message("user", "u")), 0, 400, "alternate"},
		{"53", body(message("system", "s"), message("user", "u")), 0, 200, "[DONE]"},
		{"46", body(`{"role":"tool","tool_call_id":"call_9","content":""}`), 1, 400, "call_9"},
		{"46", body(`{"role":"tool","tool_call_id":"call_x2","content":""}`), 1, 200, "[DONE]"},
		{"46", body(), 2, 500, "no reply is scripted for request 3"},
		{"38", body(), 0, 401, "bad key: Bearer key"},
		{"58", body(message("user", strings.Repeat("x", 40))), 1, 200, `"cached_tokens":8}`},
	}
	for _, test := range tests {
		t.Run(test.name+" "+test.want, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e, _, client := inMemory(t, coretest.LoadCase(t, test.name).Script(t))
				for range test.requests {
					post(t, client, e.URL(), test.body)
				}
				status, got, err := post(t, client, e.URL(), test.body)
				if status != test.status || !strings.Contains(got, test.want) || err != nil {
					t.Errorf("got %d %q, %v", status, got, err)
				}
			})
		})
	}
}

func TestListenerClosesAfterSix(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, _, client := inMemory(t, coretest.LoadCase(t, "35").Script(t))
		for range 6 {
			if status, _, err := post(t, client, e.URL(), "{}"); status != 200 || err != nil {
				t.Errorf("got %d, %v", status, err)
			}
		}
		if _, _, err := post(t, client, e.URL(), "{}"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("seventh request: %v", err)
		}
	})
}

func TestEndsOfBodies(t *testing.T) {
	hello := []coretest.Step{{At: time.Millisecond, Data: []byte("hello")}}
	tests := []struct {
		name  string
		reply coretest.Reply
		err   error
		conns int // of two requests in a row
	}{
		{"close", coretest.Reply{End: coretest.EndClose}, nil, 2},
		{"keep-alive", coretest.Reply{End: coretest.EndKeepAlive}, nil, 1},
		{"length", coretest.Reply{End: coretest.EndKeepAlive, Coding: coretest.WithLength}, nil, 1},
		{"until close", coretest.Reply{Coding: coretest.UntilClose}, nil, 2},
		{"reset", coretest.Reply{End: coretest.EndReset}, syscall.ECONNRESET, 2},
		{"cut", coretest.Reply{End: coretest.EndCut}, io.ErrUnexpectedEOF, 2},
		{"drop", coretest.Reply{End: coretest.EndDrop, Linger: time.Millisecond}, nil, 2},
		{"drop, next request in time", coretest.Reply{End: coretest.EndDrop, Linger: time.Minute}, nil, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test.reply.Body = hello
				e, _, client := inMemory(t, &coretest.Script{Replies: []coretest.Reply{test.reply}})
				for range 2 {
					_, body, err := post(t, client, e.URL(), "{}")
					if body != "hello" || !errors.Is(err, test.err) {
						t.Errorf("got %q, %v", body, err)
					}
					time.Sleep(time.Second)
				}
				if got := e.Conns(); got != test.conns {
					t.Errorf("%d connections, want %d", got, test.conns)
				}
			})
		})
	}
}

func TestHangEndsWithTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := coretest.LoadCase(t, "52").Script(t)
		for i := range script.Replies {
			script.Replies[i].First, script.Replies[i].Last = 0, 0
		}
		script.Replies = script.Replies[1:2]
		e, _, client := inMemory(t, script)
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, e.URL(), strings.NewReader("{}"))
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if _, err := io.ReadAll(resp.Body); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("read gave %v", err)
		}
		synctest.Wait()
		r := e.Requests()[0]
		if got := r.Lost.Sub(start); got != time.Second || !r.Done.IsZero() {
			t.Errorf("client gone after %v, done %v", got, r.Done)
		}
	})
}

func TestChunkedRequestsAndPipelines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := &coretest.Script{Replies: []coretest.Reply{{End: coretest.EndKeepAlive}}}
		e, n, _ := inMemory(t, script)
		conn, _ := n.Dial(t.Context(), "tcp", "engine:8000")
		defer conn.Close()
		io.WriteString(conn, "POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
		synctest.Wait()
		got := e.Requests()
		if len(got) != 2 || string(got[0].Body) != "abcde" || got[1].Target != "/b" || got[1].OnConn != 2 {
			t.Errorf("recorded %+v", got)
		}
	})
}

func TestParseScriptRefuses(t *testing.T) {
	open := func(string) ([]byte, error) { return []byte("12345"), nil }
	for text, want := range map[string]string{
		`{`:                                 "unexpected end",
		`{"replies":[{"when":"it rains"}]}`: `when "it rains" is not known`,
		`{"replies":[{"end":"boom"}]}`:      `end "boom" is not known`,
		`{"replies":[{"end":"close","request":"x"}]}`:                                             `request "x" is no number`,
		`{"replies":[{"end":"close","body":[{"file":"a","from":2,"to":9}]}]}`:                     "a has 5 bytes, range 2 to 9",
		`{"replies":[{"end":"close"}],"checks":["be nice"]}`:                                      `check "be nice" is not known`,
		`{"replies":[{"end":"close"}],"after":"party"}`:                                           `after "party" is not known`,
		`{"replies":[{"end":"close","request":"3-1"}]}`:                                           `request "3-1" is no number`,
		`{"replies":[{"end":"close","request":1,"body":[{"at_ms":1,"text":"x"}]}],"usage":"odd"}`: `usage "odd" is not known`,
	} {
		if _, err := coretest.ParseScript([]byte(text), "replies", open); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseScript(%s) = %v, want %q", text, err, want)
		}
	}
}

func TestAbortOfRealConnections(t *testing.T) {
	l := coretest.Loopback(t)
	defer l.Close()
	go func() {
		if c, err := l.Accept(); err == nil {
			c.Read(make([]byte, 1))
			coretest.Abort(c)
		}
	}()
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "x")
	if _, err := io.ReadAll(c); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("read gave %v", err)
	}
}
