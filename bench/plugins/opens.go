package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"paceline/plugins/host"
	"paceline/plugins/lock"
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

// module is a plugin's bytes; an executable has a manifest beside it.
type module struct {
	name, file string
	bytes      []byte
	manifest   *lock.Manifest
}

// load loads it as a run would.
func (m module) load(h *host.Host) (*host.Plugin, error) {
	if m.manifest != nil {
		return h.LoadNative(host.NativeModule{Name: "bench/open", Path: m.file, Code: m.bytes, Manifest: m.manifest})
	}
	return h.Load(host.Module{Name: "bench/open", Bytes: m.bytes})
}

// manifestOf reads the manifest beside an executable; nil for a module.
func manifestOf(file string) (*lock.Manifest, error) {
	said, err := os.ReadFile(file + ".manifest.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return lock.ParseManifest(said)
}

// modulesOf are the hand-written guest, the shipped plugin in Go, and those of the flags.
func modulesOf(o *Options) ([]module, error) {
	shipped := store.Store{Std: workloads.Modules()}
	std, err := shipped.Fetch("std/mlperf")
	if err != nil {
		return nil, err
	}
	list := []module{{name: "go (std/mlperf)", bytes: std.Bytes}}
	for _, m := range o.Modules {
		code, err := os.ReadFile(m.file)
		if err != nil {
			return nil, err
		}
		manifest, err := manifestOf(m.file)
		if err != nil {
			return nil, err
		}
		list = append(list, module{m.name, m.file, code, manifest})
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
	p, err := m.load(h)
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
