package endpoint

import (
	"bytes"
	"context"

	"paceline/core/chat"
	"paceline/core/sample"
)

// Sink takes an answer as it comes, for those who pass it on. Its texts hold no secrets of the client. An error ends the
// request, which then counts as cancelled.
type Sink interface {
	// Head is called once, before any piece. The headers are those that answers keep.
	Head(status int, contentType string, headers []chat.Header) error
	// Piece is valid until it returns.
	Piece(p []byte) error
}

// Forward is Issue for a request of somebody else: what is received goes to sink as it comes, and x tells how it ended.
func (c *Client) Forward(ctx context.Context, req *chat.Request, x *sample.Exchange, sink Sink) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due := x.Timing.Due
	*x = sample.Exchange{Timing: sample.NoTiming()}
	x.Timing.Due = due
	f := c.takeFlight(x)
	f.stream = req.Stream
	out := &passing{sink: sink, secrets: c.secrets, cancel: cancel}
	f.passing = out
	head := c.headDoc
	if req.Stream {
		head = c.headStream
	}
	f.plan(head, req.Headers, req.Body)
	err := f.exchange(ctx)
	out.end()
	f.conclude(ctx, err)
	f.leave()
}

// passing hands an answer over without secrets. The beginning of one at the end of a piece waits for the next piece. A nil
// one hands nothing over.
type passing struct {
	sink    Sink
	secrets secrets
	cancel  context.CancelCauseFunc
	waits   []byte
	failed  bool
}

func (p *passing) head(r *response) error {
	if p == nil {
		return nil
	}
	headers := make([]chat.Header, 0, len(r.headers))
	for _, h := range r.headers {
		headers = append(headers, chat.Header{Name: h.Name, Value: p.secrets.text(h.Value)})
	}
	return p.said(p.sink.Head(r.status, p.secrets.text(r.contentType), headers))
}

func (p *passing) piece(b []byte) error {
	if p == nil {
		return nil
	}
	if len(p.waits) > 0 {
		b = append(p.waits, b...)
		p.waits = nil
	}
	long := secrets{p.secrets.unmistakable()}
	for _, x := range long.list {
		if bytes.Contains(b, x) {
			b = bytes.ReplaceAll(b, x, []byte(mask))
		}
	}
	if n := long.begun(b); n > 0 {
		p.waits = bytes.Clone(b[len(b)-n:])
		b = b[:len(b)-n]
	}
	if len(b) == 0 {
		return nil
	}
	return p.said(p.sink.Piece(b))
}

// end hands over what waited: it became no secret.
func (p *passing) end() {
	if len(p.waits) > 0 && !p.failed {
		_ = p.said(p.sink.Piece(p.waits))
	}
	p.waits = nil
}

func (p *passing) said(err error) error {
	if err != nil {
		p.failed = true
		p.cancel(err)
	}
	return err
}
