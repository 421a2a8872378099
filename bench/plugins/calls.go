package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"google.golang.org/grpc"

	"paceline/plugins/host"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// sizes of the messages, and how many calls of each make one round.
var sizes = []struct{ bytes, calls int }{{100, 500}, {10_000, 300}, {1_000_000, 12}} //nolint:gochecknoglobals // a table

// Call is what calls of one size cost by one way.
type Call struct {
	Bytes  int     `json:"bytes"`
	Way    string  `json:"way"`
	Median float64 `json:"median_us"`
	Least  float64 `json:"min_us"`
}

// bouncer is the scorer in this process.
type bouncer struct{ pb.UnimplementedScorerServer }

// FoldScore gives back the account.
func (bouncer) FoldScore(_ context.Context, r *pb.FoldRequest) (*pb.FoldResponse, error) {
	return &pb.FoldResponse{Account: r.GetAccount()}, nil
}

// allWays readies every way. The host must outlive them.
func allWays(ctx context.Context, h *host.Host, dir string) (*ways, error) {
	w := &ways{}
	native, err := loadNative(ctx, h, dir)
	if err != nil {
		return w, err
	}
	module, err := h.Load(host.Module{Name: "bench/bounce", Bytes: echoModule()})
	if err != nil {
		return w, err
	}
	plain, err := build(ctx, dir, "paceline/bench/plugins/plain")
	if err != nil {
		return w, err
	}
	inside := host.InProcess("bench/inside", module.Manifest(), nil, func(r grpc.ServiceRegistrar) { pb.RegisterScorerServer(r, bouncer{}) })
	for _, add := range []func() error{
		func() error { return w.addPipe(ctx) },
		func() error { return w.addWazero(ctx) },
		func() error { return w.addComponent(ctx, "our worker", module, nil) },
		func() error { return w.addPlain(ctx, plain) },
		func() error { return w.addComponent(ctx, "our native", native, sendOpen) },
		func() error { return w.addComponent(ctx, "in process", inside, nil) },
	} {
		if err := add(); err != nil {
			return w, err
		}
	}
	return w, nil
}

// measureCalls lets every way have its turn in each round, so that whatever else the machine does hits all of them.
func measureCalls(ctx context.Context, w *ways, rounds int) ([]Call, error) {
	var list []Call
	for _, size := range sizes {
		data := make([]byte, size.bytes)
		took := make([][]float64, len(w.list))
		for round := range rounds + 1 {
			for i, m := range w.list {
				began := time.Now()
				for range size.calls {
					if err := m.call(ctx, data); err != nil {
						return nil, fmt.Errorf("%s, %d bytes: %w", m.name, size.bytes, err)
					}
				}
				if round > 0 { // the first one warms up
					took[i] = append(took[i], float64(time.Since(began).Nanoseconds())/1e3/float64(size.calls))
				}
			}
		}
		for i, m := range w.list {
			list = append(list, Call{Bytes: size.bytes, Way: m.name, Median: median(took[i]), Least: slices.Min(took[i])})
		}
	}
	return list, nil
}

func median(list []float64) float64 {
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}

// Ratio compares a way with what it stands on.
type Ratio struct {
	Bytes int     `json:"bytes"`
	Of    string  `json:"of"`
	Value float64 `json:"value"`
	Aim   float64 `json:"aim"`
}

// ratios are those that have an aim.
func ratios(calls []Call) []Ratio {
	var list []Ratio
	for _, size := range sizes {
		at := map[string]float64{}
		for _, c := range calls {
			if c.Bytes == size.bytes {
				at[c.Way] = c.Median
			}
		}
		list = append(list,
			Ratio{size.bytes, "our worker / (bare pipe + bare wazero)", at["our worker"] / (at["bare pipe"] + at["bare wazero"]), 2},
			Ratio{size.bytes, "our native / plain go-plugin", at["our native"] / at["plain go-plugin"], 1.2})
	}
	return list
}

func printCalls(out io.Writer, calls []Call) {
	fmt.Fprintf(out, "%-10s %-18s %12s %12s\n", "bytes", "way", "median us", "min us")
	for _, c := range calls {
		fmt.Fprintf(out, "%-10d %-18s %12.1f %12.1f\n", c.Bytes, c.Way, c.Median, c.Least)
	}
	fmt.Fprintln(out)
	for _, r := range ratios(calls) {
		fmt.Fprintf(out, "%-10d %-40s %6.2f (aim: at most %.1f)\n", r.Bytes, r.Of, r.Value, r.Aim)
	}
}

// newHost makes a host whose compiled code lies below dir.
func newHost(dir string) (*host.Host, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return host.New(host.Options{CacheDir: dir})
}

// defaultLimits are those of a run.
func defaultLimits() lock.Limits { return lock.Limits{}.WithDefaults() }
