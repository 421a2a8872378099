package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"paceline/plugins/host"
	"paceline/plugins/store"
	"paceline/plugins/wire"
	"paceline/workloads"
)

// Open is how long a plugin takes from its bytes to its description: worker, compiling, first instance, Describe.
type Open struct {
	Language string  `json:"language"`
	Bytes    int     `json:"bytes"`
	Cold     float64 `json:"cold_median_ms"`
	Warm     float64 `json:"warm_median_ms"`
}

func measureOpens(ctx context.Context, o *Options, dir string) ([]Open, error) {
	modules, err := modulesOf(o)
	if err != nil {
		return nil, err
	}
	var list []Open
	for _, m := range modules {
		var cold, warm []float64
		for i := range o.Opens {
			cache := filepath.Join(dir, fmt.Sprintf("open-%s-%d", m.name, i))
			for _, to := range []*[]float64{&cold, &warm} {
				took, err := openOnce(ctx, cache, m)
				if err != nil {
					return nil, fmt.Errorf("open %s: %w", m.name, err)
				}
				*to = append(*to, took)
			}
		}
		list = append(list, Open{m.name, len(m.bytes), median(cold), median(warm)})
	}
	return list, nil
}

// module is a plugin's bytes.
type module struct {
	name  string
	bytes []byte
}

// modulesOf are the hand-written guest, the shipped plugin in Go, and those of the flags.
func modulesOf(o *Options) ([]module, error) {
	shipped := store.Store{Std: workloads.Modules()}
	std, err := shipped.Fetch("std/mlperf")
	if err != nil {
		return nil, err
	}
	list := []module{{"go (std/mlperf)", std.Bytes}}
	for _, m := range o.Modules {
		code, err := os.ReadFile(m.file)
		if err != nil {
			return nil, err
		}
		list = append(list, module{m.name, code})
	}
	return list, nil
}

func openOnce(ctx context.Context, cache string, m module) (float64, error) {
	h, err := newHost(cache)
	if err != nil {
		return 0, err
	}
	defer func() { _ = h.Close() }()
	began := time.Now()
	p, err := h.Load(host.Module{Name: "bench/open", Bytes: m.bytes})
	if err != nil {
		return 0, err
	}
	if _, err := wire.LoadWithin(ctx, p, defaultLimits()); err != nil {
		return 0, err
	}
	return float64(time.Since(began).Microseconds()) / 1e3, nil
}

func printOpens(out io.Writer, list []Open) {
	fmt.Fprintf(out, "%-20s %12s %14s %14s\n", "plugin", "bytes", "cold ms", "warm ms")
	for _, o := range list {
		fmt.Fprintf(out, "%-20s %12d %14.1f %14.1f\n", o.Language, o.Bytes, o.Cold, o.Warm)
	}
}
