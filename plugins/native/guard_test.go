//go:build linux

package native

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCase74 ends a runner in every way: nothing of a plugin is left that forked and left group and session.
func TestCase74(t *testing.T) {
	ways := map[string]syscall.Signal{"normal": 0, "set-up fails": 0, "SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM,
		"SIGKILL": syscall.SIGKILL, "in a call": syscall.SIGKILL}
	for way, signal := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("/proc/self/exe", helperCommand, way)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				_ = cmd.Process.Kill()
				t.Fatal(err)
			}
			fields := strings.Fields(line)
			if len(fields) != 5 {
				_ = cmd.Process.Kill()
				t.Fatalf("the helper says %q", line)
			}
			if signal != 0 {
				_ = cmd.Process.Signal(signal)
			}
			_ = cmd.Wait()
			for _, text := range fields[1:] {
				pid, err := strconv.Atoi(text)
				if err != nil || !goneWithin(pid, 30*time.Second) {
					t.Errorf("process %s of %q is still there", text, line)
				}
			}
			if _, err := os.Stat(fields[0]); !os.IsNotExist(err) {
				t.Errorf("the private folder is still there: %v", err)
			}
		})
	}
}

// TestGuardKilled: where the guard itself is killed, the plugin goes with it, and the runner removes the folder.
func TestGuardKilled(t *testing.T) {
	p := start(t, config(t, "good"))
	guard, plugin := p.PIDs()
	if err := syscall.Kill(guard, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, err := open(p, "hang", patient)
	wantFault(t, err, FaultDied, "its guard process ended: signal: killed")
	if !goneWithin(plugin, 30*time.Second) {
		t.Error("the plugin outlived its guard")
	}
	if _, err := os.Stat(p.guard.dir); !os.IsNotExist(err) {
		t.Errorf("the private folder is still there: %v", err)
	}
}

// TestForkedThenDied: what a plugin started goes with it, also where it ends by itself.
func TestForkedThenDied(t *testing.T) {
	p := start(t, config(t, "good"))
	forked, err := open(p, "fork", patient)
	if err != nil {
		t.Fatal(err)
	}
	_, err = open(p, "exit", patient)
	wantFault(t, err, FaultDied, "exit status 3")
	for text := range strings.FieldsSeq(string(forked)) {
		if pid, err := strconv.Atoi(text); err != nil || !goneWithin(pid, 30*time.Second) {
			t.Errorf("process %s is still there", text)
		}
	}
}

// TestContainers: containers with the run's label go, where the plugin was granted containers; the command is a fake.
func TestContainers(t *testing.T) {
	dir := t.TempDir()
	command := filepath.Join(dir, "docker")
	script := "#!/bin/sh\necho \"$@\" >>" + dir + "/said\n[ \"$1\" = ps ] && echo abc && echo def\nexit 0\n"
	if err := os.WriteFile(command, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for granted, want := range map[bool]string{true: "ps -aq --filter label=paceline.run=x\nrm -f abc def\n", false: ""} {
		c := config(t, "good")
		c.Containers, c.Label, c.Commands = granted, "paceline.run=x", []string{command}
		p := start(t, c)
		seen, err := open(p, "see", patient)
		if err != nil || strings.Contains(string(seen), ContainerLabel+"=paceline.run=x") != granted {
			t.Errorf("granted %v: %s, %v", granted, seen, err)
		}
		p.Stop()
		if said, _ := os.ReadFile(dir + "/said"); string(said) != want {
			t.Errorf("granted %v: the command was called with %q, want %q", granted, said, want)
		}
		_ = os.Remove(dir + "/said")
	}
}

// goneWithin looks, a few milliseconds apart, whether a process has ended; one that nobody has reaped counts.
func goneWithin(pid int, within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return true
		}
		if _, state, ok := strings.Cut(string(stat), ") "); ok && strings.HasPrefix(state, "Z") {
			return true
		}
	}
	return false
}
