package coretest

import (
	"errors"
	"io"
	"net"
	"syscall"
	"time"
)

// Conn is one end of an in-memory connection. It behaves as a TCP connection on
// Linux does: buffered, with deadlines, half close and reset. Its methods may be
// called from several goroutines.
type Conn struct {
	in, out       *stream
	local, remote Addr
}

var (
	_ net.Conn = (*Conn)(nil)
	_ Aborter  = (*Conn)(nil)
)

// Aborter is a connection that can be ended by a reset. A *net.TCPConn gets
// there by a linger of zero; see [Abort].
type Aborter interface {
	Abort() error
}

// Addr is the address of an in-memory end, in the form "host:port". It calls
// itself "tcp", since clients treat it as such.
type Addr string

// Network returns "tcp".
func (Addr) Network() string { return "tcp" }

// String returns the address as it was given.
func (a Addr) String() string { return string(a) }

// Pipe returns the two ends of a new connection, for tests that need no
// listener. Each direction buffers up to 1 MiB.
func Pipe() (client, server *Conn) {
	return pipe("client:1", "server:1")
}

func pipe(client, server Addr) (*Conn, *Conn) {
	up, down := newStream(), newStream()
	return &Conn{in: down, out: up, local: client, remote: server},
		&Conn{in: up, out: down, local: server, remote: client}
}

// Read waits for bytes, the end (io.EOF), a reset (ECONNRESET in a
// *net.OpError) or the read deadline. Bytes that came before a reset are
// delivered first.
func (c *Conn) Read(p []byte) (int, error) {
	n, err := c.in.read(p)
	return n, c.wrap("read", err)
}

// Write puts p into the peer's buffer and waits only while that is full.
func (c *Conn) Write(p []byte) (int, error) {
	n, err := c.out.write(p)
	return n, c.wrap("write", err)
}

// Close ends both directions. If received bytes were left unread, the peer gets
// a reset instead of a clean end.
func (c *Conn) Close() error {
	var closed, unread bool
	c.in.change(func() {
		closed = c.in.readerClosed
		unread = c.in.off < len(c.in.buf)
		c.in.dropReader()
		if unread {
			c.in.broken = syscall.ECONNRESET
		}
	})
	if closed {
		return c.wrap("close", net.ErrClosed)
	}
	c.out.change(func() {
		c.out.dropWriter()
		if unread && !c.out.finished {
			c.out.aborted = true
		} else {
			c.out.finished = true
		}
	})
	return nil
}

// Abort ends the connection by a reset: the peer reads what was already sent and
// then gets ECONNRESET; its writes get ECONNRESET at once.
func (c *Conn) Abort() error {
	c.in.change(func() {
		c.in.dropReader()
		c.in.broken = syscall.ECONNRESET
	})
	c.out.change(func() {
		c.out.dropWriter()
		c.out.aborted = true
	})
	return nil
}

// CloseWrite ends the sending direction only; the peer reads io.EOF.
func (c *Conn) CloseWrite() error {
	c.out.change(func() { c.out.finished = true })
	return nil
}

// LocalAddr returns the address of this end.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr returns the address of the other end.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline sets both deadlines; the zero time means none.
func (c *Conn) SetDeadline(t time.Time) error {
	c.in.readBy.set(t)
	c.out.writeBy.set(t)
	return nil
}

// SetReadDeadline sets when a waiting Read gives up.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.in.readBy.set(t)
	return nil
}

// SetWriteDeadline sets when a waiting Write gives up.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.out.writeBy.set(t)
	return nil
}

func (c *Conn) wrap(op string, err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &net.OpError{Op: op, Net: "tcp", Source: c.local, Addr: c.remote, Err: err}
}

func (s *stream) dropReader() {
	s.readerClosed, s.gone = true, true
	s.buf, s.off = nil, 0
	s.readBy.stop()
}

func (s *stream) dropWriter() {
	s.writerClosed = true
	s.writeBy.stop()
}

// Abort ends any connection of this package or of package net by a reset. Other
// connections are merely closed.
func Abort(c net.Conn) error {
	switch c := c.(type) {
	case Aborter:
		return c.Abort()
	case *net.TCPConn:
		if err := c.SetLinger(0); err != nil {
			return err
		}
	}
	return c.Close()
}
