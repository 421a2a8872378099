package record

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/relay"
	"paceline/core/sample"
)

// MaxRequest bounds the body of a request.
const MaxRequest = 64 << 20

// Forwarder sends a request to the endpoint; *endpoint.Client is one.
type Forwarder interface {
	Forward(ctx context.Context, req *chat.Request, x *sample.Exchange, sink endpoint.Sink)
}

// Proxy passes chat requests on and records them.
type Proxy struct {
	Forward Forwarder
	// Models answers GET /v1/models.
	Models func(ctx context.Context) (*endpoint.Reply, error)
	Store  *Store
	Epoch  time.Time
	// SessionHeader is the request header that names a conversation; empty: none does.
	SessionHeader string
	// OwnKey says that the client has a key of its own, so that the agent's is not passed on.
	OwnKey bool
}

// ServeHTTP implements http.Handler.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	switch {
	case strings.HasSuffix(q.URL.Path, "/chat/completions") && q.Method == http.MethodPost:
		p.chat(w, q)
	case strings.HasSuffix(q.URL.Path, "/models") && q.Method == http.MethodGet:
		p.models(w, q)
	default:
		p.Store.Other()
		refuse(w, http.StatusNotFound, "this recorder has POST /v1/chat/completions and GET /v1/models only")
	}
}

func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "recorder: " + text, "type": "recorder", "code": status}}) // nobody else to tell
}

func (p *Proxy) models(w http.ResponseWriter, q *http.Request) {
	reply, err := p.Models(q.Context())
	if err != nil {
		refuse(w, http.StatusBadGateway, "the endpoint tells no models: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(reply.Status)
	_, _ = w.Write(reply.Body) // nobody else to tell
}

func (p *Proxy) chat(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, MaxRequest))
	if err != nil {
		p.Store.Fail()
		refuse(w, http.StatusRequestEntityTooLarge, fmt.Sprintf("the request did not come whole, or has more than %d bytes", MaxRequest))
		return
	}
	parsed, wrong := ParseRequest(body)
	req := &chat.Request{Body: [][]byte{body}, Size: int64(len(body)), Headers: p.headers(q.Header)}
	if parsed != nil {
		req.Stream = parsed.Stream
	}
	var x sample.Exchange
	x.Timing.Due = sample.At(p.Epoch, time.Now())
	out := &through{w: w, control: http.NewResponseController(w)}
	p.Forward.Forward(q.Context(), req, &x, out)
	switch {
	case !out.begun:
		p.Store.Fail()
		refuse(w, http.StatusBadGateway, "no answer from the endpoint: "+x.Cause)
	case x.Outcome == sample.OK && wrong == nil && x.Answer != nil:
		p.Store.Add(&Call{
			Session: q.Header.Get(p.SessionHeader), Request: parsed, Answer: x.Answer.Message, Usage: x.Answer.Usage,
			Sent: time.Duration(x.Timing.Sent), Done: time.Duration(x.Timing.Done),
		})
	default: // the agent got what the endpoint said
		p.Store.Fail()
		if x.Status == http.StatusOK && x.Outcome != sample.OK {
			panic(http.ErrAbortHandler) // so that the agent sees a broken answer as one
		}
	}
}

// own are the headers that a connection has of its own.
var own = []string{
	"Accept", "Accept-Encoding", "Connection", "Content-Length", "Content-Type", "Expect", "Host", "Keep-Alive", "Proxy-Authenticate",
	"Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "User-Agent",
}

// headers are those of the agent that the endpoint gets, sorted by name.
func (p *Proxy) headers(h http.Header) []chat.Header {
	var list []chat.Header
	for name, values := range h {
		if slices.Contains(own, name) || p.OwnKey && endpoint.SecretName(name) {
			continue
		}
		for _, v := range values {
			list = append(list, chat.Header{Name: name, Value: v})
		}
	}
	slices.SortStableFunc(list, func(a, b chat.Header) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// through is the sink of one answer.
type through struct {
	w       http.ResponseWriter
	control *http.ResponseController
	begun   bool
}

var errGone = errors.New("the agent did not take the answer")

// Head implements endpoint.Sink.
func (t *through) Head(status int, contentType string, headers []chat.Header) error {
	if err := relay.WriteHead(t.w, status, contentType, headers); err != nil {
		return err
	}
	t.begun = true
	return nil
}

// Piece implements endpoint.Sink.
func (t *through) Piece(b []byte) error {
	if _, err := t.w.Write(b); err != nil {
		return errGone
	}
	_ = t.control.Flush() // the next piece, or the end, flushes too
	return nil
}
