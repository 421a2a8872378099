package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"paceline/bench/internal/stub"
)

// TestMain lets this test binary be the children that compare starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == roleArg {
		if err := run(context.Background(), os.Args[1:]); err != nil {
			os.Stderr.WriteString(err.Error() + "\n")
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func small(t *testing.T) *Options {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("the usage of a process is read on linux only")
	}
	o, err := parse([]string{"--users=3", "--body=4KB", "--chunks=5", "--gap=0", "--seconds=0.05", "--rounds=2"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func TestClientsDoTheSame(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"streams":        func(*Options) {},
		"split end":      func(o *Options) { o.SplitEnd = true },
		"whole answers":  func(o *Options) { o.NoStream = true },
		"large requests": func(o *Options) { o.Body = 300_000 },
		"long streams":   func(o *Options) { o.Chunks = 700 },
	} {
		t.Run(name, func(t *testing.T) {
			o := small(t)
			change(o)
			ctx, cancel := context.WithCancel(t.Context())
			ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			o.Address = ln.Addr().String()
			posts, mu := 0, sync.Mutex{}
			var serving sync.WaitGroup
			serving.Go(func() {
				stub.Serve(ctx, ln, o.script(), func(time.Time) { mu.Lock(); posts++; mu.Unlock() })
			})
			defer serving.Wait()
			defer cancel()
			for _, client := range []func(context.Context, *Options) (*Measured, error){bare, real} {
				posts = 0
				m, err := client(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				if want := o.Users * o.conversations() * turnsEach; m.Turns != want || posts != want+o.Users || m.CPUMicros <= 0 || m.PeakBytes <= 0 {
					t.Errorf("%d posts, want %d turns after a warm-up of one per user: %+v", posts, want, m)
				}
			}
		})
	}
}

func TestCompare(t *testing.T) {
	o := small(t)
	o.Profile = t.TempDir() + "/cpu.pprof"
	var text bytes.Buffer
	if err := compare(t.Context(), o, &text); err != nil {
		t.Fatal(err)
	}
	if s := text.String(); strings.Count(s, "B runner") != 2 || !strings.Contains(s, "first target 3.0") {
		t.Error(s)
	}
	if _, err := os.Stat(o.Profile); err != nil {
		t.Error(err)
	}
	o.asJSON, o.Profile, o.Rounds = true, "", 1
	text.Reset()
	if err := compare(t.Context(), o, &text); err != nil {
		t.Fatal(err)
	}
	var c Comparison
	if err := json.Unmarshal(text.Bytes(), &c); err != nil || len(c.Rounds) != 1 || c.Median.Ratio != c.Rounds[0].Ratio {
		t.Errorf("%v: %s", err, text.Bytes())
	}
}

func TestBodiesHaveTheSizeAskedFor(t *testing.T) {
	for _, size := range []int{4_000, 40_000, 400_000} {
		o := &Options{Body: size}
		requests, err := o.requests(o.trajectories(turnsEach))
		if err != nil {
			t.Fatal(err)
		}
		sum, n := 0, 0
		for _, list := range requests {
			for _, r := range list {
				_, body, _ := bytes.Cut(r, endOfHead)
				if !json.Valid(body) {
					t.Fatalf("no JSON: %s", body)
				}
				sum, n = sum+len(body), n+1
			}
		}
		if mean := sum / n; mean < size*9/10 || mean > size*11/10 {
			t.Errorf("mean of %d bytes, want %d", mean, size)
		}
	}
}

func TestFlags(t *testing.T) {
	for text, bytes := range map[string]int{"40KB": 40_000, "64 KiB": 65_536, "1.5MB": 1_500_000, "2000": 2000, "3000B": 3000} {
		if o, err := parse([]string{"--body", text}, io.Discard); err != nil || o.Body != bytes {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, bad := range []string{"--users=0", "--body=1x", "--body=NaN", "--gap=-1s", "--seconds=NaN", "--rounds=0", "--nope", "more"} {
		if _, err := parse([]string{bad}, io.Discard); !errors.Is(err, errUsage) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	var help bytes.Buffer
	if _, err := parse([]string{"--help"}, &help); !errors.Is(err, flag.ErrHelp) || !strings.Contains(help.String(), "Examples:") {
		t.Error(err, help.String())
	}
}
