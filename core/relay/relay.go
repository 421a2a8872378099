// Package relay lets an evaluation ask the target without knowing its address or its key: an HTTP server on the loopback
// that takes chat requests with a token of its own, makes them the run's (model, parameters, key, headers), passes them on
// with the run's client, and records each request and answer. It ends with the evaluation, and nothing of it stays.
package relay

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"paceline/core/chat"
	"paceline/core/endpoint"
	"paceline/core/sample"
)

// Limits of a relay. What passes one is refused with an error that names it.
const (
	MaxRequest  = 16 << 20  // bytes of one request, as in the plugin contract
	MaxKept     = 16 << 20  // bytes of one answer that are recorded; the digest is over all of them
	MaxOpen     = 32        // requests at the same time
	MaxRequests = 1_000_000 // requests in all
	maxHeader   = 32 << 10
	slowest     = time.Minute // for the evaluation's own side to send a request or to take a piece of an answer
)

// Forwarder sends a request to the target; *endpoint.Client is one.
type Forwarder interface {
	Forward(ctx context.Context, req *chat.Request, x *sample.Exchange, sink endpoint.Sink)
}

// Recorder keeps what went through. Calls may come at the same time; the exchange is not written to afterwards.
type Recorder interface {
	Relayed(x *Exchange)
}

// Config says how requests are made the run's own.
type Config struct {
	Forward        Forwarder
	Record         Recorder
	Epoch          time.Time       // of the client's instants
	Model          string          // the served name
	MaxTokensKey   string          // the target's dialect, see chat.Wire
	MaxTokens      uint32          // where a request names no limit; 0: none
	Params         json.RawMessage // the run's parameters, below the request's
	Override       json.RawMessage // above the request's
	RoutingHeaders []string        // carry the conversation that a request names
	Timeout        time.Duration   // of one request; 0: an hour
	MaxOpen        int             // 0: MaxOpen
	MaxRequests    int             // 0: MaxRequests
}

// Exchange is one request that was passed on, and what came of it.
type Exchange struct {
	Number       int    // from 1, in the order in which requests came
	Conversation string // as the request named it
	Stream       bool
	Request      []byte // the body as sent to the target
	Answer       []byte // the body as passed on, its first MaxKept bytes
	AnswerBytes  int64  // of all of it
	AnswerDigest [sha256.Size]byte
	sample.Exchange
}

// Relay is a relay that listens. Its methods may be called concurrently.
type Relay struct {
	config Config
	url    string
	token  string
	params json.RawMessage
	server *http.Server
	served chan struct{}
	open   chan struct{} // one place for each request that is passed on

	cancel context.CancelCauseFunc // of every request

	mu      sync.Mutex
	ended   bool
	started int // requests passed on
	refused int // requests refused
	flights sync.WaitGroup
}

// ErrEnded is why requests are cancelled that are open when the relay ends.
var ErrEnded = errors.New("the evaluation has ended")

// Start listens on a port of 127.0.0.1 that the system chooses. End must be called.
func Start(c Config) (*Relay, error) {
	params, err := chat.Merge(chat.Layer{Name: "the run", Params: c.Params}, chat.Layer{Name: "the run's override", Params: c.Override})
	if err != nil {
		return nil, fmt.Errorf("start relay: %w", err)
	}
	l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start relay: %w", err)
	}
	return serve(c, l, params.JSON()), nil
}

func serve(c Config, l net.Listener, params json.RawMessage) *Relay {
	if c.Timeout <= 0 {
		c.Timeout = time.Hour
	}
	if c.MaxOpen <= 0 {
		c.MaxOpen = MaxOpen
	}
	if c.MaxRequests <= 0 {
		c.MaxRequests = MaxRequests
	}
	r := &Relay{config: c, url: "http://" + l.Addr().String() + "/v1", token: rand.Text() + rand.Text(), params: params,
		served: make(chan struct{}), open: make(chan struct{}, c.MaxOpen)}
	ctx, cancel := context.WithCancelCause(context.Background())
	r.cancel = cancel
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: slowest, IdleTimeout: slowest, MaxHeaderBytes: maxHeader,
		ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), BaseContext: func(net.Listener) context.Context { return ctx }}
	go func() {
		defer close(r.served)
		_ = r.server.Serve(l) // it ends by End
	}()
	return r
}

// URL is the base URL for an OpenAI client.
func (r *Relay) URL() string { return r.url }

// Token is the bearer token; it goes to the plugin and nowhere else.
func (r *Relay) Token() string { return r.token }

// Model is the served name of the model.
func (r *Relay) Model() string { return r.config.Model }

// Params are the run's parameters as a request gets them that has none of its own: a JSON object.
func (r *Relay) Params() json.RawMessage { return r.params }

// Counts tells how many requests were passed on, and how many were refused.
func (r *Relay) Counts() (passed, refused int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started, r.refused
}

// End gives up what is open, closes every connection and waits until nothing is left. It may be called again.
func (r *Relay) End() {
	r.mu.Lock()
	r.ended = true
	r.mu.Unlock()
	r.cancel(ErrEnded)
	_ = r.server.Close()
	<-r.served
	r.flights.Wait()
}

// enter takes part in what End waits for.
func (r *Relay) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.flights.Add(1)
	return true
}

// number counts a request that is passed on, from 1; 0: there were too many.
func (r *Relay) number() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started >= r.config.MaxRequests {
		return 0
	}
	r.started++
	return r.started
}

// allowed compares the token in a time that tells nothing of it.
func (r *Relay) allowed(q *http.Request) bool {
	given := sha256.Sum256([]byte(q.Header.Get("Authorization")))
	want := sha256.Sum256([]byte("Bearer " + r.token))
	return subtle.ConstantTimeCompare(given[:], want[:]) == 1
}
