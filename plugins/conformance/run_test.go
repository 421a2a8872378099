package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"paceline/core/journal"
	"paceline/core/sample"
	"paceline/core/sim"
	"paceline/plugins/native"
	"paceline/plugins/wasmworker"
)

// runner is the built command and a cache of compiled guests that all runs share.
type runner struct {
	path, cache string
}

// buildRunner builds the command, so that runs are whole: processes, exit codes, workers.
func buildRunner(t *testing.T) *runner {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the runner and plays whole runs")
	}
	r := &runner{path: filepath.Join(t.TempDir(), "runner"), cache: t.TempDir()}
	if out, err := exec.Command("go", "build", "-o", r.path, "../../cmd/runner").CombinedOutput(); err != nil {
		t.Fatalf("build the runner: %v\n%s", err, out)
	}
	return r
}

// seen is what a whole run showed.
type seen struct {
	code    int
	stderr  string
	message string // what the runner says went wrong
	sent    int64  // chat requests that reached the target
	dir     string
	journal *journal.Run // nil: there is no run folder
	report  summary
	left    []int // workers that outlived the runner
}

// summary is the part of report.json that failures show in.
type summary struct {
	Status string `json:"status"`
	Reason string `json:"reason"`
	What   struct {
		Workload struct {
			Again *struct {
				Error string `json:"error"`
			} `json:"planned_again"`
		} `json:"workload"`
	} `json:"what"`
	Scores   []judged `json:"scores"`
	Verdicts []judged `json:"verdicts"`
}

type judged struct {
	Name     string `json:"name"`
	Passed   bool   `json:"passed"`
	Complete bool   `json:"complete"`
	Reason   string `json:"reason"`
	Error    string `json:"error"`
	Errors   []struct {
		Trajectory string `json:"trajectory"`
		Kind       string `json:"kind"`
		Error      string `json:"error"`
	} `json:"plugin_errors"`
}

// pluginName is what the runs call the guest.
const pluginName = "test/faulty"

// play plays the guest's three trajectories with its workload, validator and scorer against a simulated engine.
func (r *runner) play(t *testing.T, module string, settings ...string) *seen {
	t.Helper()
	var sent atomic.Int64
	url := serveEngine(t, &sent)
	dir := filepath.Join(t.TempDir(), "run")
	args := []string{"run", "--no-checks", "--target", url, "--model", "m", "--plugin", pluginName + "=" + module,
		"--workload", pluginName + "/work", "--validate", pluginName + "/check", "--score", pluginName + "/score", "--out", dir,
		"--set", "seed=7", "--set", "max_tokens=4"}
	for _, s := range settings {
		args = append(args, "--set", s)
	}
	out := r.run(t, args...)
	out.sent, out.dir = sent.Load(), dir
	out.read(t)
	return out
}

// serveEngine serves a simulated engine that counts its requests, until the test ends.
func serveEngine(t *testing.T, sent *atomic.Int64) (url string) {
	t.Helper()
	engine, err := sim.New(sim.Config{Model: "m", TimeScale: 0.01, AnswerTokens: 4, Answer: func(*sim.Request) (sim.Answer, bool) {
		sent.Add(1)
		return sim.Answer{}, false
	}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- engine.Serve(ctx, l) }()
	t.Cleanup(func() { cancel(); <-done })
	return "http://" + l.Addr().String() + "/v1"
}

// run runs the command and looks whether a worker outlived it.
func (r *runner) run(t *testing.T, args ...string) *seen {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), r.path, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PACELINE_CACHE_DIR=" + r.cache, "PATH=" + os.Getenv("PATH")}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || exit.ExitCode() < 0) {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	out := &seen{code: cmd.ProcessState.ExitCode(), stderr: stderr.String(), left: workersOf(t, cmd.Process.Pid)}
	out.message = messageOf(out.stderr)
	return out
}

