package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"paceline/cmd/runner/internal/config"
	"paceline/core/journal"
	"paceline/core/sim"
	"paceline/workloads/mlperf/demo"
)

// demoUsers are the points of the demo's small sweep.
var demoUsers = []int{1, 4, 16}

// demoFile is the demo's data set in its folder, so that anyone can look at it and play it again.
const demoFile = "demo.jsonl"

func (a *app) demoCommand() *cobra.Command {
	var out string
	var quiet bool
	c := &cobra.Command{
		Use:   "demo",
		Short: "Run the shipped data set against a simulated engine, at 1, 4 and 16 users",
		Long: "Starts a simulated engine in this process and plays the shipped data set at 1, 4 and 16 users, with the shipped\n" +
			"workload, scorer and validator. It needs no network and no accelerator, and takes well under a minute.",
		Example: "  runner demo\n  runner demo --out /tmp/demo",
		Args:    exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if out == "" {
				out = filepath.Join("results", "demo-"+runID(time.Now()))
			}
			return a.demo(c.Context(), out, quiet)
		},
	}
	c.Flags().StringVar(&out, "out", "", "`folder` for one run folder per point (default results/demo-<id>)")
	c.Flags().BoolVar(&quiet, "quiet", false, "no progress and no report on the terminal")
	return c
}

func (a *app) demo(ctx context.Context, out string, quiet bool) error {
	if err := journal.Create(out); err != nil {
		return fail(exitInput, err)
	}
	data := filepath.Join(out, demoFile)
	if err := os.WriteFile(data, []byte(demo.Dataset()), 0o644); err != nil {
		return err
	}
	url, stop, err := simulate(ctx)
	if err != nil {
		return err
	}
	defer stop()
	var rows []demoRow
	var errs []error
	for _, users := range demoUsers {
		if ctx.Err() != nil {
			break
		}
		if !quiet {
			fmt.Fprintf(a.Stderr, "%s\n", plural(users, "user"))
		}
		spec, err := demoSpec(out, data, url, users, quiet)
		if err != nil {
			return err
		}
		reports, err := a.play(ctx, spec)
		if reports != nil {
			rows = append(rows, demoRow{users, reports.Result})
		}
		errs = append(errs, err)
	}
	if !quiet && len(rows) > 0 {
		if err := writeDemo(a.Stdout, out, rows); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// simulate serves an engine on the loopback until stop is called. It runs five times as fast as what it simulates.
func simulate(ctx context.Context) (url string, stop func(), err error) {
	s, err := sim.New(sim.Config{Model: "sim", Seed: 1, TimeScale: 0.2, AnswerTokens: 60, MaxBatch: 64})
	if err != nil {
		return "", nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for the simulated engine: %w", err)
	}
	serving, cancel := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = s.Serve(serving, l) // what fails here fails the runs, with its reason
	}()
	return "http://" + l.Addr().String() + "/v1", func() { cancel(); <-done }, nil
}

func demoSpec(out, data, url string, users int, quiet bool) (*runSpec, error) {
	l := config.Layer{Name: "demo"}
	for key, value := range map[string]any{
		"target.url": url, "workload.name": "std/mlperf/agentic", "workload.inputs.dataset": data,
		"load.users": users, "salt": "seeded", "seed": strconv.Itoa(users), "max_tokens": 256, "window.kind": "steady",
		`scorers."std/mlperf/inline"`: map[string]any{}, `validators."std/mlperf/output-length"`: map[string]any{"min": 20, "max": 200},
		"out": filepath.Join(out, "users-"+strconv.Itoa(users)),
	} {
		l.Put(key, value)
	}
	r, err := config.Resolve(l)
	if err != nil {
		return nil, err
	}
	return &runSpec{resolved: r, quiet: quiet}, r.Check()
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}
