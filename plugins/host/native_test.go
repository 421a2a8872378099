//go:build linux

package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"

	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// faultyNative builds the native plugin of the tests once and gives its code and manifest.
var faultyNative = sync.OnceValues(func() (*NativeModule, error) {
	dir, err := os.MkdirTemp("", "native")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "faulty")
	if out, err := exec.Command("go", "build", "-o", file, "paceline/sdk/native/internal/faulty").CombinedOutput(); err != nil {
		return nil, errors.New(string(out))
	}
	text, err := exec.Command(file, "manifest", "Apache-2.0").Output()
	if err != nil {
		return nil, err
	}
	m := &NativeModule{Name: "std/test", Path: file}
	if m.Manifest, err = lock.ParseManifest(text); err != nil {
		return nil, err
	}
	m.Code, err = os.ReadFile(file)
	return m, err
})

func loadNative(t *testing.T, h *Host) *Plugin {
	t.Helper()
	if testing.Short() {
		t.Skip("builds a plugin")
	}
	m, err := faultyNative()
	if err != nil {
		t.Fatal(err)
	}
	p, err := h.LoadNative(*m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// openNative opens a component that fails at that call in that way.
func openNative(t *testing.T, p *Plugin, component, at, how string, limits lock.Limits) *Component {
	t.Helper()
	config, err := json.Marshal(map[string]string{"at": at, "how": how})
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.Open(t.Context(), ComponentOptions{Name: component, Limits: limits,
		Opened: func(ctx context.Context, conn grpc.ClientConnInterface) error {
			_, err := pb.NewPluginClient(conn).Open(ctx, &pb.OpenRequest{Component: component, Config: config, Seed: make([]byte, 32)})
			return err
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func plan(t *testing.T, conn grpc.ClientConnInterface, index uint64) error {
	t.Helper()
	_, err := pb.NewWorkloadClient(conn).Plan(t.Context(), &pb.PlanRequest{Index: index, Seed: make([]byte, 32)})
	return err
}

func TestNativeFailures(t *testing.T) {
	h := newHost(t, Options{})
	p := loadNative(t, h)
	for how, want := range map[string]struct {
		cause Cause
		says  string
	}{
		"panic":     {Died, "the plugin's process ended: exit status 2: panic: it is broken"},
		"exit":      {Died, "exit status 3"},
		"hang":      {WallTimeout, "passed the limit of 2s on the wall clock"},
		"oversized": {BigReply, "67108864 bytes are allowed"},
		"status":    {Status, "status 13: no"},
	} {
		t.Run(how, func(t *testing.T) {
			c := openNative(t, p, "work", "plan", how, lock.Limits{Plan: 2 * time.Second})
			if how != "hang" {
				c = openNative(t, p, "work", "plan", how, lock.Limits{Plan: 20 * time.Second})
			}
			err := plan(t, c.Conn(), 1)
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Cause != want.cause || e.Plugin != "std/test" || e.Component != "work" || e.Call != "Plan" || !strings.Contains(e.Error(), want.says) {
				t.Fatalf("got %v, want cause %s that says %q", err, want.cause, want.says)
			}
			if err := plan(t, c.Conn(), 0); err != nil {
				t.Errorf("it is not started anew: %v", err)
			}
		})
	}
}

// TestNativeMeasured: while a run is measured a plugin that ended stays away, and a fresh instance is the one that is there.
func TestNativeMeasured(t *testing.T) {
	h := newHost(t, Options{})
	c := openNative(t, loadNative(t, h), "work", "plan", "panic", lock.Limits{Plan: 20 * time.Second})
	h.Measuring(true)
	before := h.Starts()
	inst, err := c.Fresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(plan(t, inst, 0), inst.Close()); err != nil || h.Starts() != before {
		t.Errorf("%v, %d starts", err, h.Starts()-before)
	}
	if err := plan(t, c.Conn(), 1); err == nil {
		t.Fatal("it did not end")
	}
	for range 2 {
		err := plan(t, c.Conn(), 0)
		if e, ok := errors.AsType[*Error](err); !ok || e.Cause != Died || !strings.Contains(err.Error(), "not started again while the run is measured") {
			t.Errorf("got %v", err)
		}
	}
	h.Measuring(false)
	if err := plan(t, c.Conn(), 0); err != nil || h.Starts() != before+1 {
		t.Errorf("%v, %d starts", err, h.Starts()-before)
	}
}

// TestNativeFresh: a workload's fresh instance is a process of its own, a judge keeps its process until a call fails.
func TestNativeFresh(t *testing.T) {
	h := newHost(t, Options{})
	p := loadNative(t, h)
	work := openNative(t, p, "work", "", "", lock.Limits{})
	before := h.Starts()
	inst, err := work.Fresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := inst.Close(); err != nil || h.Starts() != before+1 {
		t.Errorf("workload: %v, %d starts, want 1", err, h.Starts()-before)
	}
	judge := openNative(t, p, "score", "score", "status", lock.Limits{})
	before = h.Starts()
	for i, want := range []int64{0, 0, 1} {
		inst, err := judge.Fresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		q := &pb.ScoreRequest{Samples: []*pb.Sample{{Trajectory: "good-0"}}}
		if i == 1 {
			q.Samples[0].Trajectory = "bad-1"
		}
		_, err = pb.NewScorerClient(inst).Score(t.Context(), q)
		if (err != nil) != (i == 1) {
			t.Errorf("call %d: %v", i, err)
		}
		if err := inst.Close(); err != nil || h.Starts() != before+want {
			t.Errorf("judge, call %d: %v, %d starts, want %d", i, err, h.Starts()-before, want)
		}
	}
	if err := h.Close(); err != nil || h.Workers() != 0 {
		t.Errorf("%v, %d processes are left", err, h.Workers())
	}
}

// TestNativeDiesAtRest: the next call has a new process.
func TestNativeDiesAtRest(t *testing.T) {
	h := newHost(t, Options{})
	c := openNative(t, loadNative(t, h), "work", "", "", lock.Limits{})
	p := c.all[0].run.(*nativeRunner).processes[c.all[0].pooled.id]
	_, plugin := p.PIDs()
	if proc, err := os.FindProcess(plugin); err != nil || proc.Kill() != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	if err := plan(t, c.Conn(), 0); err != nil {
		t.Error(err)
	}
	if h.CPU() <= 0 {
		t.Error("no CPU time is counted")
	}
}

func TestLoadNativeRefuses(t *testing.T) {
	h := newHost(t, Options{})
	loadNative(t, h)
	m, _ := faultyNative()
	changed := *m
	changed.Code = bytes.Clone(m.Code)
	changed.Code[len(changed.Code)-1] ^= 1
	_, err := h.LoadNative(changed)
	if e, ok := errors.AsType[*Error](err); !ok || e.Cause != Digest || !strings.Contains(err.Error(), m.Manifest.Native[0].SHA256.String()) || !strings.Contains(err.Error(), e.Found) {
		t.Errorf("got %v", err)
	}
	elsewhere := *m.Manifest
	elsewhere.Native = []lock.Native{{OS: "plan9", Arch: "arm", File: "faulty"}}
	changed.Manifest = &elsewhere
	if _, err := h.LoadNative(changed); err == nil || !strings.Contains(err.Error(), "no executable for") {
		t.Errorf("got %v", err)
	}
}
