package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"paceline/plugins/conformance"
	"paceline/plugins/host"
	"paceline/plugins/store"
	"paceline/plugins/wasmworker"
	"paceline/workloads/mlperf/demo"
)

// pluginTest is one `plugin test` command line.
type pluginTest struct {
	junit, config, arm64 string
	inputs               []string
	allowNative, asJSON  bool
}

func (a *app) pluginTestCommand() *cobra.Command {
	var t pluginTest
	c := &cobra.Command{
		Use:   "test PATH",
		Short: "Hold a plugin to the contract and report every check",
		Long: "Runs the conformance suite on a wasm module, a native executable or a shipped plugin: the contract and its limits,\n" +
			"determinism over instances, batches, workers and engines, and what wrong configurations, hostile inputs and hostile\n" +
			"answers do. It needs no target and no network, and ends with code 3 where a check failed.",
		Example: "  runner plugin test ./acme.wasm --input text=lines.txt\n" +
			"  runner plugin test std/mlperf --junit report.xml",
		Args: exactly("PATH"),
		RunE: func(c *cobra.Command, args []string) error { return a.pluginTest(c.Context(), args[0], &t) },
	}
	fl := c.Flags()
	fl.StringVar(&t.junit, "junit", "", "also write a JUnit XML `FILE`")
	fl.StringArrayVar(&t.inputs, "input", nil, "input of a workload, `name=FILE`; may be repeated")
	fl.StringVar(&t.config, "config", "", "JSON `FILE` with an object for each component that needs a configuration, by its name")
	fl.BoolVar(&t.allowNative, "allow-native", false, "let a native plugin run, outside of the sandbox, with the capabilities that it asks for")
	fl.StringVar(&t.arm64, "arm64", "", "a runner built for linux/arm64, `FILE`: compare with it under qemu-aarch64")
	fl.BoolVar(&t.asJSON, "json", false, "write JSON")
	return c
}

func (a *app) pluginTest(ctx context.Context, path string, t *pluginTest) error {
	name := path
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && !store.IsFile(name) {
		name = "./" + name
	}
	o, done, err := a.testOptions(ctx, name, t)
	if err != nil {
		return err
	}
	defer done()
	if !t.asJSON {
		o.OnResult = func(r conformance.Result) { fmt.Fprintln(a.Stdout, r.Line()) }
	}
	report, err := conformance.Run(ctx, *o)
	if err != nil {
		return err
	}
	if t.junit != "" {
		var b bytes.Buffer
		if err := report.WriteJUnit(&b); err != nil {
			return err
		}
		if err := writeWhole(t.junit, b.Bytes(), 0o644); err != nil {
			return fmt.Errorf("--junit: %w", err)
		}
	}
	if t.asJSON {
		err = writeJSON(a.Stdout, report)
	} else {
		err = report.WriteSummary(a.Stdout)
	}
	if n := report.Count(conformance.Failed); err == nil && n > 0 {
		return fail(exitInput, fmt.Errorf("plugin %s: %s failed", name, plural(n, "check")))
	}
	return err
}

// testOptions readies a test; done removes what it made.
func (a *app) testOptions(ctx context.Context, name string, t *pluginTest) (o *conformance.Options, done func(), err error) {
	done = func() {}
	o = &conformance.Options{Name: name, Host: host.Options{CacheDir: a.cacheDir("wasm"), ContainerLabel: containerLabel()}, Inputs: map[string]string{}}
	file, err := a.finder(false).named(ctx, name)
	if err != nil {
		return nil, done, fail(exitInput, err)
	}
	o.SHA256 = file.Digest
	if o.Load, err = testLoader(file, t.allowNative); err != nil {
		return nil, done, err
	}
	for _, text := range t.inputs {
		input, file, ok := strings.Cut(text, "=")
		if !ok || input == "" || file == "" {
			return nil, done, fail(exitUsage, fmt.Errorf("--input %q: want name=FILE", text))
		}
		if _, err := os.Stat(file); err != nil {
			return nil, done, fail(exitInput, fmt.Errorf("--input %s: %w", input, err))
		}
		o.Inputs[input] = file
	}
	if o.Config, err = componentConfigs(t.config); err != nil {
		return nil, done, err
	}
	if o.Emulated, o.NoEmulation, err = emulated(t.arm64); err != nil {
		return nil, done, err
	}
	if store.Canonical(name) == "std/mlperf" && o.Inputs["dataset"] == "" {
		dir, err := os.MkdirTemp("", "paceline-dataset-")
		if err != nil {
			return nil, done, err
		}
		done = func() { _ = os.RemoveAll(dir) }
		o.Inputs["dataset"] = filepath.Join(dir, demoFile)
		if err := os.WriteFile(o.Inputs["dataset"], []byte(demo.Dataset()), 0o600); err != nil {
			return nil, done, err
		}
	}
	return o, done, nil
}

// testLoader loads a plugin whose file was read. What is wrong with a module is the first check's to tell.
func testLoader(file *store.Module, allowNative bool) (func(*host.Host) (*host.Plugin, error), error) {
	if file.Native == nil {
		return func(h *host.Host) (*host.Plugin, error) {
			return h.Load(host.Module{Name: file.Name, Path: file.Path, Bytes: file.Bytes})
		}, nil
	}
	if !allowNative {
		return nil, failHint(exitInput, fmt.Errorf("plugin %s is native: %s would run outside of the sandbox, with all that you may do", file.Name, file.Path),
			"--allow-native lets it, if you trust it")
	}
	return func(h *host.Host) (*host.Plugin, error) {
		return h.LoadNative(host.NativeModule{Name: file.Name, Path: file.Path, Code: file.Bytes, Manifest: file.Native.Manifest, Granted: asks(file.Native.Manifest)})
	}, nil
}

// componentConfigs reads the configurations of --config.
func componentConfigs(file string) (map[string]json.RawMessage, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fail(exitInput, fmt.Errorf("--config: %w", err))
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, failHint(exitInput, fmt.Errorf("--config %s: %w", file, err), `want an object for each component, e.g. {"repeat": {"limit": 3}}`)
	}
	return all, nil
}

// emulated is the command of a worker on arm64, or the reason why there is none.
func emulated(runner string) (command []string, none string, err error) {
	const qemu = "qemu-aarch64"
	emulator, _ := exec.LookPath(qemu)
	switch {
	case runtime.GOARCH == "arm64":
		return nil, "this machine is arm64 itself", nil
	case emulator == "":
		return nil, "there is no " + qemu + " here", nil
	case runner == "":
		return nil, "no --arm64 RUNNER was given (a runner built with GOOS=linux GOARCH=arm64)", nil
	}
	path, err := filepath.Abs(runner)
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		return nil, "", fail(exitInput, fmt.Errorf("--arm64: %w", err))
	}
	return []string{emulator, path, wasmworker.Command}, "", nil
}
