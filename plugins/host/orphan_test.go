//go:build unix

package host

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"google.golang.org/grpc"

	g "paceline/plugins/guesttest"
	"paceline/plugins/lock"
)

// TestCase74 ends a runner in every way while its plugin runs in a loop: no worker is left.
func TestCase74(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ties a busy worker's life to the runner's")
	}
	ways := map[string]syscall.Signal{"normal": 0, "error": 0, "SIGINT": syscall.SIGINT, "SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL, "idle": syscall.SIGKILL}
	for way, signal := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("/proc/self/exe", helperCommand, way)
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
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			if signal != 0 {
				_ = cmd.Process.Signal(signal)
			}
			_ = cmd.Wait()
			if !goneWithin(pid, 2000) {
				t.Errorf("worker %d is still there", pid)
			}
		})
	}
}

// goneWithin looks up to n times, a millisecond apart, whether a process has ended; one that nobody has reaped counts.
func goneWithin(pid, n int) bool {
	for range n {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			return true
		}
		if _, state, ok := strings.Cut(string(stat), ") "); ok && strings.HasPrefix(state, "Z") {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// TestSetUpFails: a component whose readying fails leaves no worker.
func TestSetUpFails(t *testing.T) {
	h := newHost(t, Options{})
	p := mustLoad(t, h, guest(loop).Bytes())
	_, err := p.Open(t.Context(), ComponentOptions{Name: "comp", Inputs: []Input{}, Limits: short, Opened: func(context.Context, grpc.ClientConnInterface) error {
		return fmt.Errorf("refused")
	}})
	if err == nil || err.Error() != "refused" {
		t.Errorf("got %v", err)
	}
	_ = p.Close()
	for range 2000 {
		if h.Workers() == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d workers are left", h.Workers())
}

// TestWorkerProcess looks at a worker's surroundings.
func TestWorkerProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	t.Setenv("SECRET_OF_THE_RUNNER", "1")
	h := newHost(t, Options{})
	c := mustOpen(t, mustLoad(t, h, guest(g.Packed(1)).Bytes()), ComponentOptions{})
	pid := pidOf(c)[0]
	read := func(name string) string {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	if env := read("environ"); env != "" {
		t.Errorf("environment %q", env)
	}
	_, fields, _ := strings.Cut(read("stat"), ") ")
	if f := strings.Fields(fields); f[16] != "19" || f[2] != strconv.Itoa(pid) {
		t.Errorf("nice %s, process group %s of %d", f[16], f[2], pid)
	}
	if _, err := c.send(t.Context(), nil); err != nil {
		t.Error(err)
	}
	limits := read("limits")
	if strings.Contains(limits, "Max cpu time              unlimited") {
		t.Error("no limit of CPU time")
	}
	for _, want := range []string{"Max core file size        0                    0", "Max open files            64                   64"} {
		if !strings.Contains(limits, want) {
			t.Errorf("no %q in\n%s", want, limits)
		}
	}
}

// TestWorkerDies: the worker is killed by somebody else, at rest and during a call; the next call has a new one.
func TestWorkerDies(t *testing.T) {
	h := newHost(t, Options{})
	c := mustOpen(t, mustLoad(t, h, guest(g.Code(g.Get(1), g.Load8(), g.If(loop), g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Packed(1))).Bytes()),
		ComponentOptions{Limits: lock.Limits{Batch: 60 * time.Second}})
	s := c.all[0]
	p := s.run.(*worker).p
	p.kill()
	<-p.exited
	if _, err := c.send(t.Context(), []byte{0}); err != nil {
		t.Errorf("after a death at rest: %v", err)
	}
	p = s.run.(*worker).p
	timer := time.AfterFunc(20*time.Millisecond, p.kill)
	defer timer.Stop()
	_, err := c.send(t.Context(), []byte{1})
	wantCause(t, err, Died)
	if !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("got %v", err)
	}
	if _, err := c.send(t.Context(), []byte{0}); err != nil || h.Starts() != 3 {
		t.Errorf("after a death during a call: %v with %d starts", err, h.Starts())
	}
}

// TestWallTimeout stops the worker, so that it uses no CPU time.
func TestWallTimeout(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere every timeout is one of the wall clock")
	}
	c := mustOpen(t, mustLoad(t, newHost(t, Options{}), guest(g.Packed(1)).Bytes()), ComponentOptions{})
	s := <-c.slots
	defer c.release(s)
	if err := syscall.Kill(s.run.(*worker).p.pid(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	b := s.bounds(time.Second)
	b.wall = 20 * time.Millisecond
	_, err := s.run.call(t.Context(), s.pooled.id, score, nil, b)
	if e, ok := err.(*Error); !ok || e.Cause != WallTimeout || e.Limit != "20ms" {
		t.Errorf("got %v", err)
	}
}
