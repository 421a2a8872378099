package endpoint

import (
	"context"
	"errors"
	"hash"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
)

const (
	inlineSend = 256 << 10 // above this the body is written beside the reading, so that an early refusal is seen
	maxKept    = 256 << 10 // buffers above this are not kept for the next flight
	drainNow   = time.Millisecond
	drainLater = time.Second
	drainBytes = 64 << 10
)

// flight is one request on its way: what is written, what is read, and what comes of it. Its buffers are used again by
// later flights of the client.
type flight struct {
	reader
	client *Client
	x      *sample.Exchange

	conn    net.Conn
	spoiled bool // the connection cannot be used again
	over    bool // the body was read to its end
	limited bool // a read deadline was set after the end mark

	stream bool   // the request asked for a stream
	head   []byte // of the request: its fixed part
	own    []chat.Header
	body   [][]byte
	size   int64 // of the body

	resp response
	raw  bool // a reply that is handed over as it is

	passing *passing // where the answer goes as it comes; nil: nowhere

	kept  []byte // the body, up to a limit
	total int64
	limit int64     // of it
	hash  hash.Hash // of the whole body, once it is above the limit

	reading
}

// reset makes f ready for another request.
func (f *flight) reset() {
	buf, kept := f.buf, f.kept[:0]
	if cap(buf) > maxKept {
		buf = make([]byte, readSize)
	}
	if cap(kept) > maxKept {
		kept = nil
	}
	r := f.reading.again()
	*f = flight{
		reader: reader{epoch: f.epoch, buf: buf}, client: f.client, kept: kept,
		resp: response{headers: f.resp.headers[:0]}, reading: r,
	}
}

func (f *flight) now() sample.Offset { return sample.At(f.epoch, time.Now()) }

// exchange sends the request and reads the answer, and repeats that once where a reused connection had died meanwhile.
func (f *flight) exchange(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, t := f.client, &f.x.Timing
	conn := c.pool.take(time.Now())
	t.Reused = conn != nil
	if conn == nil {
		t.ConnectStart = f.now()
		var err error
		if conn, err = c.connect(ctx); err != nil {
			return err
		}
		t.ConnectDone = f.now()
	}
	err := f.roundTrip(ctx, conn)
	if err == nil || !t.Reused || f.got || !lost(err) || ctx.Err() != nil {
		return err
	}
	f.conn.Close()
	f.conn, t.Reused, f.spoiled = nil, false, false
	f.x.ConnectionRetries = 1
	c.pool.retried.Add(1)
	// This span of connecting lies after Sent, so it is part of the service time and not told apart.
	if conn, err = c.connect(ctx); err != nil {
		return err
	}
	return f.roundTrip(ctx, conn)
}

// lost reports whether err says that the connection broke.
func lost(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNABORTED)
}

// roundTrip carries one request and its answer over conn.
func (f *flight) roundTrip(ctx context.Context, conn net.Conn) error {
	f.conn, f.reader.conn = conn, conn
	if ctx.Done() != nil {
		stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
		defer func() {
			if !stop() {
				f.spoiled = true // its deadline has passed, or will yet
			}
		}()
	}
	if f.size > inlineSend {
		return f.sendBeside()
	}
	sendErr := f.send()
	if sendErr == nil {
		f.x.Timing.BodySent = f.now()
	} else {
		f.spoiled = true
		if errors.Is(sendErr, os.ErrDeadlineExceeded) {
			return sendErr
		}
	}
	// A server that refuses early closes before it has read the whole request; what it said is still to be read.
	err := f.receive()
	if err != nil && sendErr != nil && !f.got {
		return sendErr
	}
	return err
}

// sendBeside writes a large request in a goroutine of its own, which has ended when it returns.
func (f *flight) sendBeside() error {
	if t := &f.x.Timing; !t.Sent.Set() {
		t.Sent = f.now() // here, since what is received meanwhile is counted from it
	}
	var sendErr error
	var bodySent sample.Offset
	done := make(chan struct{})
	go func() {
		defer close(done)
		sendErr = f.send()
		bodySent = f.now()
	}()
	err := f.receive()
	select {
	case <-done:
	default: // answered before the request was read
		f.spoiled = true
		f.conn.SetWriteDeadline(time.Unix(1, 0))
		<-done
	}
	if sendErr == nil {
		f.x.Timing.BodySent = bodySent
		return err
	}
	f.spoiled = true
	if err != nil && !f.got && !errors.Is(sendErr, os.ErrDeadlineExceeded) {
		return sendErr
	}
	return err
}

// answerHead reads the head of the answer and passes it on.
func (f *flight) answerHead() error {
	keep := f.client.keep
	if f.raw {
		keep = f.client.keepAsked
	}
	if err := f.readHead(&f.resp, keep); err != nil {
		return err
	}
	return f.passing.head(&f.resp)
}

// receive reads the answer up to its end mark, or to the end of its body.
func (f *flight) receive() error {
	if err := f.answerHead(); err != nil {
		return err
	}
	for {
		p, err := f.piece(&f.resp)
		if err == io.EOF {
			f.over = true
			return nil
		}
		if err != nil {
			return err
		}
		if len(p) == 0 {
			continue
		}
		if !f.x.Timing.FirstByte.Set() {
			f.x.Timing.FirstByte = f.stamp
		}
		if f.form == formUnknown {
			// What came before was white space, which means nothing to either form once it is followed.
			f.form = f.formOf(p)
			if f.form == formEvents && len(f.kept) > 0 {
				f.feed(f.kept)
			}
		}
		if f.keepBytes(p); f.total > f.limit {
			return errTooLarge
		}
		if err := f.passing.piece(p); err != nil {
			return err
		}
		if f.form == formEvents {
			if f.feed(p); f.ended {
				return nil
			}
		}
	}
}

// leave ends the flight: the connection goes back to the pool where it can be used again. What follows the end mark is
// read first, for a short time by the caller and then beside it, so that Done and the next turn do not wait for it.
func (f *flight) leave() {
	c := f.client
	if f.conn == nil || f.spoiled || f.resp.status == 0 || !f.resp.keepAlive || f.resp.framing == untilClose || !f.over && !f.ended {
		f.drop()
		return
	}
	f.noRead = true
	err := f.rest()
	f.noRead = false
	if err == errNoBytes {
		f.limited = true
		f.conn.SetReadDeadline(time.Now().Add(drainNow))
		err = f.rest()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		f.x = nil // belongs to the caller again
		c.drains.Go(func() {
			f.conn.SetReadDeadline(time.Now().Add(drainLater))
			f.back(f.rest())
		})
		return
	}
	f.back(err)
}

// rest reads the body to its end.
func (f *flight) rest() error {
	for n := 0; n < drainBytes; {
		p, err := f.piece(&f.resp)
		if err != nil {
			return err
		}
		n += len(p)
	}
	return errTooLarge
}

// back puts the connection into the pool if the body has ended and nothing follows it.
func (f *flight) back(err error) {
	if err != io.EOF || f.r != f.w || f.limited && f.conn.SetReadDeadline(time.Time{}) != nil {
		f.drop()
		return
	}
	f.client.pool.put(f.conn, time.Now())
	f.client.giveFlight(f)
}

func (f *flight) drop() {
	if f.conn != nil {
		f.conn.Close()
	}
	f.client.giveFlight(f)
}
