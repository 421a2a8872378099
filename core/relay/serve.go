package relay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net/http"
	"strings"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
)

// ServeHTTP implements http.Handler.
func (r *Relay) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if !r.enter() {
		panic(http.ErrAbortHandler) // the connection is being closed
	}
	defer r.flights.Done()
	switch {
	case !r.allowed(q):
		r.refuse(w, http.StatusUnauthorized, "this relay takes the token of its evaluation only")
	case q.URL.Path == "/v1/models" && q.Method == http.MethodGet:
		r.models(w)
	case q.URL.Path == "/v1/chat/completions" && q.Method == http.MethodPost:
		r.chat(w, q)
	case q.URL.Path == "/v1/models" || q.URL.Path == "/v1/chat/completions":
		r.refuse(w, http.StatusMethodNotAllowed, "want GET /v1/models or POST /v1/chat/completions")
	default:
		r.refuse(w, http.StatusNotFound, "this relay has /v1/chat/completions and /v1/models only")
	}
}

// refuse answers in the form that OpenAI's clients read.
func (r *Relay) refuse(w http.ResponseWriter, status int, text string) {
	r.mu.Lock()
	r.refused++
	r.mu.Unlock()
	answerError(w, status, text)
}

func answerError(w http.ResponseWriter, status int, text string) {
	type fault struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Code    int    `json:"code"`
	}
	w.Header().Set("Content-Type", "application/json")
	if status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]fault{"error": {"relay: " + text, "relay", status}}) // nobody else to tell
}

func (r *Relay) models(w http.ResponseWriter) {
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(struct { // nobody else to tell
		Object string  `json:"object"`
		Data   []model `json:"data"`
	}{"list", []model{{r.config.Model, "model"}}})
}

// chat passes one request on.
func (r *Relay) chat(w http.ResponseWriter, q *http.Request) {
	select {
	case r.open <- struct{}{}:
		defer func() { <-r.open }()
	default:
		r.refuse(w, http.StatusTooManyRequests, fmt.Sprintf("%d requests are open, and no more are allowed", cap(r.open)))
		return
	}
	req, conversation, status, err := r.read(w, q)
	if err != nil {
		r.refuse(w, status, err.Error())
		return
	}
	number := r.number()
	if number == 0 {
		r.refuse(w, http.StatusForbidden, fmt.Sprintf("this evaluation has made its %d requests", r.config.MaxRequests))
		return
	}
	x := &Exchange{Number: number, Conversation: conversation, Stream: req.Stream, Request: req.Body[0]}
	whole := r.pass(w, q, req, x)
	r.config.Record.Relayed(x)
	if !whole {
		panic(http.ErrAbortHandler) // so that the client sees a broken answer as one
	}
}

// read takes the request from the evaluation's side, bounded in bytes and in time.
func (r *Relay) read(w http.ResponseWriter, q *http.Request) (req *chat.Request, conversation string, status int, err error) {
	conversation = q.Header.Get(ConversationHeader)
	if !routable(conversation) {
		return nil, "", http.StatusBadRequest, fmt.Errorf("%s: want at most %d printable ASCII characters", ConversationHeader, maxConversation)
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(slowest)) // a server without it waits for the end of the evaluation
	body, err := io.ReadAll(http.MaxBytesReader(w, q.Body, MaxRequest))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, "", http.StatusRequestEntityTooLarge, fmt.Errorf("the request has more than %d bytes", MaxRequest)
	}
	if err != nil {
		return nil, "", http.StatusBadRequest, errors.New("the request did not come whole")
	}
	_ = control.SetReadDeadline(time.Time{})
	req, err = r.config.request(body, conversation)
	return req, conversation, http.StatusBadRequest, err
}

// pass sends the request and hands the answer through. It reports false where the answer broke off after its head.
func (r *Relay) pass(w http.ResponseWriter, q *http.Request, req *chat.Request, x *Exchange) bool {
	ctx, cancel := context.WithTimeout(q.Context(), r.config.Timeout)
	defer cancel()
	out := &through{w: w, control: http.NewResponseController(w), stream: req.Stream, sum: sha256.New()}
	x.Timing.Due = sample.At(r.config.Epoch, time.Now())
	r.config.Forward.Forward(ctx, req, &x.Exchange, out)
	x.Answer, x.AnswerBytes = out.kept.Bytes(), out.total
	out.sum.Sum(x.AnswerDigest[:0])
	broken := x.Outcome != sample.OK && x.Status == http.StatusOK
	switch {
	case !out.begun && x.Outcome == sample.Timeout:
		answerError(w, http.StatusGatewayTimeout, "no answer from the target: "+x.Cause)
	case !out.begun:
		answerError(w, http.StatusBadGateway, "no answer from the target: "+x.Cause)
	case broken && breaksOff(x.Outcome):
		return false
	}
	return true
}

// breaksOff reports whether an answer with that outcome ended before its end.
func breaksOff(o sample.Outcome) bool {
	switch o {
	case sample.Timeout, sample.Reset, sample.TooLarge, sample.Cancelled:
		return true
	default:
		return false
	}
}

// through is the sink of one answer: to the evaluation, and into the record.
type through struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stream  bool
	begun   bool
	kept    bytes.Buffer
	total   int64
	sum     hash.Hash
}

// Head implements endpoint.Sink.
func (t *through) Head(status int, contentType string, headers []chat.Header) error {
	if err := WriteHead(t.w, status, contentType, headers); err != nil {
		return err
	}
	t.begun = true
	return nil
}

// WriteHead begins to hand a target's answer on. A status that is none of an answer is refused, and nothing is written.
func WriteHead(w http.ResponseWriter, status int, contentType string, headers []chat.Header) error {
	if status < http.StatusOK {
		return fmt.Errorf("status %d is no answer", status)
	}
	for _, h := range headers {
		w.Header().Set(h.Name, h.Value)
	}
	if contentType != "" && !strings.ContainsAny(contentType, "\r\n") {
		w.Header().Set("Content-Type", contentType)
	}
	w.WriteHeader(status)
	return nil
}

// Piece implements endpoint.Sink.
func (t *through) Piece(p []byte) error {
	t.total += int64(len(p))
	_, _ = t.sum.Write(p) // it never fails
	if room := MaxKept - t.kept.Len(); room > 0 {
		t.kept.Write(p[:min(len(p), room)])
	}
	_ = t.control.SetWriteDeadline(time.Now().Add(slowest)) // a server without it waits for the end of the evaluation
	if _, err := t.w.Write(p); err != nil {
		return errors.New("the evaluation did not take the answer")
	}
	if t.stream {
		_ = t.control.Flush() // the next piece, or the end, flushes too
	}
	return nil
}
