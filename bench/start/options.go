package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"time"
)

// Options is one measurement, as the flags give it.
type Options struct {
	Cold, Warm int
	Users      int
	Dataset    string
	Runner     string
	Limit      time.Duration // of one run
	asJSON     bool
}

var errUsage = errors.New("see go run ./bench/start --help")

const help = `Usage: go run ./bench/start [flags]

Measures the time from the start of "runner run" to its first request at a stub server: first with empty caches, then
with the caches of the runs before.

Examples:
  go run ./bench/start
  go run ./bench/start --cold 3 --warm 10
  go run ./bench/start --dataset agentic.jsonl --json

Flags:
`

func parse(args []string, errOut io.Writer) (*Options, error) {
	o := &Options{}
	fs := flag.NewFlagSet("bench/start", flag.ContinueOnError)
	fs.SetOutput(errOut)
	fs.Usage = func() {
		fmt.Fprint(errOut, help)
		fs.PrintDefaults()
	}
	fs.IntVar(&o.Cold, "cold", 1, "`runs` with empty caches, at least one")
	fs.IntVar(&o.Warm, "warm", 5, "`runs` with the caches of the last cold one")
	fs.IntVar(&o.Users, "users", 8, "concurrent `users`, and trajectories to play")
	fs.StringVar(&o.Dataset, "dataset", "", "JSONL `file` for std/mlperf/agentic (default: the one that demo plays)")
	fs.StringVar(&o.Runner, "runner", "", "runner `file` to measure (default: it is built)")
	fs.DurationVar(&o.Limit, "limit", 2*time.Minute, "time limit of one run")
	fs.BoolVar(&o.asJSON, "json", false, "print one JSON document")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, fmt.Errorf("bench/start: bad flags: %w", errUsage)
	}
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(fs.NArg() > 0, "unknown argument %q", fs.Arg(0))
	fault(o.Cold < 1 || o.Cold > 100, "--cold: %d is outside 1 to 100", o.Cold)
	fault(o.Warm < 1 || o.Warm > 100, "--warm: %d is outside 1 to 100", o.Warm)
	fault(o.Users < 1 || o.Users > 10_000, "--users: %d is outside 1 to 10000", o.Users)
	fault(o.Limit <= 0, "--limit: %v is not positive", o.Limit)
	if len(faults) > 0 {
		return nil, fmt.Errorf("bench/start: %w\n%w", errors.Join(faults...), errUsage)
	}
	return o, nil
}
