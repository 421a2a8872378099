package endpoint_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/coretest"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

// TestKeepAlive holds that one user needs one connection, and that an idle one is not used once it is too old.
func TestKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, oneReply(goodStream, coretest.EndKeepAlive), endpoint.Config{})
		for i := range 5 {
			x := b.ask(t.Context(), "{}")
			if x.Outcome != sample.OK || x.Timing.Reused != (i > 0) || x.Timing.ConnectStart.Set() != (i == 0) {
				t.Errorf("request %d: %s, reused %v", i, x.Outcome, x.Timing.Reused)
			}
			time.Sleep(3 * time.Second)
		}
		time.Sleep(time.Second)
		if x := b.ask(t.Context(), "{}"); x.Outcome != sample.OK || x.Timing.Reused {
			t.Errorf("after 4 s: %s, reused %v", x.Outcome, x.Timing.Reused)
		}
		if s := b.client.Stats(); b.endpoint.Conns() != 2 || s.Opened != 2 || s.Reused != 4 || s.Stale != 1 || s.Idle != 1 {
			t.Errorf("%d connections, %+v", b.endpoint.Conns(), s)
		}
	})
}

// TestFailedAnswerEndsConnection: a connection on which an answer with status 200 came to nothing is not used again, since its
// server may be about to close it under the next request; one that carried a refusal is.
func TestFailedAnswerEndsConnection(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		reused bool
	}{
		"nothing":      {200, "", false},
		"only a ping":  {200, ": ping\n\n", false},
		"in-band":      {200, `data: {"error":{"message":"no"}}` + "\n\n", false},
		"a refusal":    {400, `{"error":{"message":"no"}}`, true},
		"a good one":   {200, goodStream, true},
		"asked to go":  {503, "", true},
		"no JSON here": {200, "data: {\n\n", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			script := oneReply(goodStream, coretest.EndKeepAlive)
			first := oneReply(c.body, coretest.EndKeepAlive).Replies[0]
			first.First, first.Last, first.Status = 1, 1, c.status
			script.Replies = append(script.Replies, first)
			b := newBench(t, script, endpoint.Config{})
			b.ask(t.Context(), "{}")
			if x := b.ask(t.Context(), "{}"); x.Outcome != sample.OK || x.Timing.Reused != c.reused {
				t.Errorf("%s: then %s, reused %v, want %v", name, x.Outcome, x.Timing.Reused, c.reused)
			}
		})
	}
}

// TestStaleConnection is case 36: the server closes idle connections after 0 to 2 ms and says nothing of it.
func TestStaleConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		script := oneReply(goodStream, coretest.EndDrop)
		script.Replies = nil
		for n := range 3 {
			reply := oneReply(goodStream, coretest.EndDrop).Replies[0]
			reply.Body[0].At = coretestMS(5)
			reply.Linger = coretestMS(n)
			reply.When = func(r *coretest.Request) bool { return r.Number%3 == n }
			script.Replies = append(script.Replies, reply)
		}
		b := newBench(t, script, endpoint.Config{})
		retries := 0
		for i := range 200 {
			x := b.ask(t.Context(), "{}")
			if x.Outcome != sample.OK {
				t.Fatalf("request %d: %s (%s)", i, x.Outcome, x.Cause)
			}
			retries += x.ConnectionRetries
			if noted := slices.Contains(x.Notes, sample.NoteConnectionRetry); noted != (x.ConnectionRetries == 1) || noted && (x.Timing.Reused || x.Timing.ConnectStart.Set()) {
				t.Errorf("request %d: notes %v, timing %+v", i, x.Notes, x.Timing)
			}
			time.Sleep(time.Millisecond)
		}
		if n := len(b.endpoint.Requests()); n != 200 {
			t.Errorf("the server saw %d requests, want 200", n)
		}
		if s := b.client.Stats(); retries == 0 || s.Retried != int64(retries) {
			t.Errorf("%d retries, %+v", retries, s)
		}
	})
}

