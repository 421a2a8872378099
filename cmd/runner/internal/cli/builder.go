package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"paceline/cmd/runner/internal/config"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/store"
	"paceline/plugins/wasmworker"
	"paceline/plugins/wire"
)

// builder opens a stage step by step.
type builder struct {
	app    *app
	run    *config.Run
	strict bool // --locked
	judges bool // only judges are opened, of a run whose lock holds
	quiet  bool
	grant  bool       // `plugin lock --allow-native`: native plugins get what they ask for
	locked *lock.Lock // that holds; nil: none
	stage  stage
	pinning

	heard       func(host.Line)   // gets the plugins' log lines; nil: they are printed unless quiet
	worker      []string          // command of the plugins' workers; empty: this program's
	allowNative bool              // where judges: what the run's lock grants holds for native plugins too
	byDefault   bool              // nobody named config.DefaultValidator
	origins     map[string]string // of the run's values

	files map[string][]wire.Input // of judges, by full name

	modules map[string]*module      // by plugin
	order   []string                // plugins, as first named
	inputs  map[string][]wire.Input // by workload
	actual  lock.Lock
}

// load fetches each plugin once and reads its manifest. No guest code runs.
func (b *builder) load(ctx context.Context, names, dev []string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	heard := b.heard
	if heard == nil {
		heard = b.app.guestLog(b.quiet)
	}
	h, err := host.New(host.Options{Worker: b.worker, CacheDir: b.app.cacheDir("wasm"), Log: heard, ContainerLabel: containerLabel()})
	if err != nil {
		return err
	}
	b.stage.host = h
	b.stage.closers = append(b.stage.closers, func() { _ = h.Close() })
	files, err := devFiles(dev)
	if err != nil {
		return err
	}
	f := b.finder(files)
	b.modules = map[string]*module{}
	b.actual = lock.Lock{Engine: lock.Engine{Name: wasmworker.EngineName, Version: wasmworker.EngineVersion, Mode: string(h.Mode())}}
	for _, full := range names {
		plugin, _, err := splitName(full, b.run.Plugins)
		if err != nil {
			return fail(exitUsage, err)
		}
		if b.modules[plugin] != nil {
			continue
		}
		m, err := b.fetch(ctx, f, plugin)
		if c, ok := errors.AsType[*coded](err); ok {
			return c // with its hint
		}
		if err != nil {
			return fail(exitInput, err)
		}
		b.modules[plugin] = m
		b.order = append(b.order, plugin)
	}
	return nil
}

func (b *builder) fetch(ctx context.Context, f *finder, plugin string) (*module, error) {
	file, err := f.find(ctx, plugin, b.run.Plugins)
	if err != nil {
		return nil, err
	}
	file.Name = plugin
	m, err := b.loadFile(file)
	if err != nil {
		return nil, err
	}
	return m, b.signatures(m)
}

func (b *builder) loadFile(file *store.Module) (*module, error) {
	if file.Native != nil {
		return b.loadNative(file)
	}
	m := host.Module{Name: file.Name, Path: file.Path, Bytes: file.Bytes}
	if file.Official {
		m.Expected = b.pinned(file.Name)
	}
	loaded, err := b.stage.host.Load(m)
	if err != nil {
		return nil, err
	}
	return &module{file: file, loaded: loaded}, nil
}

// pinned is the digest that the lock has for a plugin of one file.
func (b *builder) pinned(plugin string) *digest.SHA256 {
	if p := b.entry(plugin); p != nil && len(p.Files) == 1 {
		return &p.Files[0].SHA256
	}
	return nil
}

