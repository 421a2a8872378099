package endpoint

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Stats are the client's connections since it was made.
type Stats struct {
	Opened  int64 `json:"opened"`  // connections that were opened
	Reused  int64 `json:"reused"`  // requests on a connection that had carried another one
	Retried int64 `json:"retried"` // requests that were sent once more since a reused connection had died
	Stale   int64 `json:"stale"`   // idle connections that were dropped
	Idle    int   `json:"idle"`    // connections idle now
}

// pool keeps idle connections; the one used last is taken first. It has no cap: there are never more connections than
// there were requests at once.
type pool struct {
	maxIdle                        time.Duration
	opened, reused, retried, stale atomic.Int64

	mu     sync.Mutex
	idle   []idleConn
	closed bool
}

type idleConn struct {
	conn  net.Conn
	since time.Time
}

// take returns an idle connection that looks alive, nil where there is none.
func (p *pool) take(now time.Time) net.Conn {
	for {
		p.mu.Lock()
		n := len(p.idle)
		if n == 0 {
			p.mu.Unlock()
			return nil
		}
		c := p.idle[n-1]
		p.idle[n-1] = idleConn{}
		p.idle = p.idle[:n-1]
		p.mu.Unlock()
		if now.Sub(c.since) < p.maxIdle && quiet(c.conn) {
			p.reused.Add(1)
			return c.conn
		}
		p.stale.Add(1)
		c.conn.Close()
	}
}

// put keeps a connection for the next request and drops those that were idle for too long.
func (p *pool) put(c net.Conn, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		c.Close()
		return
	}
	old := 0
	for old < len(p.idle) && now.Sub(p.idle[old].since) >= p.maxIdle {
		p.idle[old].conn.Close()
		p.stale.Add(1)
		old++
	}
	if old > 0 {
		kept := copy(p.idle, p.idle[old:])
		clear(p.idle[kept:])
		p.idle = p.idle[:kept]
	}
	p.idle = append(p.idle, idleConn{c, now})
}

func (p *pool) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for _, c := range p.idle {
		c.conn.Close()
	}
	p.idle = nil
}

func (p *pool) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// connectError is a failure before the request could be sent.
type connectError struct {
	tls bool
	err error
}

func (e *connectError) Error() string {
	if e.tls {
		return "TLS: " + e.err.Error()
	}
	return "connect: " + e.err.Error()
}

func (e *connectError) Unwrap() error { return e.err }

// connect opens a connection, TLS included. Its errors are *connectError.
func (c *Client) connect(ctx context.Context) (net.Conn, error) {
	limited, cancel := context.WithTimeout(ctx, c.config.ConnectTimeout)
	defer cancel()
	conn, err := c.config.Dial(limited, "tcp", c.target.Address)
	if err != nil {
		return nil, &connectError{err: c.connectCause(limited, ctx, err)}
	}
	c.pool.opened.Add(1)
	if t, ok := conn.(*net.TCPConn); ok {
		// No delay is the default of package net; it is said here since the instants depend on it.
		if err := t.SetNoDelay(true); err != nil {
			conn.Close()
			return nil, &connectError{err: err}
		}
	}
	if c.tls == nil {
		return conn, nil
	}
	secure := tls.Client(conn, c.tls)
	if err := secure.HandshakeContext(limited); err != nil {
		conn.Close()
		timeout := limited.Err() != nil && ctx.Err() == nil
		return nil, &connectError{tls: !timeout, err: c.connectCause(limited, ctx, err)}
	}
	return secure, nil
}

// connectCause names the client's own time limit where that is what ended the attempt.
func (c *Client) connectCause(limited, ctx context.Context, err error) error {
	if limited.Err() != nil && ctx.Err() == nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("no connection after %v: %w", c.config.ConnectTimeout, err)
	}
	return err
}
