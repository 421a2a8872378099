//go:build linux

package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// nativeDocument is the page that TestNativePage holds to the rows.
const nativeDocument = "../../docs/native-plugin-failures.md"

const nativeHead = `# When a native plugin fails

The rules are those of [plugin-failures.md](plugin-failures.md). What differs: time is bound on the wall clock, memory is not bound, and a process
ends where a guest traps. A test plays a whole run for every line, with a plugin whose second trajectory fails, and holds it to this table; the message
names plugin and component too. In none of them a process outlives the runner, also where the plugin forked and left its session.

| at | the plugin | the message says | kind | exit |
|---|---|---|---|---|
`

// nativeRow is one run: kind is that of the failure, empty where the run goes on.
type nativeRow struct {
	at, how, kind, says string
}

func nativeRows() (all []nativeRow) {
	ways := []nativeRow{
		{how: "panic", kind: "died", says: "exit status 2: panic: it is broken"},
		{how: "exit", kind: "died", says: "exit status 3"},
		{how: "hang", kind: "wall_timeout", says: "limit of 3s on the wall clock"},
		{how: "oversized", kind: "oversized_reply", says: "67108864 bytes are allowed"},
		{how: "status", kind: "status", says: "status 13: no"},
		{how: "flood"},
		{how: "stubborn"},
		{how: "fork"},
	}
	for _, at := range []string{"open", "plan", "score"} {
		for _, w := range ways {
			if at != "open" || w.how != "oversized" {
				w.at = at
				all = append(all, w)
			}
		}
	}
	return all
}

