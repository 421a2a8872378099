package main

import (
	"path/filepath"
	"testing"
)

func TestModuleOfAnotherCompilerRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, err := range map[string]error{
		"two folders": run(t.Context(), "/", dir, true, false, "compiled.wasm", []string{dir, dir}),
		"-check":      run(t.Context(), "/", dir, true, true, "compiled.wasm", []string{dir}),
		"no module":   run(t.Context(), "../..", dir, true, false, filepath.Join(dir, "compiled.wasm"), []string{"sdk/c/examples/echo"}),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
