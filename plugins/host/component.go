package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"google.golang.org/grpc"

	"paceline/core/seed"
	"paceline/plugins/lock"
)

// Input is one input that a component was granted.
type Input struct {
	File *os.File // open for reading; it stays the caller's, and stays open until the component is closed
	Size int64    // bytes that were digested; what lies behind them is not shown
}

// ComponentOptions say how a component is opened.
type ComponentOptions struct {
	Name    string // the component's name in its plugin; empty for calls that need none
	Seed    seed.Seed
	Inputs  []Input     // in the order of their handles, from 0
	Workers int         // processes at most; 0 means 1
	Limits  lock.Limits // zero fields are the defaults
	// Opened readies each fresh instance, before anything else is called in it: it sends Open. Nil: nothing to do.
	Opened func(ctx context.Context, conn grpc.ClientConnInterface) error
}

// Component is one opened component. Its methods may be called concurrently; calls beyond the number of workers wait.
type Component struct {
	plugin *Plugin
	opts   ComponentOptions
	slots  chan *slot
	all    []*slot
	logs   logs

	mu     sync.Mutex
	closed bool
}

// slot is the place of one worker.
type slot struct {
	c      *Component
	run    runner // nil: none is running
	pooled *Instance
	next   uint32 // number of the next instance
	live   int64  // instances that are there
}

// ErrComponentClosed says that the component was closed.
var ErrComponentClosed = errors.New("the component is closed")

// Open opens a component: it starts its first worker and readies an instance there, so that what is wrong shows now.
func (p *Plugin) Open(ctx context.Context, opts ComponentOptions) (*Component, error) {
	if err := opts.Limits.Check(); err != nil {
		return nil, &Error{Plugin: p.name, Component: opts.Name, Cause: Interface, Text: "limits", Err: err}
	}
	opts.Limits = opts.Limits.WithDefaults()
	opts.Workers = max(opts.Workers, 1)
	c := &Component{plugin: p, opts: opts, slots: make(chan *slot, opts.Workers)}
	c.logs.limit = opts.Limits.Log
	for range opts.Workers {
		s := &slot{c: c}
		c.all = append(c.all, s)
		c.slots <- s
	}
	p.mu.Lock()
	if p.gone {
		p.mu.Unlock()
		return nil, ErrClosed
	}
	p.open[c] = struct{}{}
	p.mu.Unlock()
	s, err := c.acquire(ctx)
	if err == nil {
		err = s.ready(ctx)
		c.release(s)
	}
	if err != nil {
		_ = c.Close()
		return nil, err
	}
	return c, nil
}

// Name is the component's name in its plugin.
func (c *Component) Name() string { return c.opts.Name }

// Limits are the limits in force.
func (c *Component) Limits() lock.Limits { return c.opts.Limits }

// Conn runs each call in a pooled instance that is opened already. Instances are reused, so only calls whose answer does
// not depend on earlier ones belong there.
func (c *Component) Conn() grpc.ClientConnInterface { return pooled{c} }

// Fresh gives a new opened instance to the caller alone. It must be closed; until then it occupies one worker. A judge of
// a native plugin keeps its process, since it may be slow to start: there Fresh gives that one, and a new one after a
// failure.
func (c *Component) Fresh(ctx context.Context) (*Instance, error) {
	s, err := c.acquire(ctx)
	if err != nil {
		return nil, err
	}
	if c.keeps() {
		if err := s.ready(ctx); err != nil {
			c.release(s)
			return nil, err
		}
		s.pooled.lend()
		return s.pooled, nil
	}
	inst, err := s.instance(ctx)
	if err != nil {
		c.release(s)
		return nil, err
	}
	inst.owned = true
	return inst, nil
}

// Close ends the component's workers, or leaves one as its plugin's spare. It waits for calls that are running.
func (c *Component) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.mu.Unlock()
	for range c.all {
		s := <-c.slots
		s.close()
	}
	c.plugin.mu.Lock()
	delete(c.plugin.open, c)
	c.plugin.mu.Unlock()
	return nil
}

func (c *Component) acquire(ctx context.Context) (*slot, error) {
	c.mu.Lock()
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return nil, ErrComponentClosed
	}
	select {
	case s := <-c.slots:
		return s, nil
	default:
	}
	select {
	case s := <-c.slots:
		return s, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (c *Component) release(s *slot) { c.slots <- s }

// ready makes sure that the slot has a pooled instance.
func (s *slot) ready(ctx context.Context) error {
	if s.run != nil && !s.run.alive() {
		s.drop()
	}
	if s.pooled != nil && !s.pooled.gone && !s.run.holds(s.pooled.id) {
		s.pooled.discard() // it ended between two calls
	}
	if s.pooled != nil && !s.pooled.gone {
		return nil
	}
	inst, err := s.instance(ctx)
	if err != nil {
		return err
	}
	s.pooled = inst
	return nil
}

// instance makes a fresh opened instance, with a worker where there is none.
func (s *slot) instance(ctx context.Context) (*Instance, error) {
	if s.run != nil && !s.run.alive() {
		s.drop()
	}
	if s.run == nil {
		files := make([]*os.File, len(s.c.opts.Inputs))
		for i, in := range s.c.opts.Inputs {
			files[i] = in.File
		}
		run, err := s.c.plugin.start(ctx, s.c, files)
		if err != nil {
			return nil, s.c.named(err, "load")
		}
		s.run = run
	}
	s.next++
	inst := &Instance{slot: s, run: s.run, id: s.next}
	s.live++
	if err := s.run.instantiate(ctx, inst.id, s.c.opts.Seed, s.bounds(s.c.opts.Limits.Open)); err != nil {
		s.live--
		inst.gone = true
		return nil, s.c.named(err, "start")
	}
	if s.c.opts.Opened != nil {
		if err := s.c.opts.Opened(ctx, inst); err != nil {
			inst.discard()
			return nil, err
		}
	}
	return inst, nil
}

// drop forgets a worker that is gone.
func (s *slot) drop() {
	if s.pooled != nil {
		s.pooled.gone = true
	}
	s.run.stop()
	s.run, s.pooled, s.live = nil, nil, 0
}

func (s *slot) close() {
	if s.run == nil {
		return
	}
	if s.pooled != nil {
		s.pooled.discard()
	}
	if !s.c.plugin.offerSpare(s.c, s.run) {
		s.run.stop()
	}
	s.run, s.pooled = nil, nil
}

// named completes an error with the names that its maker did not know.
func (c *Component) named(err error, call string) error {
	e, ok := err.(*Error) //nolint:errorlint // only the error itself is completed, never one that wraps it
	if !ok {
		return fmt.Errorf("plugin %s, component %s, %s: %w", c.plugin.name, c.opts.Name, call, err)
	}
	named := *e
	if named.Cause == Memory && named.Limit == "" {
		named.Limit = mebibytes(c.opts.Limits.Memory) + " for a guest"
	}
	named.Plugin, named.Component, named.Call = c.plugin.name, c.opts.Name, call
	return &named
}
