package build

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Toolchain is the Go toolchain that builds guests, by its exact name: a toolchain line of go.mod is only a minimum.
const Toolchain = "go1.26.8"

// pinnedGo is everything of the environment that could change a byte of a module.
func pinnedGo() []string {
	return []string{
		"GOTOOLCHAIN=" + Toolchain, "GOEXPERIMENT=", "GOWASM=", "GOFIPS140=off", "GOFLAGS=", "GOENV=off", "GOWORK=off",
		"CGO_ENABLED=0", "GOOS=wasip1", "GOARCH=wasm",
	}
}

// keptGo are the settings that say where things are, none of which reaches a module. Without GOENV the go command would forget
// those that its own file holds, so they are asked for first and passed on.
func keptGo() []string {
	return []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY"}
}

// CompileGo builds the main package of a folder as a module without a manifest: the same bytes on every machine. cache is the
// build cache; empty: the usual one.
func CompileGo(ctx context.Context, folder, cache string) ([]byte, error) {
	if _, err := exec.LookPath("go"); err != nil {
		return nil, missing("go", "Go 1.26 or newer")
	}
	env, err := goEnvironment(ctx, cache)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "paceline-build-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	file := filepath.Join(temp, "plugin.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid=", "-o", file, ".")
	cmd.Dir, cmd.Env = folder, env
	if err := output(cmd, "go build"); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

func goEnvironment(ctx context.Context, cache string) ([]string, error) {
	kept := keptGo()
	out, err := exec.CommandContext(ctx, "go", append([]string{"env"}, kept...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	env := append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, pinnedGo()...)
	values := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	for i, name := range kept {
		value := ""
		if i < len(values) {
			value = values[i]
		}
		if name == "GOCACHE" && cache != "" {
			value = cache
		}
		if value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range []string{"TMPDIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env, nil
}

// output runs a build and tells what it said where it fails.
func output(cmd *exec.Cmd, what string) error {
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", what, err, bytes.TrimSpace(out))
	}
	return nil
}

// missing says what to install.
func missing(program, what string) error {
	return fmt.Errorf("%s is not on PATH: install %s", program, what)
}
