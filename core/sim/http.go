package sim

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"paceline/core/chat"
)

// maxBody bounds a request's body.
const maxBody = 256 << 20

// incoming is a request whose body was read, or the reason why it was not.
type incoming struct {
	*http.Request
	body []byte
	err  error
}

// exchange is one request on a connection and what its answer needs.
type exchange struct {
	conn net.Conn
	in   incoming
	api  chat.API // of the request
	// gone ends when the client leaves or the server stops.
	gone context.Context //nolint:containedctx // one per request, handed on with all that the answer needs
}

// serveConn answers one request after another. A second goroutine reads, so that
// a client that leaves while it waits is noticed.
func (s *Server) serveConn(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	requests := make(chan incoming)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(requests)
		defer cancel()
		br := bufio.NewReaderSize(c, 16<<10)
		for {
			in := readRequest(br, c)
			if errors.Is(in.err, io.EOF) || errors.Is(in.err, net.ErrClosed) {
				return
			}
			select {
			case requests <- in:
			case <-ctx.Done():
				return
			}
			if in.err != nil {
				return
			}
		}
	}()
	for in := range requests {
		if !s.route(&exchange{conn: c, in: in, gone: ctx}) {
			break
		}
	}
	cancel()
	c.Close()
	<-done
}

func readRequest(br *bufio.Reader, c net.Conn) incoming {
	request, err := http.ReadRequest(br)
	if err != nil {
		return incoming{err: err}
	}
	if strings.EqualFold(request.Header.Get("Expect"), "100-continue") {
		if _, err := io.WriteString(c, "HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
			return incoming{err: err}
		}
	}
	if request.ContentLength > maxBody {
		return incoming{err: fmt.Errorf("the body has %d bytes, at most %d are read", request.ContentLength, maxBody)}
	}
	var body []byte
	if request.ContentLength >= 0 {
		body = make([]byte, request.ContentLength)
		_, err = io.ReadFull(request.Body, body)
	} else {
		body, err = io.ReadAll(io.LimitReader(request.Body, maxBody))
	}
	return incoming{Request: request, body: body, err: err}
}

// route answers x and returns whether the connection stays.
func (s *Server) route(x *exchange) bool {
	if x.in.err != nil {
		x.fail(http.StatusBadRequest, "the request could not be read: "+x.in.err.Error(), "")
		return false
	}
	path := x.in.URL.Path
	if strings.HasPrefix(path, "/v1/") && !s.admits(x.in.Header) {
		return x.fail(http.StatusUnauthorized, "the API key is missing or wrong", "invalid_api_key")
	}
	switch x.in.Method + " " + path {
	case "POST /v1/chat/completions":
		return s.answer(x, chat.APIChat)
	case "POST /v1/completions":
		return s.answer(x, chat.APICompletions)
	case "POST /v1/responses":
		return s.answer(x, chat.APIResponses)
	case "POST /v1/messages":
		return s.answer(x, chat.APIMessages)
	case "GET /v1/models":
		return x.reply(http.StatusOK, jsonType, s.models())
	case "GET /version":
		return x.reply(http.StatusOK, jsonType, append(chat.AppendQuoted([]byte(`{"version":`), s.config.Version), '}'))
	case "GET /health":
		return x.reply(http.StatusOK, "text/plain", nil)
	case "GET /metrics":
		return x.reply(http.StatusOK, "text/plain; version=0.0.4; charset=utf-8", s.metrics())
	case "POST /tokenize":
		return s.tokenize(x)
	case "POST /reset_prefix_cache":
		s.engine.reset()
		return x.reply(http.StatusOK, jsonType, []byte("{}"))
	case "GET /reset_prefix_cache": // how vLLM tells that it has the order, without carrying it out
		return x.fail(http.StatusMethodNotAllowed, "use POST", "", "Allow: POST")
	case "GET /flush_cache", "POST /flush_cache":
		return s.flush(x)
	}
	return x.fail(http.StatusNotFound, fmt.Sprintf("there is no %s %s", x.in.Method, path), "not_found")
}

// admits reports whether the key is the engine's, in either of the headers that
// APIs carry it in.
func (s *Server) admits(h http.Header) bool {
	key := s.config.APIKey
	return key == "" || h.Get("Authorization") == "Bearer "+key || h.Get("X-Api-Key") == key
}

// flush is SGLang's way to empty the cache: it refuses while it works.
func (s *Server) flush(x *exchange) bool {
	if st := s.Stats(); st.Running+st.Waiting > 0 {
		return x.reply(http.StatusBadRequest, "text/plain", []byte("the cache was not flushed: requests are running\n"))
	}
	s.engine.reset()
	return x.reply(http.StatusOK, "text/plain", []byte("the cache was flushed\n"))
}

func (s *Server) models() []byte {
	model := chat.AppendQuoted(nil, s.config.Model)
	return fmt.Appendf(nil, `{"object":"list","data":[{"id":%s,"object":"model","created":0,"owned_by":"paceline","max_model_len":%d}]}`,
		model, s.config.MaxContext)
}

const jsonType = "application/json"

// reply sends a whole answer and returns whether the connection stays.
func (x *exchange) reply(status int, contentType string, body []byte, headers ...string) bool {
	b := x.head(status, contentType, headers...)
	b = fmt.Appendf(b, "Content-Length: %d\r\n\r\n", len(body))
	_, err := x.conn.Write(append(b, body...))
	return err == nil && x.stays()
}

// head returns the status line and the headers but for the framing.
func (x *exchange) head(status int, contentType string, headers ...string) []byte {
	b := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Type: %s\r\n", status, http.StatusText(status), contentType)
	for _, h := range headers {
		b = append(b, h+"\r\n"...)
	}
	if !x.stays() {
		b = append(b, "Connection: close\r\n"...)
	}
	return b
}

func (x *exchange) stays() bool { return x.in.Request != nil && !x.in.Close }

// fail answers with an error in the form of the request's API.
func (x *exchange) fail(status int, message, code string, headers ...string) bool {
	return x.reply(status, jsonType, errorBody(x.api, status, message, code), headers...)
}

func errorBody(api chat.API, status int, message, code string) []byte {
	kind := "invalid_request_error"
	switch {
	case status == http.StatusTooManyRequests:
		kind = "rate_limit_error"
	case status >= 500:
		kind = "internal_server_error"
	case status == http.StatusUnauthorized:
		kind = "authentication_error"
	}
	if api == chat.APIMessages {
		if status == http.StatusServiceUnavailable {
			kind = "overloaded_error"
		}
		b := append([]byte(`{"type":"error","error":{"type":"`), kind...)
		return append(chat.AppendQuoted(append(b, `","message":`...), message), "}}"...)
	}
	type detail struct {
		Message string  `json:"message"`
		Type    string  `json:"type"`
		Param   *string `json:"param"`
		Code    *string `json:"code"`
	}
	d := detail{Message: message, Type: kind}
	if code != "" {
		d.Code = &code
	}
	body, err := json.Marshal(map[string]detail{"error": d})
	if err != nil { // texts always have a JSON form
		return []byte(`{"error":{"message":"internal error"}}`)
	}
	return body
}

// abort ends the connection by a reset.
func (x *exchange) abort() {
	switch c := x.conn.(type) {
	case interface{ Abort() error }: // the in-memory connection of tests
		_ = c.Abort()
	case *net.TCPConn:
		_ = c.SetLinger(0)
		_ = c.Close()
	default:
		c.Close()
	}
}
