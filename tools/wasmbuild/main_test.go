package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A module of another compiler gets its manifest and nothing else.
func TestModuleOfAnotherCompiler(t *testing.T) {
	const compiled = "\x00asm\x01\x00\x00\x00"
	const manifest = `{"schema": "paceline/manifest/v1", "name": "hello", "version": "0.1.0", "contract": 1, "license": "Apache-2.0",
		"components": [{"kind": "workload", "name": "greet", "purity": "pure"}]}`
	dir, out := filepath.Join(t.TempDir(), "hello"), t.TempDir()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(out, "compiled")
	for name, text := range map[string]string{filepath.Join(dir, "manifest.json"): manifest, module: compiled} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := run(t.Context(), "/", out, true, false, module, []string{dir}); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadFile(filepath.Join(out, "hello.wasm"))
	if err != nil {
		t.Fatal(err)
	}
	section, ok := strings.CutPrefix(string(made), compiled+"\x00")
	if !ok || strings.Count(section, "paceline.manifest") != 1 || !strings.Contains(section, `"name":"hello"`) {
		t.Errorf("got %q", made)
	}
	for name, err := range map[string]error{
		"two folders": run(t.Context(), "/", out, true, false, module, []string{dir, dir}),
		"-check":      run(t.Context(), "/", out, true, true, module, []string{dir}),
		"no module":   run(t.Context(), "/", out, true, false, module+"x", []string{dir}),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
