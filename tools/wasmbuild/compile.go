package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// toolchain is pinned by its exact name: a toolchain line of go.mod is only a minimum.
const toolchain = "go1.26.8"

// pinned is everything of the environment that could change a byte of a module.
var pinned = []string{
	"GOTOOLCHAIN=" + toolchain, "GOEXPERIMENT=", "GOWASM=", "GOFIPS140=off", "GOFLAGS=", "GOENV=off", "GOWORK=off",
	"CGO_ENABLED=0", "GOOS=wasip1", "GOARCH=wasm",
}

// kept are the settings that say where things are, none of which reaches a module. Without GOENV the go command would
// forget those that its own file holds, so they are asked for first and passed on.
var kept = []string{"GOCACHE", "GOMODCACHE", "GOPATH", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOPRIVATE", "GONOPROXY"}

func compile(ctx context.Context, folder, file, cache string) error {
	env, err := environment(ctx, cache)
	if err != nil {
		return err
	}
	file, err = filepath.Abs(file)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid=", "-o", file, ".")
	cmd.Dir = folder
	cmd.Env = env
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

func environment(ctx context.Context, cache string) ([]string, error) {
	out, err := exec.CommandContext(ctx, "go", append([]string{"env"}, kept...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	env := append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME")}, pinned...)
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
