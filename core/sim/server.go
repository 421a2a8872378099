package sim

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// Server is a simulated engine. Make one with New; Serve starts it.
type Server struct {
	config   Config
	engine   *engine
	arrivals atomic.Int64
	repeats  repeats
	served   atomic.Bool

	mu      sync.Mutex
	conns   map[net.Conn]struct{}
	stopped bool
}

// New returns an engine with an empty cache, or every fault of c.
func New(c Config) (*Server, error) {
	if err := c.Check(); err != nil {
		return nil, fmt.Errorf("configure simulated engine: %w", err)
	}
	c = c.withDefaults()
	return &Server{config: c, engine: newEngine(c), conns: map[net.Conn]struct{}{}}, nil
}

// Serve answers on l, which it closes, until ctx ends. Then it drops every
// connection, waits for its goroutines and returns nil. It returns an error if l
// fails before. A server serves once.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	if s.served.Swap(true) {
		return errors.New("serve simulated engine: it has served before")
	}
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { s.engine.run(ctx) })
	wg.Go(func() {
		<-ctx.Done()
		l.Close()
		s.closeConns()
	})
	err := s.accept(ctx, l, &wg)
	stopped := ctx.Err() != nil
	cancel()
	wg.Wait()
	if stopped {
		return nil //nolint:nilerr // the listener was closed to stop it
	}
	return fmt.Errorf("serve simulated engine: %w", err)
}

func (s *Server) accept(ctx context.Context, l net.Listener, wg *sync.WaitGroup) error {
	for {
		c, err := l.Accept()
		switch {
		case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ECONNABORTED):
			// Others may close files meanwhile.
			sleep(ctx, 5*time.Millisecond)
		case err != nil:
			return err
		case s.keep(c):
			wg.Go(func() {
				s.serveConn(ctx, c)
				s.mu.Lock()
				delete(s.conns, c)
				s.mu.Unlock()
			})
		}
	}
}

// keep notes c for the end, or closes it if that has come.
func (s *Server) keep(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		c.Close()
		return false
	}
	s.conns[c] = struct{}{}
	return true
}

func (s *Server) closeConns() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	for c := range s.conns {
		c.Close()
	}
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// scaled returns d at the engine's time scale.
func (s *Server) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * s.config.TimeScale)
}
