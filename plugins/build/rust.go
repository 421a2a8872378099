package build

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

// rustTarget has no imports of its own, so a module is pure.
const rustTarget = "wasm32-unknown-unknown"

var errNoRust = errors.New("no Rust toolchain with the standard library of " + rustTarget + ": install Debian's rustc, cargo and " +
	"libstd-rust-dev-wasm32, or run rustup target add " + rustTarget)

// compileRust builds the crate of a folder with flags and a profile that give the same bytes wherever the folder lies. What it
// depends on by path must lie within its workspace: cargo names anything else by its absolute path.
func compileRust(ctx context.Context, dir string) ([]byte, error) {
	cargo, rustc, err := rustTools(ctx)
	if err != nil {
		return nil, err
	}
	temp, err := os.MkdirTemp("", "paceline-build-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(temp) }()
	root, err := runCargo(ctx, dir, rustEnvironment(rustc, temp, nil), cargo, "locate-project", "--workspace", "--message-format", "plain")
	if err != nil {
		return nil, err
	}
	workspace := filepath.Dir(strings.TrimSpace(string(root)))
	args := []string{"build", "--quiet", "--release", "--target", rustTarget}
	if _, err := os.Stat(filepath.Join(workspace, "Cargo.lock")); err == nil {
		args = append(args, "--locked")
	}
	env := rustEnvironment(rustc, temp, []string{
		"-Ctarget-feature=+bulk-memory", "--remap-path-prefix=" + cargoHome() + "=/cargo", "--remap-path-prefix=" + workspace + "=/plugin",
	})
	if _, err := runCargo(ctx, dir, env, cargo, args...); err != nil {
		return nil, err
	}
	made, err := filepath.Glob(filepath.Join(escapeGlob(temp), rustTarget, "release", "*.wasm"))
	if err != nil {
		return nil, err
	}
	if len(made) != 1 {
		return nil, fmt.Errorf(`cargo made %d modules, and 1 is expected: the crate needs crate-type = ["cdylib"] under [lib]`, len(made))
	}
	return os.ReadFile(made[0])
}

// rustTools gives cargo and rustc of one toolchain that has the target: those on PATH, or the system's.
func rustTools(ctx context.Context) (cargo, rustc string, err error) {
	for _, dir := range []string{"", "/usr/bin"} {
		cargo, noCargo := exec.LookPath(filepath.Join(dir, "cargo"))
		rustc, noRustc := exec.LookPath(filepath.Join(dir, "rustc"))
		if noCargo != nil || noRustc != nil {
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

func runCargo(ctx context.Context, dir string, env []string, cargo string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, cargo, args...)
	cmd.Dir, cmd.Env = dir, env
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

// rustEnvironment is what cargo gets to see: where things are, and everything that could change a byte of a module. A wrapper or
// flags of the user's own configuration are set aside.
func rustEnvironment(rustc, target string, flags []string) []string {
	env := []string{
		"RUSTC=" + rustc, "RUSTC_WRAPPER=", "CARGO_ENCODED_RUSTFLAGS=" + strings.Join(flags, "\x1f"), "CARGO_TARGET_DIR=" + target,
		"CARGO_INCREMENTAL=0", "CARGO_PROFILE_RELEASE_PANIC=abort", "CARGO_PROFILE_RELEASE_LTO=true", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1",
		"CARGO_PROFILE_RELEASE_STRIP=symbols", "CARGO_PROFILE_RELEASE_DEBUG=0",
	}
	for _, name := range []string{"PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN", "CARGO_NET_OFFLINE", "TMPDIR",
		"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"} {
		if value := os.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}
