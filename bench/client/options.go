package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"paceline/bench/internal/stub"
)

// Options is one comparison, as the flags give it; the children get it as JSON.
type Options struct {
	Users    int           `json:"users"`
	Body     int           `json:"body_bytes"`
	Chunks   int           `json:"chunks"`
	Gap      time.Duration `json:"gap_ns"`
	Seconds  float64       `json:"seconds"`
	Rounds   int           `json:"rounds"`
	NoStream bool          `json:"no_stream"`
	SplitEnd bool          `json:"split_end"`
	Delay    time.Duration `json:"delay_ns"`

	Address string `json:"address,omitempty"` // of the stub; set for the children
	Profile string `json:"profile,omitempty"`
	Allocs  string `json:"allocs,omitempty"`
	asJSON  bool
}

var errUsage = errors.New("see go run ./bench/client --help")

const help = `Usage: go run ./bench/client [flags]

Compares the client CPU per turn of a bare socket loop (A) with that of the runner's own path (B: scheduler, client,
journal), each in a process of its own, in turns, against the same stub server.

Examples:
  go run ./bench/client
  go run ./bench/client --users 256 --seconds 20 --rounds 5
  go run ./bench/client --no-stream --json
  go run ./bench/client --rounds 1 --profile cpu.pprof && go tool pprof -top cpu.pprof

Flags:
`

// parse reads and checks the flags; every fault is named at once.
func parse(args []string, errOut io.Writer) (*Options, error) {
	o := &Options{Body: 40_000}
	fs := flag.NewFlagSet("bench/client", flag.ContinueOnError)
	fs.SetOutput(errOut)
	fs.Usage = func() {
		fmt.Fprint(errOut, help)
		fs.PrintDefaults()
	}
	fs.IntVar(&o.Users, "users", 64, "concurrent `users`")
	fs.Var((*size)(&o.Body), "body", "average `size` of a request body, e.g. 40KB (1000 bytes) or 64KiB")
	fs.IntVar(&o.Chunks, "chunks", 64, "chunks with text per answer")
	fs.DurationVar(&o.Gap, "gap", 10*time.Millisecond, "time between chunks; 0: as fast as they go")
	fs.Float64Var(&o.Seconds, "seconds", 10, "about how long each client is measured")
	fs.IntVar(&o.Rounds, "rounds", 3, "rounds of A and B")
	fs.DurationVar(&o.Delay, "delay", 0, "tool delay before each turn but the first of a conversation")
	fs.BoolVar(&o.NoStream, "no-stream", false, "whole answers instead of streams")
	fs.BoolVar(&o.SplitEnd, "split-end", false, "the end of a stream's body comes as a write of its own, as with uvicorn")
	fs.StringVar(&o.Profile, "profile", "", "after the rounds, run B once more and write its CPU profile to this `file`")
	fs.StringVar(&o.Allocs, "allocs", "", "the same for its allocations")
	fs.BoolVar(&o.asJSON, "json", false, "print one JSON document")
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, fmt.Errorf("bench/client: bad flags: %w", errUsage)
	}
	var faults []error
	if fs.NArg() > 0 {
		faults = append(faults, fmt.Errorf("unknown argument %q", fs.Arg(0)))
	}
	if faults = append(faults, o.check()); errors.Join(faults...) != nil {
		return nil, fmt.Errorf("bench/client: %w\n%w", errors.Join(faults...), errUsage)
	}
	return o, nil
}

func (o *Options) check() error {
	var faults []error
	within := func(name string, v, least, most float64) {
		if !(v >= least && v <= most) {
			faults = append(faults, fmt.Errorf("--%s: %v is outside %v to %v", name, v, least, most))
		}
	}
	within("users", float64(o.Users), 1, 10_000)
	within("body", float64(o.Body), 1000, 64_000_000)
	within("chunks", float64(o.Chunks), 1, 100_000)
	within("gap (seconds)", o.Gap.Seconds(), 0, 10)
	within("delay (seconds)", o.Delay.Seconds(), 0, 60)
	within("seconds", o.Seconds, 0.01, 600)
	within("rounds", float64(o.Rounds), 1, 100)
	return errors.Join(faults...)
}

func (o *Options) script() stub.Script {
	return stub.Script{Chunks: o.Chunks, Gap: o.Gap, Stream: !o.NoStream, SplitEnd: o.SplitEnd && !o.NoStream}
}

// conversations is how many conversations each user plays while it is measured: a fixed amount of work, so that A and B
// do the same.
func (o *Options) conversations() int {
	turn := max(o.script().Step()+o.Delay, 5*time.Millisecond) // of answers without gaps, a guess on the high side
	return max(1, int(math.Round(o.Seconds/(turn.Seconds()*turnsEach))))
}

// limit is when a client gives up: a machine that is this slow measures nothing.
func (o *Options) limit() time.Duration {
	turns := time.Duration(o.conversations() * turnsEach)
	return time.Minute + 5*turns*(o.script().Step()+o.Delay) + 2*time.Duration(o.Seconds*float64(time.Second))
}

// size is a flag of bytes.
type size int

func (s *size) String() string { return strconv.Itoa(int(*s)) }

// Set implements flag.Value.
func (s *size) Set(text string) error {
	number, unit := strings.TrimSpace(text), 1.0
	for _, u := range []struct {
		name  string
		bytes float64
	}{{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"KB", 1e3}, {"MB", 1e6}, {"B", 1}} {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, unit = strings.TrimSpace(n), u.bytes
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v >= 0 && v*unit < 1<<40) {
		return fmt.Errorf("%q is no size; want a number with B, KB, KiB, MB or MiB", text)
	}
	*s = size(v * unit)
	return nil
}