// openInputs opens and digests the workloads' inputs, and holds their names to the component's.
func (b *builder) openInputs() error {
	b.inputs = map[string][]wire.Input{}
	for _, part := range b.run.Parts() {
		if err := b.openInputsOf(part); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) openInputsOf(part config.Part) error {
	plugin, component, err := splitName(part.Name, b.run.Plugins)
	if err != nil {
		return fail(exitUsage, err)
	}
	manifest := b.modules[plugin].loaded.Manifest()
	c, ok := manifest.Component(component)
	if !ok || c.Kind != lock.KindWorkload {
		return failHint(exitUsage, fmt.Errorf("plugin %s has no workload %s", plugin, component), "it has: "+componentsOf(manifest))
	}
	of, owner := "", ""
	if b.run.Mixed() {
		of, owner = part.Key+":", part.Key
	}
	for _, name := range slices.Sorted(maps.Keys(part.Inputs)) {
		if !slices.Contains(c.Inputs, name) {
			return failHint(exitUsage, fmt.Errorf("%s has no input %q", part.Key, name), "its inputs: "+strings.Join(c.Inputs, ", "))
		}
	}
	for _, name := range c.Inputs {
		path := part.Inputs[name]
		if path == "" {
			return failHint(exitUsage, fmt.Errorf("%s needs the input %q", part.Key, name), "give --input "+of+name+"=FILE")
		}
		in, err := store.OpenInput(path)
		if err != nil {
			return fail(exitInput, err)
		}
		b.stage.closers = append(b.stage.closers, func() { _ = in.Close() })
		b.inputs[part.Key] = append(b.inputs[part.Key], wire.Input{Name: name, File: in.File, Size: in.Size, SHA256: in.SHA256, Path: path})
		b.actual.Inputs = append(b.actual.Inputs, in.Entry(part.Key, name))
		b.stage.inputs = append(b.stage.inputs, journal.Input{Workload: owner, Name: name, Path: filepath.Base(path), Size: in.Size, SHA256: in.SHA256})
	}
	return nil
}

func componentsOf(m *lock.Manifest) string {
	var names []string
	for _, c := range m.Components {
		names = append(names, c.Name+" ("+string(c.Kind)+")")
	}
	return strings.Join(names, ", ")
}

// enforce resolves the lock and holds what is here to the one that was found.
func (b *builder) enforce() error {
	for _, name := range b.order {
		m := b.modules[name]
		granted := b.grants(name, m)
		if m.file.Native != nil {
			granted = m.granted
		}
		if b.judges && m.file.Native == nil {
			granted = b.granted(name) // to the workload too, which is not opened now
		}
		limits, err := b.limits(name)
		if err != nil {
			return fail(exitUsage, err)
		}
		version := m.loaded.Manifest().Version
		entry := m.file.Entry(version, granted, limits)
		entry.Signers = b.signers(m)
		if err := b.allows(m, entry); err != nil {
			return fail(exitInput, err)
		}
		b.actual.Plugins = append(b.actual.Plugins, entry)
		b.stage.plugins = append(b.stage.plugins, journal.Plugin{Name: name, Version: version, Source: m.file.Source, SHA256: m.file.Digest})
	}
	pinning, err := lock.Enforce(b.locked, b.held(), b.strict)
	if err != nil {
		if _, ok := errors.AsType[*lock.EnforceError](err); ok && !b.judges {
			return failHint(exitInput, err, "if the change is meant, `runner plugin lock RUNFILE` pins it")
		}
		return fail(exitInput, err)
	}
	if err := b.grantsTarget(); err != nil {
		return err
	}
	b.stage.lock = &b.actual
	b.stage.state = lockState(pinning, b.locked != nil, &b.actual)
	return nil
}

// granted is what the lock grants a plugin.
func (b *builder) granted(plugin string) []lock.Capability {
	if p := b.entry(plugin); p != nil {
		return p.Granted
	}
	return nil
}

func lockState(p lock.Pinning, there bool, actual *lock.Lock) journal.LockState {
	state := journal.LockState{State: "unpinned"}
	if there {
		state.State = "pinned"
	}
	if encoded, err := actual.Encode(); err == nil {
		sum := digest.Of(encoded)
		state.Digest = &sum
	}
	if p == lock.Unofficial {
		for _, plugin := range actual.Plugins {
			if !plugin.Official {
				state.Unofficial = append(state.Unofficial, "--dev-plugin took "+plugin.Name+" from a file past the lock")
			}
		}
	}
	return state
}

func limitsOf(l config.Limits) (lock.Limits, error) {
	memory, err := config.Bytes(l.Memory)
	if err != nil {
		return lock.Limits{}, fmt.Errorf("limits.memory: %w", err)
	}
	limits := lock.Limits{Memory: memory, Open: l.Open, Plan: l.Plan, Next: l.Next, Batch: l.Batch}
	if err := limits.Check(); err != nil {
		return limits, fmt.Errorf("limits: %w", err)
	}
	return limits, nil
}

// grants are what naming inputs of its workloads grants a plugin.
func (b *builder) grants(plugin string, m *module) []lock.Capability {
	inputs := 0
	for _, part := range b.run.Parts() {
		if of, _, _ := splitName(part.Name, b.run.Plugins); of == plugin {
			inputs += len(b.inputs[part.Key])
		}
	}
	inputs += b.given(plugin)
	var granted []lock.Capability
	for _, c := range m.loaded.Manifest().Components {
		granted = append(granted, capabilities(c, inputs)...)
	}
	return slices.Compact(granted)
}

// refused tells faults with the files that they are in: the inputs of a workload.
func (b *builder) refused(err error, inputs []wire.Input) error {
	faults, ok := errors.AsType[*wire.FaultsError](err)
	if !ok {
		return failHint(exitInput, err, limitHint(err))
	}
	return fail(exitInput, &faultList{faults: faults, inputs: inputs})
}

// faultList shows faults, each with its file and line in front.
type faultList struct {
	faults *wire.FaultsError
	inputs []wire.Input
}

func (l *faultList) Error() string {
	n := uint64(len(l.faults.Faults)) + l.faults.Dropped
	lines := []string{fmt.Sprintf("%s of %s refuses what it was given: %s", l.faults.Component, l.faults.Plugin, plural(int(n), "fault"))}
	for _, f := range l.faults.Faults {
		for _, in := range l.inputs {
			if f.Input == in.Name {
				f.Input = in.Path
			}
		}
		lines = append(lines, f.String())
	}
	if l.faults.Dropped > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", l.faults.Dropped))
	}
	return strings.Join(lines, "\n")
}

// cacheDir is a folder of the user's cache, private to the user; empty where there is none.
func (a *app) cacheDir(name string) string {
	dir := a.getenv("PACELINE_CACHE_DIR")
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		dir = filepath.Join(user, "paceline")
	}
	return filepath.Join(dir, name)
}

func (a *app) guestLog(quiet bool) func(host.Line) {
	if quiet {
		return nil
	}
	var one sync.Mutex // components are opened side by side
	return func(l host.Line) {
		one.Lock()
		defer one.Unlock()
		level := []string{"debug", "info", "warning", "error"}[min(max(l.Level, 0), 3)]
		fmt.Fprintf(a.Stderr, "%s/%s: %s: %s\n", l.Plugin, l.Component, level, strings.TrimSpace(l.Text))
	}
}

// devFiles reads the name=FILE arguments of --dev-plugin.
func devFiles(list []string) (map[string]string, error) {
	m := map[string]string{}
	for _, text := range list {
		name, path, ok := strings.Cut(text, "=")
		if !ok || name == "" || path == "" {
			return nil, fail(exitUsage, fmt.Errorf("--dev-plugin %q: want name=FILE", text))
		}
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, fail(exitInput, fmt.Errorf("--dev-plugin %s: %w", name, err))
		}
		m[name] = path
	}
	return m, nil
}
