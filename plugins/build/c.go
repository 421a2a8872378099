package build

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// cMakefile is where a project has the C SDK, and where the SDK's own examples have it.
func cMakefile(dir string) (string, error) {
	for _, name := range []string{filepath.Join("sdk", "include", "paceline.h"), filepath.Join("include", "paceline.h")} {
		header, err := above(dir, name)
		if err != nil {
			return "", err
		}
		if header != "" {
			return filepath.Join(filepath.Dir(filepath.Dir(header)), "Makefile"), nil
		}
	}
	return "", errors.New("no C SDK: neither the project nor a folder above it has sdk/include/paceline.h (`runner plugin new --lang c` brings it)")
}

// compileC runs the SDK's Makefile on a folder, in a folder of its own.
func compileC(ctx context.Context, dir string) ([]byte, error) {
	makefile, err := cMakefile(dir)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("make"); err != nil {
		return nil, missing("make", "make")
	}
	compiler := os.Getenv("WASM_CC")
	if compiler == "" {
		if compiler, err = wasmCompiler(); err != nil {
			return nil, err
		}
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "paceline-build-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	file := filepath.Join(temp, filepath.Base(dir)+".module.wasm")
	cmd := exec.CommandContext(ctx, "make", "--silent", "-f", makefile, "PLUGIN="+dir, "OUT="+temp, "WASM_CC="+compiler, file)
	if err := output(cmd, "make"); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// wasmCompiler is a C compiler with a linker for WebAssembly.
func wasmCompiler() (string, error) {
	_, noClang := exec.LookPath("clang")
	_, noLinker := exec.LookPath("wasm-ld")
	if noClang == nil && noLinker == nil {
		return "clang", nil
	}
	if _, err := exec.LookPath("zig"); err == nil {
		return "zig cc", nil
	}
	return "", missing("clang with wasm-ld", "clang and lld, or zig, or name a compiler in WASM_CC, e.g. WASM_CC='python3 -m ziglang cc'")
}
