//go:build linux

package conformance

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"paceline/core/judge"
	"paceline/core/sample"
	"paceline/core/sim"
	"paceline/core/verdict"
)

// serveAnswers serves a simulated engine that answers the last message of the user as f says, until the test ends.
func serveAnswers(t *testing.T, f func(asked string) string) (url string) {
	t.Helper()
	engine, err := sim.New(sim.Config{Model: "m", TimeScale: 0.01, Answer: func(r *sim.Request) (sim.Answer, bool) {
		return sim.Answer{Content: f(r.LastUser())}, true
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

// playLocked locks a run file, in which DIR is its folder, grants its native plugins, and plays it.
func (r *runner) playLocked(t *testing.T, file string, more map[string]string) *seen {
	t.Helper()
	dir := t.TempDir()
	more["bench.yaml"] = strings.ReplaceAll(file, "DIR", dir)
	for name, text := range more {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if locked := r.run(t, "plugin", "lock", filepath.Join(dir, "bench.yaml"), "--allow-native"); locked.code != 0 {
		t.Fatalf("lock: exit code %d\n%s", locked.code, locked.stderr)
	}
	out := r.run(t, "run", filepath.Join(dir, "bench.yaml"), "--locked", "--quiet", "--no-checks", "--out", filepath.Join(dir, "run"))
	out.dir = filepath.Join(dir, "run")
	out.read(t)
	if len(out.left) > 0 && !goneSoon(out.left) {
		t.Errorf("guards %v outlived the runner", out.left)
	}
	return out
}

// TestPythonRun plays whole runs of echo from a locked run file, and lets the tokens of one be counted.
func TestPythonRun(t *testing.T) {
	interpreted, counter := buildPython(t, "examples/echo", "echo.pyz"), buildPython(t, "examples/tokens", "tokens.pyz")
	r := buildRunner(t)
	url := serveAnswers(t, func(asked string) string { // lines of an even length come back
		line := strings.TrimPrefix(asked, "Repeat exactly: ")
		if len(line)%2 == 0 {
			return line
		}
		return line + "?"
	})
	played := map[string]*seen{}
	for _, plugin := range []string{interpreted, buildGoEcho(t)} {
		played[plugin] = r.playLocked(t, fmt.Sprintf(`workload: {name: test/echo/repeat, inputs: {text: DIR/text.txt}}
plugins: {test/echo: %s}
validators: {test/echo/answered: {}}
scorers: {test/echo/exact: {}}
target: {url: "%s", model: m}
load: {users: 2}
salt: none
seed: "7"
`, plugin, url), map[string]string{"text.txt": "the the\nodd\n<even>\n"})
		if s := played[plugin]; s.code != 0 {
			t.Fatalf("exit code %d\n%s", s.code, s.stderr)
		}
	}
	plans := func(s *seen) (all []string) {
		for _, p := range s.journal.Plans {
			all = append(all, p.Trajectory+" "+p.Content.String())
		}
		slices.Sort(all) // two users: the order in which they began is no matter of the plugin's
		return all
	}
	for plugin, s := range played {
		if diff := cmp.Diff(plans(played[interpreted]), plans(s)); diff != "" || len(s.journal.Plans) != 3 {
			t.Errorf("%s: other plans:\n%s", plugin, diff)
		}
		if diff := cmp.Diff(played[interpreted].report, s.report); diff != "" || len(s.report.Scores) != 1 {
			t.Errorf("%s: another report:\n%s", plugin, diff)
		}
	}
	countTokens(t, r, counter, played[interpreted])
}

// countTokens has a finished run's tokens counted by the example counter.
func countTokens(t *testing.T, r *runner, counter string, s *seen) {
	t.Helper()
	c, err := loadNative(t, r, counter).OpenCounter(t.Context(), openOptions("bpe", `{}`))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	m := judge.New(judge.Config{Run: s.journal, Seed: 7})
	j, err := m.Count(t.Context(), c)
	if err != nil || j.Error != "" || len(j.PluginErrors) > 0 {
		t.Fatalf("%v, %s, %+v", err, j.Error, j.PluginErrors)
	}
	// "the the?" is t he / _the / ?, "odd" alike o d d, "<even>" < / e v en / >.
	want := map[string]uint64{"the the?": 4, "odd?": 4, "<even>": 5}
	for i, n := range m.Counts() {
		x := &s.journal.Samples[i]
		text := map[uint64]string{0: "the the?", 1: "odd?", 2: "<even>"}[x.Index]
		if n == nil || n.Output == nil || *n.Output != want[text] || n.Input == nil || *n.Input < 10 || n.Reason != "" || n.FirstChunk == nil {
			t.Errorf("%s: %s", text, tellCount(n))
		}
	}
	if len(m.Counts()) != 3 || j.Deterministic {
		t.Errorf("%d counts, %+v", len(m.Counts()), j.About)
	}
}

func tellCount(n *verdict.Count) string {
	if n == nil {
		return "no count"
	}
	text := fmt.Sprintf("reason %q", n.Reason)
	for name, v := range map[string]*uint64{"input": n.Input, "output": n.Output, "first": n.FirstChunk, "rest": n.AfterFirstChunk} {
		if v != nil {
			text += fmt.Sprintf(", %s %d", name, *v)
		}
	}
	return text
}

// TestPythonLive plays a live workload: an engine that knows every second sum.
func TestPythonLive(t *testing.T) {
	plugin := buildPython(t, "examples/quiz", "quiz.pyz")
	r := buildRunner(t)
	sum := regexp.MustCompile(`(\d+) \+ (\d+)`)
	url := serveAnswers(t, func(asked string) string {
		found := sum.FindStringSubmatch(asked)
		if found == nil {
			return "No idea."
		}
		a, _ := strconv.Atoi(found[1])
		b, _ := strconv.Atoi(found[2])
		return fmt.Sprintf("It is %d.", a+b+(a/7)%2)
	})
	s := r.playLocked(t, fmt.Sprintf(`workload: {name: test/quiz/sums, config: {questions: 6}}
plugins: {test/quiz: %s}
target: {url: "%s", model: m}
load: {users: 2}
seed: "7"
`, plugin, url), map[string]string{})
	if s.code != 0 || s.journal == nil {
		t.Fatalf("exit code %d\n%s", s.code, s.stderr)
	}
	outcomes, turns := map[string]int{}, 0
	for _, c := range s.journal.Conversations {
		outcomes[c.Outcome]++
		if want := map[string]string{"solved": `{"tries":1}`, "gave-up": `{"tries":3}`}[c.Outcome]; string(bytes.ReplaceAll(c.Result, []byte(" "), nil)) != want {
			t.Errorf("%s: result %s", c.Outcome, c.Result)
		}
	}
	for i := range s.journal.Samples {
		if s.journal.Samples[i].Outcome == sample.OK {
			turns++
		}
	}
	if diff := cmp.Diff(map[string]int{"solved": 3, "gave-up": 3}, outcomes); diff != "" || turns != 3+3*3 {
		t.Errorf("%d turns, outcomes:\n%s", turns, diff)
	}
}

// TestPythonFailures plays the failures of native plugins with one in Python.
func TestPythonFailures(t *testing.T) {
	plugin := buildPython(t, "tests/faulty", "faulty.pyz")
	r := buildRunner(t)
	for _, row := range nativeRows() {
		if row.how == "panic" {
			row.says = "exit status 1: fatal error: RuntimeError: it is broken (plugin.py:"
		}
		t.Run(row.at+"/"+row.how, func(t *testing.T) {
			t.Parallel()
			s := r.playNative(t, plugin, row)
			row.check(t, s)
			if t.Failed() {
				t.Logf("%s\n%s", s.tell(), s.stderr[:min(len(s.stderr), 4000)])
			}
		})
	}
}
