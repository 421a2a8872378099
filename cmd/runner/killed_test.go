//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"paceline/core/coretest"
	"paceline/core/sim"
)

// TestKilledWithBothKinds kills the runner in the middle of a run with a wasm workload and a native scorer that has forked
// and left its session: no process, socket or folder of either is left, and the run still gives a report.
func TestKilledWithBothKinds(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a native plugin")
	}
	dir := t.TempDir()
	temp := filepath.Join(dir, "tmp")
	file := filepath.Join(dir, "faulty")
	var rows strings.Builder
	for i := range 200 {
		rows.WriteString(`{"conversation_id":"` + brokenID(i) + `","turn":1,"role":"user","content":"hello"}` + "\n")
	}
	err := os.WriteFile(filepath.Join(dir, "data.jsonl"), []byte(rows.String()), 0o600)
	if err == nil {
		err = os.Mkdir(temp, 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-o", file, "paceline/sdk/native/internal/faulty").CombinedOutput(); err != nil {
		t.Fatalf("build the native plugin: %v\n%s", err, out)
	}
	manifest, err := exec.Command(file, "manifest", "Apache-2.0").Output()
	if err == nil {
		err = os.WriteFile(file+".manifest.json", manifest, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	target := start(t, sim.Config{Model: "sim", TimeScale: 1, AnswerTokens: 20})
	front := &exchange{Listener: coretest.Loopback(t)}
	front.to.Store(target)
	go front.serve()
	defer func() { _ = front.Close(); target.stop() }()
	run := `{"target":{"url":"http://` + front.Addr().String() + `/v1"},"workload":{"name":"std/mlperf/agentic","inputs":{"dataset":"data.jsonl"}},"load":{"users":2},
		"plugins":{"my/faulty":"./faulty"},"scorers":{"my/faulty/score":{"At":"open","How":"fork"}}}`
	if err := os.WriteFile(filepath.Join(dir, "bench.yaml"), []byte(run), 0o600); err != nil {
		t.Fatal(err)
	}
	runner := func(args ...string) *exec.Cmd {
		cmd := exec.Command("runner", args...)
		cmd.Dir, cmd.Env = dir, []string{"TMPDIR=" + temp, "PACELINE_CACHE_DIR=" + filepath.Join(dir, "cache"), "HOME=" + dir, "PATH=" + os.Getenv("PATH")}
		return cmd
	}
	if out, err := runner("plugin", "lock", "bench.yaml", "--allow-native").CombinedOutput(); err != nil {
		t.Fatalf("lock: %v\n%s", err, out)
	}
	var said bytes.Buffer
	cmd := runner("run", "bench.yaml", "--locked", "--out", "out")
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var family []string
	for end := time.Now().Add(time.Minute); !forked(family) || !recorded(filepath.Join(dir, "out")); time.Sleep(20 * time.Millisecond) {
		if family = descendants(cmd.Process.Pid); time.Now().After(end) {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
			t.Fatalf("after a minute the runner has the descendants %v\n%s", family, &said)
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		left := slices.DeleteFunc(slices.Clone(family), func(pid string) bool { return !alive(pid) })
		files, err := os.ReadDir(temp)
		if err == nil && len(left) == 0 && len(files) == 0 {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("left after SIGKILL: processes %v of %v, files %v, %v", left, family, files, err)
		}
	}
	if out, err := runner("report", "out").CombinedOutput(); err != nil || !bytes.Contains(out, []byte("INCOMPLETE")) {
		t.Errorf("report: %v\n%s", err, out)
	}
}

// forked reports whether the two processes are there that the plugin started, one of them in a session of its own.
func forked(family []string) bool {
	own := 0
	for _, pid := range family {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		_, rest, ok := strings.Cut(string(stat), "(sleep) ")
		if f := strings.Fields(rest); err == nil && ok && len(f) > 3 {
			if f[3] == pid { // it leads its session
				own++
			}
			own += 10
		}
	}
	return own == 21
}

// recorded reports whether the journal of a run has come to the disk.
func recorded(dir string) bool {
	info, err := os.Stat(filepath.Join(dir, "journal-000001.jsonl.zst"))
	return err == nil && info.Size() > 1000
}

// alive reports whether a process is there; one that nobody has reaped is not.
func alive(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return false
	}
	_, state, ok := strings.Cut(string(stat), ") ")
	return ok && !strings.HasPrefix(state, "Z")
}

// descendants lists the processes below one, whatever session they are in: those that lost their parents hang below the guard.
func descendants(root int) []string {
	parents := map[string]string{}
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		stat, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if _, rest, ok := strings.Cut(string(stat), ") "); ok {
			if f := strings.Fields(rest); len(f) > 1 {
				parents[strings.Split(name, "/")[2]] = f[1]
			}
		}
	}
	var list []string
	for pid := range parents {
		for at := pid; at != ""; at = parents[at] {
			if parents[at] == strconv.Itoa(root) {
				list = append(list, pid)
				break
			}
		}
	}
	slices.Sort(list)
	return list
}
