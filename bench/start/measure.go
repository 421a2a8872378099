package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"paceline/bench/internal/proc"
	"paceline/bench/internal/stub"
	"paceline/workloads/mlperf/demo"
)

// target is the time to the first request that is aimed at with warm caches.
const target = time.Second

// Start is one run of the runner.
type Start struct {
	Cold    bool    `json:"cold"`
	FirstMS float64 `json:"first_request_ms"` // from the start of the process to the head of its first POST
	WholeMS float64 `json:"whole_ms"`         // to the end of the process
}

// Report is the whole outcome.
type Report struct {
	Users    int     `json:"users"`
	Starts   []Start `json:"starts"`
	Cold     float64 `json:"cold_median_ms"`
	Warm     float64 `json:"warm_median_ms"`
	TargetMS float64 `json:"target_ms"`
}

// bench is what all runs share.
type bench struct {
	options *Options
	dir     string // temporary; holds everything that the runs write
	runner  string
	dataset string
	url     string

	mu    sync.Mutex
	first time.Time // POST of the present run
}

func measure(ctx context.Context, o *Options, out io.Writer) (err error) {
	b := &bench{options: o, runner: o.Runner, dataset: o.Dataset}
	if b.dir, err = os.MkdirTemp("", "paceline-start-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := b.prepare(ctx); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		cancel()
		return err
	}
	b.url = "http://" + ln.Addr().String() + "/v1"
	var serving sync.WaitGroup
	serving.Go(func() { stub.Serve(ctx, ln, stub.Script{Chunks: 8, Stream: true}, b.posted) })
	defer serving.Wait()
	defer cancel()

	if o.asJSON {
		r, err := b.all(ctx, io.Discard)
		if err != nil {
			return err
		}
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	r, err := b.all(ctx, out)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nmedians to the first request: cold %.0f ms, warm %.0f ms (target %.0f ms warm)\n", r.Cold, r.Warm, r.TargetMS)
	return nil
}

// prepare builds the runner and writes the data set, where the flags name none.
func (b *bench) prepare(ctx context.Context) error {
	if b.runner == "" {
		b.runner = filepath.Join(b.dir, "runner")
		build := proc.Command(ctx, "go", "build", "-o", b.runner, "paceline/cmd/runner")
		if err := build.Run(); err != nil {
			return fmt.Errorf("build runner: %w", err)
		}
	}
	if b.dataset == "" {
		b.dataset = filepath.Join(b.dir, "demo.jsonl")
		return os.WriteFile(b.dataset, []byte(demo.Dataset()), 0o600)
	}
	return nil
}

func (b *bench) posted(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first.IsZero() {
		b.first = at
	}
}

// all runs the runner again and again and prints each run.
func (b *bench) all(ctx context.Context, out io.Writer) (*Report, error) {
	r := &Report{Users: b.options.Users, TargetMS: float64(target.Milliseconds())}
	for i := range b.options.Cold + b.options.Warm {
		cold := i < b.options.Cold
		if cold {
			if err := os.RemoveAll(filepath.Join(b.dir, "cache")); err != nil {
				return nil, err
			}
		}
		s, err := b.once(ctx, i)
		if err != nil {
			return nil, err
		}
		s.Cold = cold
		r.Starts = append(r.Starts, s)
		name := "warm"
		if cold {
			name = "cold"
		}
		fmt.Fprintf(out, "%s: %.0f ms to the first request, %.0f ms to the end\n", name, s.FirstMS, s.WholeMS)
	}
	r.Cold, r.Warm = r.median(true), r.median(false)
	return r, nil
}

func (b *bench) once(ctx context.Context, number int) (Start, error) {
	ctx, cancel := context.WithTimeout(ctx, b.options.Limit)
	defer cancel()
	users := strconv.Itoa(b.options.Users)
	cmd := proc.Command(ctx, b.runner, "run", "--target", b.url, "--workload", "std/mlperf/agentic", "--input", "dataset="+b.dataset,
		"--users", users, "--trajectories", users, "--no-delays", "--quiet", "--out", filepath.Join(b.dir, "run-"+strconv.Itoa(number)))
	cmd.Env = b.environment()
	b.mu.Lock()
	b.first = time.Time{}
	b.mu.Unlock()
	began := time.Now()
	err := cmd.Run()
	took := time.Since(began)
	if exit := new(exec.ExitError); errors.As(err, &exit) && ctx.Err() != nil {
		return Start{}, fmt.Errorf("run %d: not done after %v", number, b.options.Limit)
	}
	if err != nil {
		return Start{}, fmt.Errorf("run %d: %w", number, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.first.IsZero() {
		return Start{}, fmt.Errorf("run %d: no request came", number)
	}
	return Start{FirstMS: millis(b.first.Sub(began)), WholeMS: millis(took)}, nil
}

// environment keeps the user's own caches and settings out of it.
func (b *bench) environment() []string {
	cache := filepath.Join(b.dir, "cache")
	env := []string{"PACELINE_CACHE_DIR=" + filepath.Join(cache, "paceline"), "XDG_CACHE_HOME=" + cache, "HOME=" + cache}
	for _, e := range os.Environ() {
		name, _, _ := strings.Cut(e, "=")
		if !strings.HasPrefix(name, "PACELINE_") && name != "HOME" && name != "XDG_CACHE_HOME" {
			env = append(env, e)
		}
	}
	return env
}

func (r *Report) median(cold bool) float64 {
	var list []float64
	for _, s := range r.Starts {
		if s.Cold == cold {
			list = append(list, s.FirstMS)
		}
	}
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// millis keeps a tenth of a millisecond: less would be noise.
func millis(d time.Duration) float64 { return float64(d.Round(100*time.Microsecond)) / 1e6 }
