package main

import (
	"context"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"paceline/core/coretest"
	"paceline/core/sim"
)

// TestIdentityCatchesASwap plays against an engine that goes away in the middle of the run, and another one that comes in its
// place: same address, same model, another version.
func TestIdentityCatchesASwap(t *testing.T) {
	if testing.Short() {
		t.Skip("plays for seconds")
	}
	l := coretest.Loopback(t)
	address := l.Addr().String()
	front := &exchange{Listener: l}
	var first, second *engine
	var stopped sync.WaitGroup
	var swap sync.Once
	first = start(t, sim.Config{Model: "sim", Version: "1.0", TimeScale: 0.02, AnswerTokens: 12, Answer: func(r *sim.Request) (sim.Answer, bool) {
		if strings.Contains(r.LastUser(), "t3") {
			swap.Do(func() {
				front.to.Store(second)
				stopped.Go(first.stop) // it cuts this very answer
			})
		}
		return sim.Answer{}, false
	}})
	second = start(t, sim.Config{Model: "sim", Version: "2.0", TimeScale: 0.02, AnswerTokens: 12})
	front.to.Store(first)
	stopped.Go(front.serve)
	defer func() { _ = l.Close(); first.stop(); second.stop(); stopped.Wait() }()
	dir := t.TempDir()
	var rows strings.Builder
	for _, id := range []string{"t1", "t2", "t3", "t4", "t5"} {
		rows.WriteString(`{"conversation_id":"` + id + `","turn":1,"role":"user","content":"` + id + `"}` + "\n")
	}
	data, out := filepath.Join(dir, "data.jsonl"), filepath.Join(dir, "out")
	if err := os.WriteFile(data, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("runner", "run", "--target", "http://"+address+"/v1", "--workload", "std/mlperf/agentic", "--input", "dataset="+data,
		"--max-failed", "100%", "--no-checks", "--validate", "std/checks/identity", "--out", out, "--quiet")
	cmd.Env = []string{"PACELINE_CACHE_DIR=" + filepath.Join(dir, "cache")}
	said, err := cmd.CombinedOutput()
	const want = `version changed during the run: "1.0" before, "2.0" after`
	if err == nil || cmd.ProcessState.ExitCode() != 7 || !strings.Contains(string(said), want) {
		t.Fatalf("exit code %d: %s", cmd.ProcessState.ExitCode(), said)
	}
	text, err := os.ReadFile(filepath.Join(out, "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		Verdicts []struct {
			Name   string
			Passed bool
			Reason string
		}
	}
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Verdicts) != 1 || report.Verdicts[0].Passed || report.Verdicts[0].Reason != want {
		t.Errorf("verdicts %+v", report.Verdicts)
	}
}

// exchange hands the connections of one address to an engine.
type exchange struct {
	net.Listener
	to atomic.Pointer[engine]
}

func (x *exchange) serve() {
	for {
		c, err := x.Accept()
		if err != nil {
			return
		}
		for {
			e := x.to.Load()
			select {
			case e.conns <- c:
			case <-e.closed:
				if x.to.Load() != e {
					continue
				}
				_ = c.Close()
			}
			break
		}
	}
}

// engine is a simulated one that gets its connections from an exchange: it is the listener of its own server.
type engine struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
	cancel context.CancelFunc
	done   chan struct{}
}

func start(t *testing.T, c sim.Config) *engine {
	t.Helper()
	s, err := sim.New(c)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &engine{conns: make(chan net.Conn), closed: make(chan struct{}), cancel: cancel, done: make(chan struct{})}
	go func() { defer close(e.done); _ = s.Serve(ctx, e) }()
	return e
}

// stop ends the engine and cuts its connections; it may be called again.
func (e *engine) stop() { e.cancel(); <-e.done }

func (e *engine) Accept() (net.Conn, error) {
	select {
	case c := <-e.conns:
		return c, nil
	case <-e.closed:
		return nil, net.ErrClosed
	}
}

func (e *engine) Close() error { e.once.Do(func() { close(e.closed) }); return nil }

func (e *engine) Addr() net.Addr { return &net.TCPAddr{} }
