//go:build unix

package native

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

func TestCalls(t *testing.T) {
	p := start(t, config(t, "good"))
	if p.Contract() != 1 {
		t.Errorf("contract %d", p.Contract())
	}
	for _, size := range []int{0, 100, 10 << 10, 15 << 20} {
		config := bytes.Repeat([]byte("a"), size)
		got, err := openWith(t.Context(), p, &pb.OpenRequest{Config: config}, patient)
		if err != nil || !bytes.Equal(got, config) {
			t.Errorf("%d bytes: %d came back, %v", size, len(got), err)
		}
	}
}

// TestSurroundings: what a plugin finds, and that nothing is left of its folder.
func TestSurroundings(t *testing.T) {
	t.Setenv("PACELINE_API_KEY", "secret")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	p := start(t, config(t, "good"))
	raw, err := open(p, "see", patient)
	if err != nil {
		t.Fatal(err)
	}
	var seen struct {
		Env          []string
		Dir, Mode    string
		Files, Stdin int
	}
	if err := json.Unmarshal(raw, &seen); err != nil {
		t.Fatal(err)
	}
	for _, e := range seen.Env {
		name, value, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "PLUGIN_") && !slices.Contains([]string{"PATH", "HOME", "TMPDIR", "LANG", "PWD"}, name) || value == "secret" {
			t.Errorf("the environment has %s", e)
		}
	}
	dir := filepath.Dir(seen.Dir)
	if seen.Files != 0 || seen.Stdin != 0 || seen.Mode != "-r-x------" || dir != p.guard.dir {
		t.Errorf("got %+v, private folder %s", seen, p.guard.dir)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("private folder: %v, %v", info.Mode(), err)
	}
	p.Stop()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the private folder is still there: %v", err)
	}
}

