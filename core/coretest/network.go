package coretest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"syscall"
	"testing"
)

// Network is a set of in-memory listeners that can be dialled by address. Bytes
// travel in no time. Its methods may be called from several goroutines.
type Network struct {
	// OnDial, if set, runs before each connection is made, in the dialling
	// goroutine. It may wait (a slow handshake, a black hole that only ctx ends)
	// and its error is the dial's error. Set it before the first dial.
	OnDial func(ctx context.Context, address string) error

	mu        sync.Mutex
	listeners map[string]*Listener
	dials     int
}

// NewNetwork returns an empty network.
func NewNetwork() *Network {
	return &Network{listeners: map[string]*Listener{}}
}

// Listen opens address, for example "engine:8000". An address can be opened
// again after its listener was closed.
func (n *Network) Listen(address string) (*Listener, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if _, taken := n.listeners[address]; taken {
		return nil, opError("listen", address, os.NewSyscallError("bind", syscall.EADDRINUSE))
	}
	l := &Listener{network: n, addr: Addr(address)}
	l.cond.L = &l.mu
	n.listeners[address] = l
	return l, nil
}

// Dial connects to address. It has the shape of http.Transport.DialContext and
// ignores the network's name. Where nothing listens, the error is ECONNREFUSED
// in a *net.OpError.
func (n *Network) Dial(ctx context.Context, _, address string) (net.Conn, error) {
	if n.OnDial != nil {
		if err := n.OnDial(ctx, address); err != nil {
			return nil, opError("dial", address, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, opError("dial", address, err)
	}
	n.mu.Lock()
	n.dials++
	client := Addr(fmt.Sprintf("client:%d", n.dials))
	l := n.listeners[address]
	n.mu.Unlock()
	if l != nil {
		near, far := pipe(client, l.addr)
		if l.offer(far) {
			return near, nil
		}
	}
	return nil, opError("dial", address, os.NewSyscallError("connect", syscall.ECONNREFUSED))
}

// Dials returns how many connections were asked for, refused ones included.
func (n *Network) Dials() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.dials
}

// Client returns an HTTP client over the network. Its idle connections are
// closed when the test ends, so that a bubble is left empty.
func (n *Network) Client(t testing.TB) *http.Client {
	transport := &http.Transport{DialContext: n.Dial, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func opError(op, address string, err error) error {
	return &net.OpError{Op: op, Net: "tcp", Addr: Addr(address), Err: err}
}

// Listener accepts the connections of one address.
type Listener struct {
	network *Network
	addr    Addr

	mu      sync.Mutex
	cond    sync.Cond
	waiting []*Conn
	closed  bool
}

var _ net.Listener = (*Listener)(nil)

func (l *Listener) offer(c *Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.waiting = append(l.waiting, c)
	l.cond.Signal()
	return true
}

// Accept waits for the next connection, or for Close, after which it returns
// net.ErrClosed in a *net.OpError.
func (l *Listener) Accept() (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) == 0 && !l.closed {
		l.cond.Wait()
	}
	if l.closed {
		return nil, opError("accept", string(l.addr), net.ErrClosed)
	}
	c := l.waiting[0]
	l.waiting = l.waiting[1:]
	return c, nil
}

// Close frees the address; connections that nobody accepted are reset.
func (l *Listener) Close() error {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return opError("close", string(l.addr), net.ErrClosed)
	}
	l.closed = true
	left := l.waiting
	l.waiting = nil
	l.cond.Broadcast()
	l.mu.Unlock()

	l.network.mu.Lock()
	delete(l.network.listeners, string(l.addr))
	l.network.mu.Unlock()
	for _, c := range left {
		c.Abort()
	}
	return nil
}

// Addr returns the address that was opened.
func (l *Listener) Addr() net.Addr { return l.addr }
