package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// rustTarget has no imports of its own, so that a module is pure.
const rustTarget = "wasm32-unknown-unknown"

// errNoRust says how to get a toolchain.
var errNoRust = errors.New("no Rust toolchain with the standard library of " + rustTarget + ": install Debian's rustc, cargo and " +
	"libstd-rust-dev-wasm32, or run rustup target add " + rustTarget)

// isRust reports whether a plugin's folder is a Rust crate.
func isRust(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "Cargo.toml"))
	return err == nil
}

// rustTools gives cargo and rustc of one toolchain that has the target: those in PATH, or the system's.
func rustTools(ctx context.Context) (cargo, rustc string, err error) {
	for _, dir := range []string{"", "/usr/bin"} {
		cargo, err1 := exec.LookPath(filepath.Join(dir, "cargo"))
		rustc, err2 := exec.LookPath(filepath.Join(dir, "rustc"))
		if err1 != nil || err2 != nil {
			continue
		}
		out, err := exec.CommandContext(ctx, rustc, "--print", "target-libdir", "--target", rustTarget).Output()
		if err != nil {
			continue
		}
		if libs, err := os.ReadDir(strings.TrimSpace(string(out))); err == nil && len(libs) > 0 {
			return cargo, rustc, nil
		}
	}
	return "", "", errNoRust
}

// compileRust builds the crate in folder with flags and profile that give the same bytes wherever the folder lies. What it
// depends on by path must lie within its workspace: cargo names anything else by its absolute path.
func compileRust(ctx context.Context, folder, file string) error {
	cargo, rustc, err := rustTools(ctx)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "paceline-rust-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	root, err := rustCommand(ctx, folder, rustEnvironment(rustc, temp, nil), cargo, "locate-project", "--workspace", "--message-format", "plain")
	if err != nil {
		return err
	}
	workspace := filepath.Dir(strings.TrimSpace(string(root)))
	args := []string{"build", "--quiet", "--release", "--target", rustTarget}
	if _, err := os.Stat(filepath.Join(workspace, "Cargo.lock")); err == nil {
		args = append(args, "--locked")
	}
	env := rustEnvironment(rustc, temp, []string{
		"-Ctarget-feature=+bulk-memory", "--remap-path-prefix=" + cargoHome() + "=/cargo", "--remap-path-prefix=" + workspace + "=/plugin",
	})
	if _, err := rustCommand(ctx, folder, env, cargo, args...); err != nil {
		return err
	}
	made, err := filepath.Glob(filepath.Join(temp, rustTarget, "release", "*.wasm"))
	if err != nil {
		return err
	}
	if len(made) != 1 {
		return fmt.Errorf("cargo made %d modules, want 1: the crate needs crate-type = [\"cdylib\"] under [lib]", len(made))
	}
	module, err := os.ReadFile(made[0])
	if err != nil {
		return err
	}
	return os.WriteFile(file, module, 0o644)
}

func rustCommand(ctx context.Context, folder string, env []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = folder, env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("cargo %s: %w\n%s", args[0], err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

func cargoHome() string {
	if home := os.Getenv("CARGO_HOME"); home != "" {
		return home
	}
	return filepath.Join(os.Getenv("HOME"), ".cargo")
}

// rustEnvironment is what cargo gets to see: where things are, and everything that could change a byte of a module. A
// wrapper or flags of the user's own configuration are set aside.
func rustEnvironment(rustc, target string, flags []string) []string {
	env := []string{
		"RUSTC=" + rustc, "RUSTC_WRAPPER=", "CARGO_ENCODED_RUSTFLAGS=" + strings.Join(flags, "\x1f"), "CARGO_TARGET_DIR=" + target,
		"CARGO_INCREMENTAL=0", "CARGO_PROFILE_RELEASE_PANIC=abort", "CARGO_PROFILE_RELEASE_LTO=true", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1",
		"CARGO_PROFILE_RELEASE_STRIP=symbols", "CARGO_PROFILE_RELEASE_DEBUG=0",
	}
	for _, name := range []string{"PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "TMPDIR", "HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY",
		"SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
