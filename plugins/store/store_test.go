package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"paceline/core/digest"
	"paceline/plugins/lock"
	"paceline/plugins/store"
)

func packed(t *testing.T, data []byte) *fstest.MapFile {
	t.Helper()
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	return &fstest.MapFile{Data: w.EncodeAll(data, nil)}
}

func TestSplit(t *testing.T) {
	tests := []struct{ full, plugin, component string }{
		{"std/mlperf/agentic", "std/mlperf", "agentic"},
		{"mlperf/agentic", "std/mlperf", "agentic"},
		{"./mine.wasm/agentic", "./mine.wasm", "agentic"},
		{"/a/b/mine.wasm/x", "/a/b/mine.wasm", "x"},
		{"mine.wasm/x", "mine.wasm", "x"},
	}
	for _, test := range tests {
		plugin, component, err := store.Split(test.full)
		if err != nil || plugin != test.plugin || component != test.component {
			t.Errorf("%s: got %q, %q, %v", test.full, plugin, component, err)
		}
	}
	for _, bad := range []string{"", "agentic", "/agentic", "std/mlperf/", "dir/mine.wasm"} {
		if plugin, component, err := store.Split(bad); err == nil {
			t.Errorf("%q: got %q, %q", bad, plugin, component)
		}
	}
}

func TestFetch(t *testing.T) {
	module := []byte("the bytes of a module")
	sum := digest.Of(module)
	path := filepath.Join(t.TempDir(), "mine.wasm")
	if err := os.WriteFile(path, module, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &store.Store{
		Std: fstest.MapFS{
			"mlperf.wasm.zst": packed(t, module), "mlperf.wasm.sha256": {Data: []byte(sum.String() + "  mlperf.wasm\n")},
			"deep/deep.wasm.zst": packed(t, module), "deep/deep.wasm.sha256": {Data: []byte(sum.String())},
			"bad.wasm.zst": packed(t, []byte("other")), "bad.wasm.sha256": {Data: []byte(sum.String())},
			"cut.wasm.zst": {Data: packed(t, module).Data[:9]}, "cut.wasm.sha256": {Data: []byte(sum.String())},
			"x/y/no.wasm.zst": packed(t, module),
		},
		Dev: map[string]string{"dev": path},
	}
	for name, want := range map[string]store.Module{
		"std/mlperf": {Name: "std/mlperf", Source: "std", Path: "mlperf.wasm.zst", Official: true},
		"mlperf":     {Name: "std/mlperf", Source: "std", Path: "mlperf.wasm.zst", Official: true},
		"deep":       {Name: "std/deep", Source: "std", Path: "deep/deep.wasm.zst", Official: true},
		"std/dev":    {Name: "std/dev", Source: "file", Path: path},
		path:         {Name: path, Source: "file", Path: path, Official: true},
	} {
		want.Bytes, want.Digest = module, sum
		got, err := s.Fetch(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for name, want := range map[string]string{"bad": "ships with it", "cut": "std/cut", "../x/y": "no such file", "x/y": "no plugin x/y", "none": "shipped ones: std/bad, std/cut, std/deep, std/mlperf"} {
		if _, err := s.Fetch(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", name, err, want)
		}
	}
	if _, err := s.Fetch("none"); err != nil {
		if _, ok := errors.AsType[*store.NotFoundError](err); !ok {
			t.Errorf("got a %T", err)
		}
	}
	m, _ := s.Fetch("mlperf")
	want := lock.Plugin{Name: "std/mlperf", Source: "std", Version: "1.0.0", Official: true, Limits: lock.DefaultLimits(),
		Files: []lock.File{{Name: "mlperf.wasm", Size: int64(len(module)), SHA256: sum}}}
	if diff := cmp.Diff(want, m.Entry("1.0.0", nil, lock.Limits{})); diff != "" {
		t.Error(diff)
	}
}

func TestInput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.jsonl")
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := store.OpenInput(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if in.Size != 3 || in.SHA256 != digest.Of([]byte("abc")) {
		t.Errorf("got %d bytes, %s", in.Size, in.SHA256)
	}
	if err := in.Unchanged(); err != nil {
		t.Error(err)
	}
	later := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if err := in.Unchanged(); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("after a change: got %v", err)
	}
	if _, err := store.OpenInput(filepath.Dir(path)); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a folder: got %v", err)
	}
	if _, err := store.OpenInput(path + ".none"); err == nil {
		t.Error("a missing file is opened")
	}
}
