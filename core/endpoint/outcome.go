package endpoint

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"

	"paceline/core/chat"
	"paceline/core/digest"
	"paceline/core/sample"
)

// conclude fills the exchange: how it ended, with what answer, and the evidence of a failure.
func (f *flight) conclude(ctx context.Context, err error) {
	x := f.x
	if f.over && !f.ended {
		x.Timing.Done = f.stamp
	}
	x.Status = f.resp.status
	x.Malformed = f.malformed
	var cause string
	x.Outcome, cause = f.outcome(ctx, err)
	x.Cause = f.client.secrets.text(cause)
	f.answer()
	f.notes()
	if x.Outcome != sample.OK && f.total > 0 {
		f.evidence()
	}
}

func (f *flight) outcome(ctx context.Context, err error) (sample.Outcome, string) {
	if f.fault != nil { // said by the target, so it explains whatever followed
		return faultOutcome(f.fault)
	}
	if err != nil && ctx.Err() != nil {
		return ctxOutcome(ctx)
	}
	if f.resp.status != 0 && f.resp.status != http.StatusOK {
		return f.statusOutcome()
	}
	switch {
	case err == nil:
	case errors.Is(err, errTooLarge):
		return sample.TooLarge, fmt.Sprintf("the answer is larger than the limit of %d bytes", f.client.config.MaxAnswer)
	case errors.Is(err, errFraming), errors.Is(err, errNotHTTP):
		return sample.MalformedStream, err.Error()
	case f.form == formEvents && f.finish != "":
		// The stream said all that it had to say before the connection broke.
	default:
		return errorOutcome(err)
	}
	switch {
	case f.total == 0:
		return sample.EmptyBody, "status 200 and an empty body"
	case f.form != formEvents:
		return f.documentOutcome()
	}
	return f.streamOutcome()
}

func ctxOutcome(ctx context.Context) (sample.Outcome, string) {
	cause := context.Cause(ctx)
	if errors.Is(cause, context.DeadlineExceeded) {
		return sample.Timeout, "time limit of the turn"
	}
	return sample.Cancelled, cause.Error()
}

// errorOutcome classes failures of the connection.
func errorOutcome(err error) (sample.Outcome, string) {
	if c, ok := errors.AsType[*connectError](err); ok {
		switch {
		case c.tls:
			return sample.TLS, err.Error()
		case errors.Is(err, syscall.ECONNREFUSED):
			return sample.ConnectRefused, err.Error()
		}
		return sample.Connect, err.Error()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return sample.Timeout, err.Error()
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return sample.Reset, "the connection was closed before the end of the answer: unexpected EOF"
	}
	return sample.Reset, "the connection broke before the end of the answer: " + err.Error()
}

// statusOverloaded is Anthropic's own.
const statusOverloaded = 529

func (f *flight) statusOutcome() (sample.Outcome, string) {
	status := f.resp.status
	said := errorSaid(f.kept)
	cause := fmt.Sprintf("status %d", status)
	if f.resp.retryAfter != "" {
		cause += " (Retry-After: " + oneLine(f.resp.retryAfter) + ")"
	}
	if said.text != "" {
		cause += ": " + oneLine(said.text)
	} else if f.resp.reason != "" {
		cause += " " + oneLine(f.resp.reason)
	}
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, status == statusOverloaded:
		return sample.Overload, cause
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return sample.Auth, cause
	case status >= 400 && said.overflow():
		return sample.ContextOverflow, cause
	}
	return sample.Status, cause
}

// documentOutcome reads an answer that is one document. The document is whole.
func (f *flight) documentOutcome() (sample.Outcome, string) {
	body := bytes.TrimSpace(f.kept)
	if !f.read(body) {
		return f.notAnAnswer("no JSON")
	}
	f.apply(false)
	switch {
	case f.fault != nil:
		return faultOutcome(f.fault)
	case !f.choice:
		return f.notAnAnswer("JSON without " + f.client.dialect.lacks)
	}
	return sample.OK, ""
}

func (f *flight) notAnAnswer(what string) (sample.Outcome, string) {
	kind := f.resp.contentType
	if kind == "" {
		kind = "no content type"
	}
	begin := f.kept[:min(len(f.kept), 120)]
	return sample.NotAnAnswer, fmt.Sprintf("status 200 and %s (%s): %s", what, kind, oneLine(string(begin)))
}

func (f *flight) streamOutcome() (sample.Outcome, string) {
	switch {
	case f.malformed > 0:
		return sample.MalformedStream, fmt.Sprintf("%d of %d data events are not JSON", f.malformed, f.data)
	case f.data == 0 && !f.ended:
		// Called a stream, and perhaps a document all the same.
		if body := bytes.TrimSpace(f.kept); len(body) > 0 && (body[0] == '{' || body[0] == '<') {
			f.form = formDocument
			return f.documentOutcome()
		}
		return sample.Truncated, "the stream ended without any event"
	case !f.choice:
		return f.notAnAnswer("events without " + f.client.dialect.lacks)
	case f.finish == "" && !f.ended:
		return sample.Truncated, "the stream ended without finish reason and end mark"
	case f.finish == "" && f.parts.Empty():
		// Some servers end a stream so when they give a request up, e.g. for a newer one.
		return sample.Truncated, "the stream ended with its end mark and gave neither text nor a finish reason"
	}
	return sample.OK, ""
}

