package build

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// compileAssemblyScript runs the SDK's builder, which npm installed for the project, without a manifest.
func compileAssemblyScript(ctx context.Context, dir string) ([]byte, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return nil, missing("node", "Node.js 20 or newer, with npm")
	}
	builder, err := above(dir, filepath.Join("node_modules", "paceline", "build.mjs"))
	if err != nil {
		return nil, err
	}
	if builder == "" {
		return nil, errors.New("the project's packages are not installed: run `npm install` in its folder")
	}
	temp, err := os.MkdirTemp("", "paceline-build-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	file := filepath.Join(temp, "plugin.wasm")
	if err := output(exec.CommandContext(ctx, "node", builder, dir, "--no-manifest", "--out", file), "paceline-build"); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}
