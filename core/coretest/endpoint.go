package coretest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"sync"
	"testing"
	"time"
)

// Endpoint plays a script on a listener. Its methods may be called from several
// goroutines.
type Endpoint struct {
	script   *Script
	listener net.Listener
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu       sync.Mutex
	requests []*Request
	answered int
	conns    map[net.Conn]bool
	accepted int
	stopped  bool
}

// Start plays script on l until the test ends, and owns l.
func Start(t testing.TB, l net.Listener, script *Script) *Endpoint {
	t.Helper()
	e := Serve(l, script)
	t.Cleanup(e.Stop)
	return e
}

// Serve plays script on l, which it owns, until Stop.
func Serve(l net.Listener, script *Script) *Endpoint {
	ctx, cancel := context.WithCancel(context.Background())
	e := &Endpoint{script: script, listener: l, cancel: cancel, conns: map[net.Conn]bool{}}
	e.wg.Go(func() { e.accept(ctx) })
	return e
}

// Loopback opens a listener on a free port of 127.0.0.1, for tests outside a
// bubble.
func Loopback(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("open loopback listener: %v", err)
	}
	return l
}

// URL returns the base of the endpoint's URLs, without a slash at its end.
func (e *Endpoint) URL() string { return "http://" + e.listener.Addr().String() }

// Requests returns copies of the requests so far in order of arrival.
func (e *Endpoint) Requests() []Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	out := make([]Request, len(e.requests))
	for i, r := range e.requests {
		out[i] = *r
	}
	return out
}

// Conns returns how many connections were accepted.
func (e *Endpoint) Conns() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.accepted
}

// CloseListener refuses further connections and leaves open ones alone.
func (e *Endpoint) CloseListener() { e.listener.Close() }

// Stop closes the listener and every connection and waits until all is quiet.
// It may be called more than once.
func (e *Endpoint) Stop() {
	e.cancel()
	e.listener.Close()
	e.mu.Lock()
	e.stopped = true
	for c := range e.conns {
		c.Close()
	}
	e.mu.Unlock()
	e.wg.Wait()
}

func (e *Endpoint) accept(ctx context.Context) {
	for {
		c, err := e.listener.Accept()
		if err != nil {
			return
		}
		e.mu.Lock()
		e.accepted++
		number := e.accepted
		e.conns[c] = true
		stopped := e.stopped
		e.mu.Unlock()
		if stopped {
			c.Close()
			return
		}
		e.wg.Go(func() {
			e.serve(ctx, c, number)
			e.mu.Lock()
			delete(e.conns, c)
			e.mu.Unlock()
			c.Close()
		})
	}
}

// serve answers the requests of one connection one after another.
func (e *Endpoint) serve(ctx context.Context, c net.Conn, number int) {
	br := bufio.NewReader(c)
	for n := 1; ; n++ {
		r, err := readRequest(br)
		if err != nil {
			return
		}
		r.Conn, r.OnConn, r.At = number, n, time.Now()
		if reply, ok := e.script.aside(r); ok {
			p := player{endpoint: e, conn: c, reader: br, request: r}
			if stay, err := p.play(ctx, reply); err != nil || !stay {
				return
			}
			continue
		}
		earlier := e.admit(r)
		reply := e.decide(r, earlier)
		p := player{endpoint: e, conn: c, reader: br, request: r, earlier: earlier}
		stay, err := p.play(ctx, reply)
		e.finish(r, err)
		if !stay {
			return
		}
	}
}

// admit numbers r and returns the requests before it.
func (e *Endpoint) admit(r *Request) []*Request {
	e.mu.Lock()
	defer e.mu.Unlock()
	earlier := e.requests[:len(e.requests):len(e.requests)]
	e.requests = append(e.requests, r)
	r.Number = len(e.requests)
	return earlier
}

func (e *Endpoint) decide(r *Request, earlier []*Request) Reply {
	index, refused := -1, ""
	for _, check := range e.script.Checks {
		if err := check(r, earlier); err != nil {
			refused = err.Error()
			break
		}
	}
	if refused == "" {
		index = e.script.choose(r)
	}
	e.mu.Lock()
	r.Reply, r.Refused = index, refused
	e.mu.Unlock()
	switch {
	case refused != "":
		return errorReply(http.StatusBadRequest, refused)
	case index < 0:
		return errorReply(http.StatusInternalServerError, fmt.Sprintf("no reply is scripted for request %d", r.Number))
	}
	return e.script.Replies[index]
}

func (e *Endpoint) finish(r *Request, err error) {
	e.mu.Lock()
	if err == nil {
		r.Done = time.Now()
	} else {
		r.Lost = time.Now()
	}
	e.answered++
	last := e.answered == e.script.CloseListenerAfter
	e.mu.Unlock()
	if last {
		e.listener.Close()
	}
}

// aside answers what is not part of the script: the list of models, and that there is no metrics page.
func (s *Script) aside(r *Request) (Reply, bool) {
	switch {
	case len(s.Models) == 0:
	case r.asksFor("/models"):
		return modelsReply(s.Models), true
	case r.asksFor("/metrics"):
		return errorReply(http.StatusNotFound, "no such page"), true
	}
	return Reply{}, false
}

