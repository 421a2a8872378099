// Package rust holds the SDK for Rust to the contract, in tests only: its example against that in Go, its codec against
// protobuf's, and a plugin that fails in every way. The tests build what they need unless a variable names a module that is
// built already, and skip where there is no toolchain.
package rust

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"paceline/plugins/host"
	"paceline/plugins/wasmworker"
)

// root is the root of the repository.
const root = "../../.."

// TestMain lets the test binary be the worker.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == wasmworker.Command {
		os.Exit(wasmworker.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// module gives the module of a crate below sdk/rust: the file that the variable names, or one that is built here.
func module(tb testing.TB, crate, variable string) []byte {
	tb.Helper()
	file := os.Getenv(variable)
	if file == "" {
		if testing.Short() {
			tb.Skip("builds a module")
		}
		dir := tb.TempDir()
		cmd := exec.CommandContext(tb.Context(), "go", "run", "./wasmbuild", "-raw", "-out", dir, filepath.Join("sdk/rust", crate))
		cmd.Dir = filepath.Join(root, "tools")
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); bytes.Contains(out, []byte("no Rust toolchain")) {
			tb.Skipf("cannot build %s: %s", crate, out)
		} else if err != nil {
			tb.Fatalf("build %s: %v\n%s", crate, err, out)
		}
		file = filepath.Join(dir, filepath.Base(crate)+".wasm")
	}
	code, err := os.ReadFile(file)
	if err != nil {
		tb.Fatal(err)
	}
	return code
}

func echoModule(tb testing.TB) []byte {
	tb.Helper()
	return module(tb, "examples/echo", "PACELINE_RUST_ECHO")
}

func everyModule(tb testing.TB) []byte {
	tb.Helper()
	return module(tb, "tests/every", "PACELINE_RUST_EVERY")
}

// load loads a module as the runner does.
func load(tb testing.TB, code []byte, opts host.Options) *host.Plugin {
	tb.Helper()
	opts.NoCache = true
	h, err := host.New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := h.Close(); err != nil || h.Workers() != 0 {
			tb.Errorf("%v, %d processes are left", err, h.Workers())
		}
	})
	p, err := h.Load(host.Module{Name: "test/rust", Path: "rust.wasm", Bytes: code})
	if err != nil {
		tb.Fatal(err)
	}
	return p
}
