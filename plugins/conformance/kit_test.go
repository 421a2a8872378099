package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paceline/plugins/host"
	"paceline/plugins/store"
	"paceline/workloads"
	"paceline/workloads/mlperf/demo"
)

// hold runs the kit on a plugin and shows its report.
func hold(t *testing.T, o Options) *Report {
	t.Helper()
	o.OnResult = func(r Result) { t.Logf("%s (%v)", r.Line(), r.Took.Round(1e6)) }
	o.NoEmulation = "not in this test"
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wasm loads a module from its bytes.
func wasm(name string, module []byte) func(*host.Host) (*host.Plugin, error) {
	return func(h *host.Host) (*host.Plugin, error) {
		return h.Load(host.Module{Name: name, Path: name + ".wasm", Bytes: module})
	}
}

// TestShippedPlugins: each passes every check that applies to it.
func TestShippedPlugins(t *testing.T) {
	whole(t)
	dataset := filepath.Join(t.TempDir(), "demo.jsonl")
	if err := os.WriteFile(dataset, []byte(demo.Dataset()), 0o600); err != nil {
		t.Fatal(err)
	}
	cache := filepath.Join(t.TempDir(), "wasm") // not there yet: it is made private
	for _, name := range []string{"std/checks", "std/codeqa", "std/mlperf"} {
		t.Run(strings.TrimPrefix(name, "std/"), func(t *testing.T) {
			t.Parallel()
			module, err := (&store.Store{Std: workloads.Modules()}).Fetch(name)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Name: name, Load: wasm(name, module.Bytes), Host: host.Options{CacheDir: cache}, Config: map[string]json.RawMessage{}}
			if name == "std/mlperf" {
				o.Inputs = map[string]string{"dataset": dataset}
			}
			r := hold(t, o)
			if n := r.Count(Failed); n > 0 {
				t.Errorf("%d checks failed", n)
			}
		})
	}
}

// whole skips a test that takes long.
func whole(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the whole kit, which takes a while")
	}
}