// TestNoSecondRepeat holds the bounds of the one repetition: not on a new connection, not after a byte of a response.
func TestNoSecondRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{network: coretest.NewNetwork()}
		conns := 0
		serve(t, b.network, func(c net.Conn) {
			conns++
			r := bufio.NewReader(c)
			for n := 1; ; n++ {
				if _, err := r.Peek(1); err != nil {
					return
				}
				for line := ""; line != "\r\n"; {
					line, _ = r.ReadString('\n')
				}
				io.CopyN(io.Discard, r, 2)
				switch {
				case conns == 1 && n == 1, conns == 3 && n == 1:
					fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(goodStream), goodStream)
				case conns == 3:
					io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n")
					return
				default:
					return
				}
			}
		})
		b.dialled(t, endpoint.Config{})
		for i, want := range []struct {
			outcome sample.Outcome
			retries int
		}{{sample.OK, 0}, {sample.Reset, 1}, {sample.OK, 0}, {sample.Reset, 0}} {
			x := b.ask(t.Context(), "{}")
			if x.Outcome != want.outcome || x.ConnectionRetries != want.retries {
				t.Errorf("request %d: %s (%s) with %d retries, want %+v", i, x.Outcome, x.Cause, x.ConnectionRetries, want)
			}
			synctest.Wait()
		}
		if conns != 3 {
			t.Errorf("%d connections, want 3", conns)
		}
	})
}

// TestLateEndOfBody holds that Done is the end mark's instant, that nobody waits for what follows it, and that the
// connection is used again once it came.
func TestLateEndOfBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bench{network: coretest.NewNetwork()}
		serve(t, b.network, func(c net.Conn) {
			r := bufio.NewReader(c)
			for {
				req, err := http.ReadRequest(r)
				if err != nil {
					return
				}
				io.Copy(io.Discard, req.Body)
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%x;ext=1\r\n%s\r\n", len(goodStream), goodStream)
				time.Sleep(20 * time.Millisecond)
				io.WriteString(c, "0\r\nX-Trailer: 1\r\n\r\n")
			}
		})
		b.dialled(t, endpoint.Config{})
		start := time.Now()
		x := b.ask(t.Context(), "{}")
		if took := time.Since(start); x.Outcome != sample.OK || took > time.Millisecond || x.Timing.Done != x.Timing.Sent {
			t.Errorf("%s (%s) after %v, done %v", x.Outcome, x.Cause, took, x.Timing.Done)
		}
		if x := b.ask(t.Context(), "{}"); x.Timing.Reused {
			t.Error("the connection was used while its body had not ended")
		}
		time.Sleep(30 * time.Millisecond)
		if s := b.client.Stats(); s.Idle != 2 {
			t.Errorf("%+v, want both connections idle", s)
		}
		if x := b.ask(t.Context(), "{}"); !x.Timing.Reused || x.Outcome != sample.OK {
			t.Errorf("%s (%s), reused %v", x.Outcome, x.Cause, x.Timing.Reused)
		}
	})
}

// TestQuietOverSockets has a real socket closed by the server while it is idle: it is found dead before it is used.
func TestQuietOverSockets(t *testing.T) {
	l := coretest.Loopback(t)
	reply := oneReply(goodStream, coretest.EndDrop)
	e := coretest.Start(t, l, reply)
	c, err := endpoint.New(endpoint.Config{URL: e.URL()}, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b := &bench{client: c}
	for range 3 {
		if x := b.ask(t.Context(), "{}"); x.Outcome != sample.OK {
			t.Fatalf("%s (%s)", x.Outcome, x.Cause)
		}
	}
	if n := len(e.Requests()); n != 3 {
		t.Errorf("the server saw %d requests", n)
	}
}

func TestModels(t *testing.T) {
	for body, want := range map[string]string{
		`{"data":[{"id":"m"}]}`:            "m",
		`{"data":[]}`:                      "lists none",
		`{"data":[{"id":"a"},{"id":"b"}]}`: "lists 2: a, b",
		`nonsense`:                         "get /v1/models",
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, document(200, body), endpoint.Config{APIKey: "k1234"})
			got, err := b.client.OnlyModel(t.Context())
			if err != nil {
				got = err.Error()
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s: got %q, want %q", body, got, want)
			}
			r := b.endpoint.Requests()[0]
			if r.Method != "GET" || r.Target != "/v1/models" || r.Header.Get("Authorization") != "Bearer k1234" || len(r.Body) > 0 {
				t.Errorf("asked %s %s", r.Method, r.Target)
			}
		})
	}
}

