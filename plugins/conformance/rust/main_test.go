// Package rust holds the SDK for Rust to the contract, in tests only: its example against that in Go, its codec against
// protobuf's, and a plugin that fails in every way. The tests build what they need unless a variable names a module that is
// built already, and skip where there is no toolchain.
package rust

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
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

// The modules of crates below sdk/rust, each built once at most.
var (
	echo  = sync.OnceValues(func() ([]byte, error) { return module("examples/echo", "PACELINE_RUST_ECHO") })
	every = sync.OnceValues(func() ([]byte, error) { return module("tests/every", "PACELINE_RUST_EVERY") })
)

// errNoToolchain is the builder's error, for tests to skip with.
var errNoToolchain = errors.New("no Rust toolchain")

// module gives the module that the variable names, or builds the crate.
func module(crate, variable string) ([]byte, error) {
	file := os.Getenv(variable)
	if file == "" {
		if testing.Short() {
			return nil, fmt.Errorf("%w is started for short tests: set %s", errNoToolchain, variable)
		}
		dir, err := os.MkdirTemp("", "rust")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		cmd := exec.Command("go", "run", "./wasmbuild", "-raw", "-out", dir, filepath.Join("sdk/rust", crate))
		cmd.Dir = filepath.Join(root, "tools")
		cmd.Env = append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); bytes.Contains(out, []byte(errNoToolchain.Error())) {
			return nil, fmt.Errorf("%w to build %s with: %s", errNoToolchain, crate, out)
		} else if err != nil {
			return nil, fmt.Errorf("build %s: %w\n%s", crate, err, out)
		}
		file = filepath.Join(dir, filepath.Base(crate)+".wasm")
	}
	return os.ReadFile(file)
}

// get gives a module, or skips the test where it cannot be built here.
func get(tb testing.TB, built func() ([]byte, error)) []byte {
	tb.Helper()
	code, err := built()
	switch {
	case errors.Is(err, errNoToolchain):
		tb.Skip(err)
	case err != nil:
		tb.Fatal(err)
	}
	return code
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
