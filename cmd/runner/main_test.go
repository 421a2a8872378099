package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"paceline/plugins/native"
	"paceline/plugins/store"
	"paceline/plugins/wasmworker"
	"paceline/workloads"
)

// TestMain lets the test binary be the runner of the scripts, and the worker and the guard of that runner, which starts itself.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == wasmworker.Command || os.Args[1] == native.Command) {
		main()
	}
	// Scripts wait for most of their time, so more of them than there are processors go on at once.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"runner": main})
}

// TestScripts plays every script of testdata/script. They share one cache of compiled plugins, have an empty home folder
// and reach nothing but the loopback.
func TestScripts(t *testing.T) {
	cache := warmCache(t)
	std := filepath.Join(t.TempDir(), "mlperf.wasm")
	shipped := store.Store{Std: workloads.Modules()}
	module, err := shipped.Fetch("std/mlperf")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(std, module.Bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	goCache := goCacheDir(t)
	plugins, err := filepath.Abs("testdata/plugins")
	if err != nil {
		t.Fatal(err)
	}
	wire, err := filepath.Abs("testdata/wire")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                "testdata/script",
		RequireUniqueNames: true,
		Cmds:               commands,
		Condition: func(c string) (bool, error) { // shipped:NAME: that plugin is inside this binary
			name, ok := strings.CutPrefix(c, "shipped:")
			if !ok {
				return false, fmt.Errorf("no condition %q", c)
			}
			_, err := fs.Stat(workloads.Modules(), name+"/"+name+".wasm.zst")
			return err == nil, nil
		},
		Setup: func(e *testscript.Env) error {
			for _, name := range []string{"PACELINE_API_KEY", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy"} {
				e.Setenv(name, "")
			}
			e.Setenv("PLUGINS", plugins)
			e.Setenv("STDWASM", std)
			e.Setenv("WIRE", wire)
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("PACELINE_CACHE_DIR", cache)
			e.Setenv("GOCACHE", goCache) // scripts that build a plugin share it
			e.Values[worldKey{}] = &world{TB: e.T().(testing.TB), running: map[string]*running{}}
			return os.Mkdir(filepath.Join(e.WorkDir, "home"), 0o755)
		},
	})
}

// goCacheDir is the Go build cache of this process; empty where there is no Go compiler.
func goCacheDir(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// warmCache compiles the shipped plugins once for all scripts.
func warmCache(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	data := filepath.Join(t.TempDir(), "one.jsonl")
	if err := os.WriteFile(data, []byte(`{"conversation_id":"a","turn":1,"role":"user","content":"hello"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// Nobody listens there, and what a run needs was opened by the time that it is said so.
	cmd := exec.Command("runner", "run", "--target", "http://127.0.0.1:1/v1", "--workload", "std/mlperf/agentic", "--input", "dataset="+data,
		"--out", filepath.Join(t.TempDir(), "none"))
	cmd.Env = []string{"PACELINE_CACHE_DIR=" + dir}
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 4 {
		t.Fatalf("compile the shipped plugins: %v\n%s", err, out)
	}
	return dir
}