// read reads the run folder.
func (s *seen) read(t *testing.T) {
	t.Helper()
	run, err := journal.Read(s.dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, journal.ErrNoSegments) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	s.journal = run
	raw, err := os.ReadFile(filepath.Join(s.dir, "report.json"))
	if err != nil {
		t.Fatalf("a run without a report: %v\n%s", err, s.stderr)
	}
	if err := json.Unmarshal(raw, &s.report); err != nil {
		t.Fatal(err)
	}
}

// workersOf finds the workers of a runner that has ended: their last argument is its process id.
func workersOf(t *testing.T, pid int) (left []int) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range all {
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		args := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
		if (slices.Contains(args, wasmworker.Command) || slices.Contains(args, native.Command)) && args[len(args)-1] == strconv.Itoa(pid) {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			left = append(left, n)
		}
	}
	return left
}

// measured are figures of a message that differ from run to run.
var measured = regexp.MustCompile(`\((used|found) [^)]*\)`)

// digests and index are of what a run of a workload that is not deterministic happened to find, inUse is of one version of Go.
var (
	digests = regexp.MustCompile(`was [0-9a-f]{64} and is now [0-9a-f]{64}`)
	inUse   = regexp.MustCompile(`cannot allocate [^)]*\)`) // of Go's runtime
	index   = regexp.MustCompile(`trajectory \d+, repeat 0 was`)
)

// trace is the stack of a guest that trapped.
var trace = regexp.MustCompile(` \| wasm stack trace:[^;]*`)

// messageOf is the runner's own complaint: from its name on, without hints, traces of guests and figures that differ.
func messageOf(stderr string) string {
	var lines []string
	within := false
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\n")
		text, begins := strings.CutPrefix(line, "runner: ")
		if begins {
			within = true
		} else if text, begins = strings.CutPrefix(line, "        "); !begins {
			within = false
		}
		if within {
			lines = append(lines, strings.TrimSpace(text))
		}
	}
	text := trace.ReplaceAllString(strings.Join(lines, "; "), "")
	text = inUse.ReplaceAllString(text, "cannot allocate ...")
	text = index.ReplaceAllString(text, "trajectory ..., repeat 0 was")
	text = digests.ReplaceAllString(text, "was ... and is now ...")
	return measured.ReplaceAllString(text, "($1 ...)")
}

// tell puts what a run showed into a few words.
func (s *seen) tell() string {
	if s.journal == nil {
		return fmt.Sprintf("%s; no run folder", requests(s.sent))
	}
	words := []string{requests(s.sent)}
	states := map[string]int{}
	for _, c := range s.journal.Conversations {
		states[string(c.State)]++
	}
	words = append(words, "conversations: "+counts(states))
	missing := map[string]int{}
	for i := range s.journal.Samples {
		if x := &s.journal.Samples[i]; x.Outcome != sample.OK {
			missing[strings.TrimSpace(string(x.Outcome)+" "+x.Cause)]++
		}
	}
	if len(missing) > 0 {
		words = append(words, "turns: "+counts(missing))
	}
	words = append(words, "report: "+s.report.Status)
	for _, v := range s.report.Verdicts {
		words = append(words, "verdict "+v.tell(false))
	}
	for _, v := range s.report.Scores {
		words = append(words, "score "+v.tell(true))
	}
	return strings.Join(words, "; ")
}

func (j *judged) tell(score bool) string {
	text := map[bool]string{true: "passed", false: "not passed"}[j.Passed]
	if score && !j.Complete {
		text += ", incomplete"
	}
	for _, e := range j.Errors {
		text += fmt.Sprintf(" (%s: plugin_error, %s)", e.Trajectory, e.Kind)
	}
	if j.Error != "" {
		text += " (failed as a whole)"
	}
	return text
}

func requests(n int64) string {
	if n == 0 {
		return "nothing sent"
	}
	return fmt.Sprintf("%d of 6 requests sent", n)
}

func counts(m map[string]int) string {
	var list []string
	for _, name := range sortedKeys(m) {
		list = append(list, fmt.Sprintf("%d %s", m[name], name))
	}
	return strings.Join(list, ", ")
}
