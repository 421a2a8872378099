package conformance

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"paceline/plugins/build"
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
	for _, name := range []string{"std/bfcl", "std/checks", "std/codeqa", "std/import", "std/mlperf", "std/profiles"} {
		t.Run(strings.TrimPrefix(name, "std/"), func(t *testing.T) {
			t.Parallel()
			module, err := (&store.Store{Std: workloads.Modules()}).Fetch(name)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Name: name, Load: wasm(name, module.Bytes), Host: host.Options{CacheDir: cache}, Config: map[string]json.RawMessage{}}
			switch name {
			case "std/bfcl":
				o.Inputs = map[string]string{"questions": "../../workloads/bfcl/testdata/questions.jsonl", "answers": "../../workloads/bfcl/testdata/answers.jsonl"}
			case "std/import": // one of lengths, and one with an index of spans; the others are opened without
				o.Inputs = map[string]string{"trie:trace": "../../workloads/import/trie/testdata/small.jsonl", "otel:trace": "../../workloads/import/otel/testdata/otlp.json"}
			case "std/mlperf":
				o.Inputs = map[string]string{"dataset": dataset}
			}
			r := hold(t, o)
			if n := r.Count(Failed); n > 0 {
				t.Errorf("%d checks failed", n)
			}
		})
	}
}

// TestGoExample: the example echo passes as a module and as an executable.
func TestGoExample(t *testing.T) {
	whole(t)
	text := filepath.Join(t.TempDir(), "lines.txt")
	if err := os.WriteFile(text, []byte("one\n\n\"two\"\r\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	module, err := build.Build(t.Context(), build.Options{Dir: "../../sdk/examples/echo", Lang: build.Auto, Out: filepath.Join(t.TempDir(), "echo.wasm")})
	if err != nil {
		t.Fatal(err)
	}
	executable := filepath.Join(t.TempDir(), "echo")
	if out, err := exec.Command("go", "build", "-o", executable, "paceline/sdk/native/examples/echo").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	manifest, err := exec.Command(executable, "manifest", "Apache-2.0").Output()
	if err == nil {
		err = os.WriteFile(executable+".manifest.json", manifest, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{"module": module.File, "executable": executable} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fetched, err := (&store.Store{}).Fetch(file)
			if err != nil {
				t.Fatal(err)
			}
			o := Options{Name: "test/echo", SHA256: fetched.Digest, Load: wasm("test/echo", fetched.Bytes), Host: host.Options{NoCache: true}, Inputs: map[string]string{"text": text}}
			if fetched.Native != nil {
				o.Load = func(h *host.Host) (*host.Plugin, error) {
					return h.LoadNative(host.NativeModule{Name: "test/echo", Path: fetched.Path, Code: fetched.Bytes, Manifest: fetched.Native.Manifest})
				}
			} else {
				o.Host = host.Options{CacheDir: filepath.Join(t.TempDir(), "wasm")}
			}
			r := hold(t, o)
			if n := r.Count(Failed); n > 0 || r.Count(OK) < 40 {
				t.Errorf("%d checks failed, %d were ok", n, r.Count(OK))
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
