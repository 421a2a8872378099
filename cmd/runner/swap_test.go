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
	var swap sync.Once
	third := make(chan struct{})
	first := engine(t, sim.Config{Model: "sim", Version: "1.0", TimeScale: 0.02, AnswerTokens: 12, Answer: func(r *sim.Request) (sim.Answer, bool) {
		if strings.Contains(r.LastUser(), "t3") {
			swap.Do(func() { close(third) })
		}
		return sim.Answer{}, false
	}}, l)
	swapped := make(chan func())
	go func() {
		<-third
		first()
		l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", address)
		if err != nil {
			t.Error(err)
			swapped <- func() {}
			return
		}
		swapped <- engine(t, sim.Config{Model: "sim", Version: "2.0", TimeScale: 0.02, AnswerTokens: 12}, l)
	}()
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
	swap.Do(func() { close(third) })
	(<-swapped)()
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

// engine serves until the returned function is called; that waits for its end.
func engine(t *testing.T, c sim.Config, l net.Listener) (stop func()) {
	s, err := sim.New(c)
	if err != nil {
		t.Error(err)
		return func() { _ = l.Close() }
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(ctx, l) }()
	return func() { cancel(); <-done }
}