func TestProbes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, document(404, `{"k":"key-5678"}`), endpoint.Config{URL: "http://" + engine + "/llm/v1", APIKey: "key-5678"})
		reply, err := b.client.Get(t.Context(), "/version")
		if err != nil || reply.Status != 404 || string(reply.Body) != `{"k":"[secret]"}` {
			t.Errorf("got %+v, %v", reply, err)
		}
		if _, err := b.client.Post(t.Context(), []byte(`{"p":1}`)); err != nil {
			t.Error(err)
		}
		r := b.endpoint.Requests()
		if r[0].Target != "/llm/version" || r[1].Target != "/llm/v1/chat/completions" || string(r[1].Body) != `{"p":1}` || r[1].Conn != r[0].Conn {
			t.Errorf("asked %s, then %s %s", r[0].Target, r[1].Target, r[1].Body)
		}
		for _, path := range []string{"/flush_cache", "/v1/order"} {
			if _, err := b.client.PostTo(t.Context(), path, nil); err != nil {
				t.Error(err)
			}
		}
		r = b.endpoint.Requests()[2:]
		if r[0].Method != "POST" || r[0].Target != "/llm/flush_cache" || r[0].Header.Get("Content-Length") != "0" || r[1].Target != "/llm/v1/order" {
			t.Errorf("ordered %+v", r)
		}
		if _, err := b.client.Get(t.Context(), "version"); err == nil {
			t.Error("a path without a slash was taken")
		}
		b.endpoint.Stop()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := b.client.Get(ctx, "/version"); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("got %v", err)
		}
	})
}

// certificate makes a self-signed certificate for localhost and writes it as PEM.
func certificate(t *testing.T, until time.Time) (tls.Certificate, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		NotBefore: time.Date(2019, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: until, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, file
}

// untilIdle waits until the client's connection is back: what follows an answer may be read beside the caller.
func untilIdle(t *testing.T, c *endpoint.Client) {
	t.Helper()
	for limit := time.Now().Add(30 * time.Second); c.Stats().Idle == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("the connection does not come back: %+v", c.Stats())
		}
	}
}

// TestCertificates is case 40.
func TestCertificates(t *testing.T) {
	good, goodFile := certificate(t, time.Now().AddDate(1, 0, 0))
	old, oldFile := certificate(t, time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
	for name, tt := range map[string]struct {
		server  tls.Certificate
		config  endpoint.Config
		outcome sample.Outcome
		cause   string
	}{
		"unknown":      {good, endpoint.Config{}, sample.TLS, "certificate"},
		"CA file":      {good, endpoint.Config{CAFile: goodFile, ServerName: "localhost"}, sample.OK, ""},
		"insecure":     {good, endpoint.Config{Insecure: true}, sample.OK, ""},
		"out of date":  {old, endpoint.Config{CAFile: oldFile, ServerName: "localhost"}, sample.TLS, "expired"},
		"another name": {good, endpoint.Config{CAFile: goodFile, ServerName: "elsewhere"}, sample.TLS, "elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			l := tls.NewListener(coretest.Loopback(t), &tls.Config{Certificates: []tls.Certificate{tt.server}, NextProtos: []string{"h2", "http/1.1"}})
			coretest.Start(t, l, oneReply(goodStream, coretest.EndKeepAlive))
			tt.config.URL = "https://" + l.Addr().String()
			c, err := endpoint.New(tt.config, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			b := &bench{client: c}
			for range 2 {
				x := b.ask(t.Context(), strings.Repeat("x", 100<<10))
				if x.Outcome != tt.outcome || !strings.Contains(x.Cause, tt.cause) {
					t.Errorf("got %s (%s), want %s", x.Outcome, x.Cause, tt.outcome)
				}
				if tt.outcome == sample.OK {
					untilIdle(t, c)
				}
			}
			if s := c.Stats(); tt.outcome == sample.OK && s.Reused != 1 {
				t.Errorf("the connection was not used again: %+v", s)
			}
			if info := c.Info(); !info.TLS || info.TLSVerify == tt.config.Insecure || info.Protocol != "HTTP/1.1" || info.Proxy != "none" {
				t.Errorf("info %+v", info)
			}
		})
	}
	if _, err := endpoint.New(endpoint.Config{URL: "https://h", CAFile: "no/such.pem"}, time.Now()); err == nil {
		t.Error("a missing CA file was taken")
	}
}