// TestInputs: the plugin reads the descriptor that was handed over, whatever stands at its path by then.
func TestInputs(t *testing.T) {
	name := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(name, []byte("digested"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
	c := config(t, "good")
	c.Inputs = []*os.File{f}
	p := start(t, c)
	for range 2 {
		got, err := openWith(t.Context(), p, &pb.OpenRequest{Component: "read", Inputs: []*pb.Input{{Path: InputPath(0)}}}, patient)
		if err != nil || string(got) != "digested" {
			t.Errorf("read %q, %v", got, err)
		}
	}
}

func TestContracts(t *testing.T) {
	for name, c := range map[string]struct {
		mode    string
		offered []int
		agreed  int // -1: none
	}{
		"ours":              {"good", nil, 1},
		"the newer of both": {"both", []int{1, 0}, 1},
		"the one before":    {"v0", []int{1, 0}, 0},
		"an older one":      {"v0", nil, -1},
		"an older host":     {"good", []int{0}, -1},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := config(t, c.mode)
			cfg.Contracts = c.offered
			p, err := Start(t.Context(), cfg)
			if c.agreed < 0 {
				wantFault(t, err, FaultInterface, "no version of the contract in common")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer p.Stop()
			if p.Contract() != c.agreed {
				t.Errorf("agreed on %d, want %d", p.Contract(), c.agreed)
			}
		})
	}
}

// TestMTLS: where the manifest asks for it, only who has this start's certificate can call; and a plugin that cannot is refused.
func TestMTLS(t *testing.T) {
	for mtls, want := range map[bool]bool{true: false, false: true} {
		c := config(t, "good")
		c.MTLS = mtls
		p := start(t, c)
		if got, err := openWith(t.Context(), p, &pb.OpenRequest{Config: []byte("a")}, patient); err != nil || string(got) != "a" {
			t.Errorf("mtls %v: %q, %v", mtls, got, err)
		}
		stranger, err := grpc.NewClient("unix:"+socketOf(t, p), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		_, err = pb.NewPluginClient(stranger).Open(t.Context(), &pb.OpenRequest{})
		if (err == nil) != want {
			t.Errorf("mtls %v: a stranger who knows the socket gets %v", mtls, err)
		}
		_ = stranger.Close()
	}
	c := config(t, "no mtls")
	c.MTLS = true
	_, err := Start(t.Context(), c)
	wantFault(t, err, FaultInterface, "the manifest says mtls, and the plugin does not answer so")
}

// socketOf finds the plugin's socket in its private folder.
func socketOf(t *testing.T, p *Process) string {
	t.Helper()
	var found string
	err := filepath.WalkDir(p.guard.dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type()&os.ModeSocket != 0 {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatalf("no socket: %v", err)
	}
	return found
}

func TestRefusedStarts(t *testing.T) {
	for mode, c := range map[string]struct {
		fault Fault
		says  string
	}{
		"netrpc": {FaultInterface, "netrpc"},
		"noise":  {FaultInterface, "hello, I am no plugin"},
		"tcp":    {FaultInterface, "a unix socket"},
		"exits":  {FaultDied, "exit status 3: no license found"},
		"silent": {FaultTimeout, "within 300ms"},
	} {
		t.Run(mode, func(t *testing.T) {
			cfg := config(t, mode)
			if mode == "silent" {
				cfg.Start = 300 * time.Millisecond
			}
			_, err := Start(t.Context(), cfg)
			wantFault(t, err, c.fault, c.says)
		})
	}
	t.Run("no program", func(t *testing.T) {
		cfg := config(t, "good")
		cfg.Code = []byte("this is no program")
		_, err := Start(t.Context(), cfg)
		wantFault(t, err, FaultStart, "exec format error")
	})
	t.Run("given up", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := Start(ctx, config(t, "silent"))
		wantFault(t, err, FaultCancelled, "deadline")
	})
}

func TestFailures(t *testing.T) {
	for how, c := range map[string]struct {
		fault Fault
		says  string
		stays bool
	}{
		"panic":       {FaultDied, "exit status 2: panic: it is broken", false},
		"exit":        {FaultDied, "exit status 3", false},
		"hang":        {FaultTimeout, "", false},
		"big":         {FaultReply, "", false},
		"status":      {FaultStatus, "no", true},
		"unavailable": {FaultStatus, "later", true},
	} {
		t.Run(how, func(t *testing.T) {
			limit := patient
			if how == "hang" {
				limit = 200 * time.Millisecond
			}
			p := start(t, config(t, "good"))
			_, err := open(p, how, limit)
			f := wantFault(t, err, c.fault, c.says)
			if how == "big" && f.Found <= lock.MaxReply {
				t.Errorf("found %d bytes", f.Found)
			}
			if p.Alive() != c.stays {
				t.Errorf("alive: %v", p.Alive())
			}
			_, err = open(p, "", patient)
			if c.stays && err != nil {
				t.Error(err)
			}
			if !c.stays {
				wantFault(t, err, FaultDied, "")
			}
		})
	}
	t.Run("request", func(t *testing.T) {
		p := start(t, config(t, "good"))
		_, err := openWith(t.Context(), p, &pb.OpenRequest{Config: make([]byte, lock.MaxRequest)}, patient)
		wantFault(t, err, FaultRequest, "")
		if _, err := open(p, "", patient); err != nil {
			t.Error(err)
		}
	})
	t.Run("given up", func(t *testing.T) {
		p := start(t, config(t, "good"))
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := openWith(ctx, p, &pb.OpenRequest{Component: "hang"}, patient)
		wantFault(t, err, FaultCancelled, "deadline")
	})
}

// TestFlood: a plugin that prints without end goes on with its work, and what is above the rate is dropped and counted.
func TestFlood(t *testing.T) {
	for _, how := range []string{"stderr", "print"} {
		t.Run(how, func(t *testing.T) {
			var mu sync.Mutex
			var lines, kept, dropped int
			c := config(t, "good")
			c.Log = func(_ int, text string) {
				mu.Lock()
				defer mu.Unlock()
				lines, kept = lines+1, kept+len(text)
			}
			c.Cut = func(n, _ uint64) { dropped = int(n) }
			p := start(t, c)
			if _, err := open(p, how, patient); err != nil {
				t.Fatal(err)
			}
			p.Stop()
			mu.Lock()
			defer mu.Unlock()
			if how == "stderr" && (kept < printBurst/2 || dropped < 50_000 || lines+dropped != 100_000) {
				t.Errorf("%d lines with %d bytes kept, %d dropped", lines, kept, dropped)
			}
			if how == "print" && lines < 9_000 {
				t.Errorf("%d lines of 10000 came", lines)
			}
		})
	}
}

// TestStop: a plugin that goes when it is asked to is not waited for, and one that does not is killed.
func TestStop(t *testing.T) {
	for mode, want := range map[string]string{"good": "exit status 0", "stubborn": "signal: killed"} {
		t.Run(mode, func(t *testing.T) {
			var got string
			for range 3 { // go-plugin waits two seconds for it to end, which a busy machine may take
				p := start(t, config(t, mode))
				p.Stop()
				p.Stop()
				if p.Alive() {
					t.Error("it is still there")
				}
				if got = p.Epitaph(); got == want {
					return
				}
			}
			t.Errorf("it ended with %s, want %s", got, want)
		})
	}
}
