package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A module of another compiler gets its manifest and nothing else.
func TestModuleOfAnotherCompiler(t *testing.T) {
	dir, out := filepath.Join(t.TempDir(), "hello"), t.TempDir()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(out, "compiled")
	for name, text := range map[string]string{filepath.Join(dir, "manifest.json"): ` {"name": "hello"} `, module: empty} {
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
	names, err := customSections(made)
	if err != nil || !slices.Equal(names, []string{"paceline.manifest"}) || !strings.HasSuffix(string(made), `{"name":"hello"}`) {
		t.Errorf("got %q, sections %q, error %v", made, names, err)
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
