package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	g "paceline/plugins/guesttest"
	"paceline/plugins/lock"
	"paceline/plugins/native"
	"paceline/plugins/wasmworker"
)

// TestMain lets the test binary be the worker, and the runner that is killed.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case wasmworker.Command:
			os.Exit(wasmworker.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
		case native.Command:
			os.Exit(native.Guard(os.Args[2:]))
		case helperCommand:
			os.Exit(helper(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}

// loop runs for ever.
var loop = g.Code(g.Forever(), g.Unreachable())

// guest makes a plugin with one pure scorer around an invoke body.
func guest(invoke []byte) g.Guest {
	return g.Guest{Invoke: invoke, Manifest: g.Manifest("test", "scorer", "comp", "pure")}
}

// wasiGuest may import from WASI.
func wasiGuest(imports []g.Import, invoke []byte) g.Guest {
	return g.Guest{Imports: imports, Invoke: invoke, Manifest: g.Manifest("test", "scorer", "comp", "wasi_deterministic")}
}

// newHost makes a host with a cache of its own that ends with the test.
func newHost(t *testing.T, opts Options) *Host {
	t.Helper()
	if opts.CacheDir == "" {
		opts.NoCache = true
	}
	h, err := New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func mustLoad(t *testing.T, h *Host, module []byte) *Plugin {
	t.Helper()
	p, err := h.Load(Module{Name: "std/test", Path: "test.wasm", Bytes: module})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func mustOpen(t *testing.T, p *Plugin, opts ComponentOptions) *Component {
	t.Helper()
	opts.Name = "comp"
	c, err := p.Open(t.Context(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// short are limits that a test can wait for.
var short = lock.Limits{Batch: 50 * time.Millisecond, Open: 5 * time.Second}

// score is the method that tests call.
var score = method{48, "Score", batchLimit}

// send runs one raw call in a pooled instance.
func (c *Component) send(ctx context.Context, request []byte) ([]byte, error) {
	s, err := c.acquire(ctx)
	if err != nil {
		return nil, err
	}
	defer c.release(s)
	if err := s.ready(ctx); err != nil {
		return nil, err
	}
	return s.pooled.send(ctx, score, request)
}

// wantCause checks the kind of an error and that it names the plugin and the component.
func wantCause(t *testing.T, err error, cause Cause) *Error {
	t.Helper()
	e, ok := errors.AsType[*Error](err)
	if !ok {
		t.Fatalf("got %v, want an *Error of cause %s", err, cause)
	}
	if e.Cause != cause || e.Plugin != "std/test" || e.Component != "comp" {
		t.Fatalf("got cause %s of plugin %q, component %q (%v), want %s of std/test, comp", e.Cause, e.Plugin, e.Component, err, cause)
	}
	return e
}

// pidOf gives the process ids of a component's workers.
func pidOf(c *Component) []int {
	var pids []int
	for _, s := range c.all {
		if w, ok := s.run.(*worker); ok {
			pids = append(pids, w.p.pid())
		}
	}
	return pids
}

// lines collects log lines.
type lines struct {
	mu  sync.Mutex
	all []Line
}

func (l *lines) add(line Line) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

func (l *lines) texts() (texts []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		texts = append(texts, fmt.Sprintf("%d %s", line.Level, line.Text))
	}
	return texts
}
