package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"paceline/core/journal"
)

// running is a program that a script has in the background.
type running struct {
	cmd            *exec.Cmd
	stdout, stderr output
	done           chan struct{}
}

// output is what a program has written so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// patience bounds every wait of a script: 300 s in steps of 10 ms. Nothing is said about how long anything takes.
const patience = 30000

func poll(ts *testscript.TestScript, what string, ok func() bool) {
	for range patience {
		if ok() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("gave up waiting for %s", what)
}

func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) >= 2, "start NAME PROGRAM ARGS...")
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	r := &running{cmd: exec.Command(path, args[2:]...), done: make(chan struct{})}
	r.cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "PACELINE_CACHE_DIR", "PACELINE_API_KEY"} {
		r.cmd.Env = append(r.cmd.Env, name+"="+ts.Getenv(name))
	}
	r.cmd.Stdout, r.cmd.Stderr = &r.stdout, &r.stderr
	ts.Check(r.cmd.Start())
	go func() {
		defer close(r.done)
		_ = r.cmd.Wait() // its state stays in cmd
	}()
	ts.Defer(func() {
		_ = r.cmd.Process.Kill()
		<-r.done
	})
	worldOf(ts).running[args[0]] = r
}

// cmdListening reads the address that a simulated engine tells.
func cmdListening(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "listening NAME")
	r := process(ts, args[0])
	poll(ts, args[0]+" to listen", func() bool {
		line, _, whole := strings.Cut(r.stdout.String(), "\n")
		if _, url, ok := strings.Cut(line, " at "); ok && whole {
			ts.Setenv("URL", url)
			return true
		}
		return false
	})
}

func process(ts *testscript.TestScript, name string) *running {
	r := worldOf(ts).running[name]
	if r == nil {
		ts.Fatalf("nothing runs as %s", name)
	}
	return r
}

func cmdSignal(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 2, "signal NAME INT|TERM|KILL")
	s := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}[args[1]]
	ts.Check(process(ts, args[0]).cmd.Process.Signal(s))
}

func cmdFinish(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 2, "finish NAME CODE")
	r := process(ts, args[0])
	poll(ts, args[0]+" to end", func() bool {
		select {
		case <-r.done:
			return true
		default:
			return false
		}
	})
	_, _ = io.WriteString(ts.Stdout(), r.stdout.String())
	_, _ = io.WriteString(ts.Stderr(), r.stderr.String())
	if code := r.cmd.ProcessState.ExitCode(); code != number(ts, args[1]) {
		ts.Fatalf("%s ended with %d, want %s", args[0], code, args[1])
	}
}

// cmdNoWorkers looks for the workers of a program by their arguments, which name the process that started them.
func cmdNoWorkers(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "noworkers NAME")
	pid := process(ts, args[0]).cmd.Process.Pid
	poll(ts, "the workers of "+args[0]+" to go", func() bool { return len(workersOf(pid)) == 0 })
}

// workersOf lists the plugin workers that a process has started and that still run.
func workersOf(parent int) []string {
	var found []string
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		text, err := os.ReadFile(file)
		argv := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
		if err == nil && len(argv) == 3 && argv[1] == "plugin-worker" && argv[2] == strconv.Itoa(parent) {
			found = append(found, filepath.Base(filepath.Dir(file)))
		}
	}
	return found
}

// cmdAwait waits until something was sent or is on disk, so that a signal comes in the middle of a run.
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	const usage = "await requests N | await samples DIR N | await evaluated DIR N | await workers NAME N"
	want(ts, !neg && len(args) >= 2, usage)
	least := number(ts, args[len(args)-1])
	switch args[0] {
	case "requests":
		poll(ts, args[1]+" requests", func() bool { return len(endpointOf(ts).Requests()) >= least })
	case "samples":
		want(ts, len(args) == 3, usage)
		poll(ts, "samples", func() bool {
			return countRecords(ts, args[1], []string{"rec=sample"}) >= least
		})
	case "evaluated":
		want(ts, len(args) == 3, usage)
		poll(ts, "evaluations", func() bool { return evaluations(ts, args[1]) >= least })
	case "workers":
		pid := process(ts, args[1]).cmd.Process.Pid
		poll(ts, "workers", func() bool { return len(workersOf(pid)) >= least })
	default:
		want(ts, false, usage)
	}
}

// countRecords counts the records of a journal with all these values; a journal that is still being written ends where it
// does.
func countRecords(ts *testscript.TestScript, dir string, values []string) int {
	var lines bytes.Buffer
	if err := journal.Cat(&lines, ts.MkAbs(dir)); err != nil && errors.Is(err, os.ErrNotExist) {
		return 0
	}
	n := 0
	for line := range strings.Lines(lines.String()) {
		v, err := decode([]byte(line))
		ts.Check(err)
		all := true
		for _, kv := range values {
			key, wanted, _ := strings.Cut(kv, "=")
			got, ok := lookUp(v, key)
			all = all && ok && plain(got) == wanted
		}
		if all {
			n++
		}
	}
	return n
}

func cmdRecords(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) >= 3, "records DIR N KEY=VALUE...")
	n := countRecords(ts, args[0], args[2:])
	if (n == number(ts, args[1])) == neg {
		ts.Fatalf("%d records of %s have %s", n, args[0], strings.Join(args[2:], " "))
	}
}

// plans lists the plan records of a journal, sorted, since the order in which plans are ready may differ.
func plans(ts *testscript.TestScript, dir string) []string {
	var lines bytes.Buffer
	ts.Check(journal.Cat(&lines, ts.MkAbs(dir)))
	var list []string
	for line := range strings.Lines(lines.String()) {
		if strings.HasPrefix(line, `{"rec":"plan"`) {
			list = append(list, line)
		}
	}
	slices.Sort(list)
	return list
}