// modelsReply lists models in OpenAI's form.
func modelsReply(names []string) Reply {
	type model struct {
		ID string `json:"id"`
	}
	list := make([]model, len(names))
	for i, name := range names {
		list[i].ID = name
	}
	body, _ := json.Marshal(map[string]any{"object": "list", "data": list}) // strings always have a JSON form
	return Reply{
		Headers: []Header{{"Content-Type", "application/json"}},
		Body:    []Step{{Data: body}},
		End:     EndKeepAlive,
	}
}

// errorReply is an error in OpenAI's form.
func errorReply(status int, message string) Reply {
	quoted, _ := json.Marshal(message) // a string always has a JSON form
	body := fmt.Sprintf(`{"error":{"message":%s,"type":"invalid_request_error"}}`, quoted)
	return Reply{
		Status:  status,
		Headers: []Header{{"Content-Type", "application/json"}},
		Body:    []Step{{Data: []byte(body)}},
		End:     EndKeepAlive,
	}
}

// player sends one reply.
type player struct {
	endpoint *Endpoint
	conn     net.Conn
	reader   *bufio.Reader
	request  *Request
	earlier  []*Request
}

// play returns whether the connection stays, and an error if the client was
// gone or the endpoint stopped before the reply's end.
func (p *player) play(ctx context.Context, reply Reply) (stay bool, err error) {
	steps := make([][]byte, len(reply.Body))
	total := 0
	for i, step := range reply.Body {
		steps[i] = p.expand(step.Data)
		total += len(steps[i])
	}
	pending := head(reply, total) // goes out with the first step
	next := p.request.At
	for i, step := range reply.Body {
		at := p.request.At.Add(step.At)
		if at.Before(next) {
			at = next
		}
		if err := sleepUntil(ctx, at); err != nil {
			return false, err
		}
		next = at.Add(p.endpoint.script.Gap)
		pending = appendPiece(pending, reply.Coding, steps[i])
		if _, err := p.conn.Write(pending); err != nil {
			return false, err
		}
		pending = nil
	}
	return p.end(reply, pending)
}

func (p *player) end(reply Reply, pending []byte) (bool, error) {
	whole := reply.End == EndClose || reply.End == EndKeepAlive || reply.End == EndDrop
	if whole && reply.Coding == Chunked {
		pending = append(pending, "0\r\n\r\n"...)
	}
	if len(pending) > 0 {
		if _, err := p.conn.Write(pending); err != nil {
			return false, err
		}
	}
	switch reply.End {
	case EndKeepAlive:
		return reply.Coding != UntilClose, nil
	case EndReset:
		return false, Abort(p.conn)
	case EndHang:
		// Bytes or an end from the client: it gave up, or the endpoint stopped.
		_, err := p.reader.ReadByte()
		if err == nil {
			err = io.ErrClosedPipe
		}
		return false, fmt.Errorf("hang: %w", err)
	case EndDrop:
		return p.linger(reply.Linger), nil
	}
	return false, nil
}

// linger waits for the next request as a server with a short keep-alive time
// does, and returns whether it began in time.
func (p *player) linger(wait time.Duration) bool {
	if p.conn.SetReadDeadline(time.Now().Add(wait)) != nil {
		return false
	}
	_, err := p.reader.Peek(1)
	return err == nil && p.conn.SetReadDeadline(time.Time{}) == nil
}

var headerMark = regexp.MustCompile(`\{\{header:([^}]+)\}\}`)

func (p *player) expand(data []byte) []byte {
	if bytes.Contains(data, []byte("{{header:")) {
		data = headerMark.ReplaceAllFunc(data, func(mark []byte) []byte {
			return []byte(p.request.Header.Get(string(headerMark.FindSubmatch(mark)[1])))
		})
	}
	if p.endpoint.script.Edit != nil {
		data = p.endpoint.script.Edit(p.request, p.earlier, data)
	}
	return data
}

func head(reply Reply, total int) []byte {
	status := reply.Status
	if status == 0 {
		status = http.StatusOK
	}
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	for _, h := range reply.Headers {
		b = fmt.Appendf(b, "%s: %s\r\n", h.Name, h.Value)
	}
	switch reply.Coding {
	case Chunked:
		b = append(b, "Transfer-Encoding: chunked\r\n"...)
	case WithLength:
		b = fmt.Appendf(b, "Content-Length: %d\r\n", total)
	}
	if reply.End == EndClose || reply.Coding == UntilClose {
		b = append(b, "Connection: close\r\n"...)
	}
	return append(b, "\r\n"...)
}

func appendPiece(b []byte, coding Coding, data []byte) []byte {
	if coding != Chunked {
		return append(b, data...)
	}
	if len(data) == 0 { // a chunk of size zero would end the body
		return b
	}
	b = fmt.Appendf(b, "%x\r\n", len(data))
	b = append(b, data...)
	return append(b, "\r\n"...)
}

func sleepUntil(ctx context.Context, at time.Time) error {
	wait := time.Until(at)
	if wait <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
