package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"

	"paceline/core/sim"
)

// Options is one experiment, as the flags give it.
type Options struct {
	Preset   string
	Profiles []string
	Users    []int
	Factors  []float64
	Seeds    int
	Length   time.Duration
	Start    Start
	Context  time.Duration
	Out      string
	Workers  int
	quick    bool
	asJSON   bool
}

var errUsage = errors.New("see go run ./bench/meanfull --help")

const help = `Usage: go run ./bench/meanfull [flags]

Plays profiles to the simulated engine in virtual time, whole and by their mean conversation, and compares the throughput.
A KV cache has so many times users x the profile's mean final context.

Examples:
  go run ./bench/meanfull --out /tmp/meanfull.csv          # 720 runs; interrupted, it goes on where it was
  go run ./bench/meanfull --quick
  go run ./bench/meanfull --preset h100-30b-a3b --users 8,48 --start together --json

Flags:
`

// lists are the flags that hold several values.
type lists struct{ profiles, users, factors, start string }

func parse(args []string, errOut io.Writer) (*Options, error) {
	o, l := &Options{}, &lists{}
	fs := flag.NewFlagSet("bench/meanfull", flag.ContinueOnError)
	fs.SetOutput(errOut)
	fs.Usage = func() {
		fmt.Fprint(errOut, help)
		fs.PrintDefaults()
	}
	o.register(fs, l)
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil, err
		}
		return nil, fmt.Errorf("bench/meanfull: bad flags: %w", errUsage)
	}
	if o.quick {
		said := map[string]bool{}
		fs.Visit(func(f *flag.Flag) { said[f.Name] = true })
		quick(o, &l.users, said)
	}
	o.Profiles, o.Start = strings.Split(l.profiles, ","), Start(l.start)
	if err := errors.Join(numbers("--users", l.users, &o.Users), numbers("--kv", l.factors, &o.Factors), o.check(fs)); err != nil {
		return nil, fmt.Errorf("bench/meanfull: %w\n%w", err, errUsage)
	}
	return o, nil
}

func (o *Options) register(fs *flag.FlagSet, l *lists) {
	fs.StringVar(&o.Preset, "preset", "b200x8-671b-a37b", "`name` of the engine's preset, as runner sim presets lists them")
	fs.StringVar(&l.profiles, "profiles", "coding,office", "profiles, by `names`")
	fs.StringVar(&l.users, "users", "8,16,24,32,40,48", "`levels` of users")
	fs.StringVar(&l.factors, "kv", "0.5,1,2", "`sizes` of the KV cache, times users x mean final context")
	fs.IntVar(&o.Seeds, "seeds", 10, "runs of each kind, with the seeds 1 to `N`")
	fs.DurationVar(&o.Length, "length", 2*time.Hour, "virtual `time` of each run; its first fifth is not measured")
	fs.StringVar(&l.start, "start", string(StartSpread), "`how` users start: spread, seeded, over the time of a mean conversation; together; or loose, as spread, with seeded waits in mean replay too")
	fs.DurationVar(&o.Context, "context-token", 0, "`time` that a token of context costs a decode step, in place of the preset's")
	fs.StringVar(&o.Out, "out", "", "CSV `file` with a row for each run; what it has already is not played again")
	fs.IntVar(&o.Workers, "workers", runtime.GOMAXPROCS(0), "runs at the same time")
	fs.BoolVar(&o.quick, "quick", false, "8 and 48 users, 3 seeds, 30 minutes, where nothing else is said")
	fs.BoolVar(&o.asJSON, "json", false, "print one JSON document")
}

func quick(o *Options, users *string, said map[string]bool) {
	if !said["users"] {
		*users = "8,48"
	}
	if !said["seeds"] {
		o.Seeds = 3
	}
	if !said["length"] {
		o.Length = 30 * time.Minute
	}
}

func (o *Options) check(fs *flag.FlagSet) error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	fault(fs.NArg() > 0, "unknown argument %q", fs.Arg(0))
	fault(o.Seeds < 1 || o.Seeds > 1000, "--seeds: %d is outside 1 to 1000", o.Seeds)
	fault(o.Length < time.Minute || o.Length > 100*time.Hour, "--length: %v is outside 1m to 100h", o.Length)
	fault(o.Workers < 1 || o.Workers > 1000, "--workers: %d is outside 1 to 1000", o.Workers)
	fault(o.Start != StartSpread && o.Start != StartTogether && o.Start != StartLoose, "--start: %q is none of spread, together, loose", o.Start)
	fault(o.Context < 0, "--context-token: %v is negative", o.Context)
	return errors.Join(faults...)
}

// numbers reads a list of positive numbers.
func numbers[T int | float64](flag, text string, list *[]T) error {
	for _, part := range strings.Split(text, ",") {
		v, err := strconv.ParseFloat(part, 64)
		if err != nil || !(v > 0 && v <= 10_000) || float64(T(v)) != v {
			return fmt.Errorf("%s: %q is no number between 0 and 10000", flag, part)
		}
		*list = append(*list, T(v))
	}
	return nil
}

// bench reads what all runs share.
func (o *Options) bench() (*Bench, error) {
	preset, err := sim.FindPreset(o.Preset)
	if err != nil {
		return nil, fmt.Errorf("--preset: %w\n%w", err, errUsage)
	}
	if o.Context > 0 {
		preset.Config.Cost.ContextToken = o.Context
	}
	b := &Bench{Preset: preset, Profiles: map[string]*Profile{}, Warmup: o.Length / 5, Measure: o.Length - o.Length/5, Start: o.Start}
	for _, name := range o.Profiles {
		if b.Profiles[name], err = readProfile(name); err != nil {
			return nil, fmt.Errorf("--profiles: %w\n%w", err, errUsage)
		}
	}
	return b, nil
}

// runs lists all runs: for each cell both modes of each seed.
func (o *Options) runs() []Run {
	var list []Run
	for _, profile := range o.Profiles {
		for _, factor := range o.Factors {
			for _, users := range o.Users {
				for seed := range o.Seeds {
					for _, mode := range []Mode{ModeFull, ModeMean} {
						list = append(list, Run{Cell{profile, users, factor}, uint64(seed + 1), mode})
					}
				}
			}
		}
	}
	return list
}