// nativeRun is a run file of the plugin, with its lock.
func nativeRun(t *testing.T, r *runner, plugin, url string, row nativeRow) (dir string) {
	t.Helper()
	dir = t.TempDir()
	config := fmt.Sprintf("{at: %s, how: %s}", row.at, row.how)
	workload, scorer := "{}", "{}"
	if row.at == "score" {
		scorer = config
	} else {
		workload = config
	}
	limits := "{open: 60s, plan: 20s, batch: 60s}"
	if row.how == "hang" {
		limits = map[string]string{ // only of the call that hangs: on a busy machine the others may take long
			"open": "{open: 3s, plan: 20s, batch: 60s}", "plan": "{open: 60s, plan: 3s, batch: 60s}", "score": "{open: 60s, plan: 20s, batch: 3s}",
		}[row.at]
	}
	file := fmt.Sprintf(`workload: {name: %[1]s/work, config: %[2]s}
plugins: {%[1]s: %[3]s}
validators: {%[1]s/check: {}}
scorers: {%[1]s/score: %[4]s}
limits: %[6]s
target: {url: "%[5]s", model: m}
seed: "7"
max_tokens: 4
`, pluginName, workload, plugin, scorer, url, limits)
	if err := os.WriteFile(filepath.Join(dir, "bench.yaml"), []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	if locked := r.run(t, "plugin", "lock", filepath.Join(dir, "bench.yaml"), "--allow-native"); locked.code != 0 {
		t.Fatalf("lock: exit code %d\n%s", locked.code, locked.stderr)
	}
	return dir
}

func (r *runner) playNative(t *testing.T, plugin string, row nativeRow) *seen {
	t.Helper()
	var sent atomic.Int64
	dir := nativeRun(t, r, plugin, serveEngine(t, &sent), row)
	out := r.run(t, "run", filepath.Join(dir, "bench.yaml"), "--locked", "--quiet", "--out", filepath.Join(dir, "run"))
	out.sent, out.dir = sent.Load(), filepath.Join(dir, "run")
	out.read(t)
	return out
}

// buildNative builds the native plugin with its manifest.
func buildNative(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "faulty")
	if out, err := exec.Command("go", "build", "-o", file, "paceline/sdk/native/internal/faulty").CombinedOutput(); err != nil {
		t.Fatalf("build the plugin: %v\n%s", err, out)
	}
	manifest, err := exec.Command(file, "manifest", "Apache-2.0").Output()
	if err == nil {
		err = os.WriteFile(file+".manifest.json", manifest, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// TestNativeFailures plays a whole run for each row.
func TestNativeFailures(t *testing.T) {
	r := buildRunner(t)
	plugin := buildNative(t)
	for _, row := range nativeRows() {
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

// TestNativePage holds the page to the rows that TestNativeFailures plays.
func TestNativePage(t *testing.T) {
	page := bytes.NewBufferString(nativeHead)
	does := map[string]string{"panic": "panics", "exit": "exits with code 3", "hang": "does not answer", "oversized": "answers with more than 64 MiB",
		"status": "answers with an error of its own", "flood": "floods its log", "stubborn": "does not end when it is asked to",
		"fork": "starts processes that leave its session"}
	for _, row := range nativeRows() {
		says, kind := row.says, row.kind
		if kind == "" {
			says, kind = "nothing: the run is complete", "none"
		}
		fmt.Fprintf(page, "| %s | %s | %s | %s | %d |\n", row.at, does[row.how], says, kind, row.code())
	}
	compareWith(t, nativeDocument, page.Bytes())
}

// code is the exit code of a run.
func (row *nativeRow) code() int {
	if row.kind == "" {
		return 0
	}
	return map[string]int{"open": 3, "plan": 5, "score": 7}[row.at]
}

func (row *nativeRow) check(t *testing.T, s *seen) {
	t.Helper()
	if s.code != row.code() {
		t.Errorf("exit code %d, want %d", s.code, row.code())
	}
	if row.kind != "" {
		for _, text := range []string{pluginName, map[string]string{"open": "work", "plan": "work", "score": "score"}[row.at], row.says} {
			if !strings.Contains(s.message, text) {
				t.Errorf("the message does not name %q", text)
			}
		}
	}
	if row.at == "open" && row.kind != "" {
		if s.sent > 0 || s.journal != nil {
			t.Errorf("%d requests were sent", s.sent)
		}
		return
	}
	if s.journal == nil {
		t.Fatal("there is no run folder")
	}
	if row.at == "score" && row.kind != "" {
		if errs := s.report.Scores[0].Errors; len(errs) != 1 || errs[0].Trajectory != "bad-1" || errs[0].Kind != row.kind {
			t.Errorf("plugin errors %+v, want one of bad-1, of kind %s", errs, row.kind)
		}
	}
	if len(s.left) > 0 && !goneSoon(s.left) {
		t.Errorf("guards %v outlived the runner", s.left)
	}
}

// TestNativeRunnerKilled kills a runner in the middle of a run whose plugin forked and left its session: within a moment no
// process is left that has the private folder as its own.
func TestNativeRunnerKilled(t *testing.T) {
	r := buildRunner(t)
	plugin := buildNative(t)
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT} {
		t.Run(signal.String(), func(t *testing.T) {
			var sent atomic.Int64
			dir := nativeRun(t, r, plugin, serveEngine(t, &sent), nativeRow{at: "open", how: "fork"})
			cmd := exec.CommandContext(t.Context(), r.path, "run", filepath.Join(dir, "bench.yaml"), "--locked", "--out", filepath.Join(dir, "run"))
			cmd.Env = []string{"HOME=" + t.TempDir(), "PACELINE_CACHE_DIR=" + r.cache, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + dir}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if !within(20*time.Second, func() bool { return forked(below(cmd.Process.Pid)) }) {
				t.Error("no plugin forked")
			}
			all := below(cmd.Process.Pid)
			_ = cmd.Process.Signal(signal)
			_ = cmd.Wait()
			if !goneSoon(all) {
				t.Errorf("of %v some are left", all)
			}
		})
	}
}

// forked reports whether the plugin has started what it starts: two processes, one of them in a session of its own.
func forked(pids []int) bool {
	n := 0
	for _, pid := range pids {
		if name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); string(name) == "sleep\n" {
			n++
		}
	}
	return n >= 2
}

// below lists the processes that come from a process.
func below(pid int) (all []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	children := map[int][]int{}
	for _, name := range names {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		var id, parent int
		var state string
		_, err1 := fmt.Sscan(string(stat), &id)
		_, err2 := fmt.Sscan(string(stat[bytes.LastIndexByte(stat, ')')+1:]), &state, &parent)
		if errors.Join(err1, err2) == nil {
			children[parent] = append(children[parent], id)
		}
	}
	for queue := children[pid]; len(queue) > 0; queue = queue[1:] {
		all = append(all, queue[0])
		queue = append(queue, children[queue[0]]...)
	}
	return all
}

// goneSoon waits up to five seconds until processes have ended; ones that nobody has reaped count.
func goneSoon(pids []int) bool {
	return within(5*time.Second, func() bool {
		for _, pid := range pids {
			stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
			if err == nil && !bytes.Contains(stat, []byte(") Z")) {
				return false
			}
		}
		return true
	})
}

func within(limit time.Duration, so func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if so() {
			return true
		}
	}
	return false
}