// answer hands over what arrived.
func (f *flight) answer() {
	if !f.choice && !f.usage.got {
		return
	}
	u := &f.usage
	if finish := f.client.dialect.finish; finish != nil {
		f.finish = finish(f.finish, len(f.parts.Calls) > 0)
	}
	a := &chat.Answer{
		Message:      f.client.secrets.message(f.parts.Message()),
		FinishReason: f.finish,
		Usage:        chat.Usage{Reported: u.hasPrompt || u.hasCompletion, PromptTokens: u.prompt, CompletionTokens: u.completion},
		Extra:        f.extra(),
	}
	if f.idCount > 0 {
		a.TokenIDs = slices.Concat([]byte{'['}, f.ids, []byte{']'})
	}
	if u.hasCached {
		a.Usage.CachedTokens = &[]uint64{u.cached}[0]
	}
	if u.hasReasoning {
		a.Usage.ReasoningTokens = &[]uint64{u.reasoning}[0]
	}
	for _, h := range f.resp.headers {
		a.Headers = append(a.Headers, chat.Header{Name: h.Name, Value: f.client.secrets.text(h.Value)})
	}
	f.x.Answer = a
	f.x.Chunks = bytes.Clone(f.chunks)
}

// notes are appended in the order of their names.
func (f *flight) notes() {
	x := f.x
	note := func(n string) { x.Notes = append(x.Notes, n) }
	if x.ConnectionRetries > 0 {
		note(sample.NoteConnectionRetry)
	}
	if x.Outcome != sample.OK {
		return
	}
	if f.parts.Empty() {
		note(sample.NoteEmptyAnswer)
	}
	if f.finish == "" {
		note(sample.NoteNoFinish)
	}
	if f.form == formEvents && !f.ended {
		note(sample.NoteMissingDone)
	}
	if !f.usage.hasPrompt && !f.usage.hasCompletion {
		note(sample.NoteNoUsage)
	}
	if f.form != formEvents && f.stream {
		note(sample.NoteNotStreamed)
	}
}

func (f *flight) evidence() {
	sum := digest.SHA256{}
	if f.hash != nil {
		f.hash.Sum(sum[:0])
	} else {
		sum = sha256.Sum256(f.kept)
	}
	limit := min(len(f.kept), f.client.config.KeepReceived)
	cut := int64(limit) < f.total
	f.x.Received = &sample.Received{
		Bytes: f.total, SHA256: sum, Cut: cut, Head: f.client.secrets.bytes(f.kept[:limit], cut),
	}
}

// said is an error in a target's words.
type said struct {
	text   string // what a person reads
	kind   string // type and code, lower-case
	lower  string // all of it, lower-case
	status uint64 // a code that is a number
}

// errorSaid reads the forms of errors: {"error": {message, type, code}}, {"error": text}, the same fields at the top, a
// "detail", and plain text.
func errorSaid(body []byte) said {
	o := asObject(body)
	if o == nil {
		s := string(body[:min(len(body), 4096)])
		if t := asText(body); t.got {
			s = string(t.inside)
		}
		return said{text: s, lower: strings.ToLower(s)}
	}
	if inner := bytes.TrimSpace(o["error"]); len(inner) > 0 && string(inner) != "null" {
		return errorSaid(inner)
	}
	plain := func(key string) string {
		t := asText(o[key])
		if !t.got {
			return ""
		}
		return finishReason(t.inside)
	}
	var s said
	for _, key := range []string{"message", "detail", "msg", "error_message"} {
		if s.text == "" {
			s.text = plain(key)
		}
	}
	if s.text == "" {
		s.text = string(body[:min(len(body), 4096)])
	}
	s.status, _ = asCount(o["code"])
	s.kind = strings.ToLower(plain("type") + " " + plain("code"))
	s.lower = strings.ToLower(s.text) + " " + s.kind
	return s
}

// overflowWords are how servers say that a prompt does not fit: OpenAI, vLLM, llama.cpp and its Python server, SGLang, TGI.
var overflowWords = [...]string{
	"context_length_exceeded", "exceed_context_size", "context length", "context window", "context size", "context limit",
	"maximum model length", "max_model_len", "max_seq_len", "prompt is too long", "prompt too long", "input is too long",
	"input too long", "`inputs` must have less than", "`max_new_tokens` must be",
}

func (s said) overflow() bool {
	for _, w := range overflowWords {
		if strings.Contains(s.lower, w) {
			return true
		}
	}
	return false
}

// faultOutcome classes an error that came with status 200.
func faultOutcome(fault []byte) (sample.Outcome, string) {
	s := errorSaid(fault)
	cause := "error inside the answer: " + oneLine(s.text)
	switch {
	case s.overflow():
		return sample.ContextOverflow, cause
	case s.status == http.StatusTooManyRequests, s.status == http.StatusServiceUnavailable, s.status == statusOverloaded,
		strings.Contains(s.kind, "overloaded"), strings.Contains(s.kind, "rate_limit"):
		return sample.Overload, cause
	case s.status == http.StatusUnauthorized, s.status == http.StatusForbidden,
		strings.Contains(s.kind, "authentication_error"), strings.Contains(s.kind, "permission_error"):
		return sample.Auth, cause
	}
	return sample.InBandError, cause
}
