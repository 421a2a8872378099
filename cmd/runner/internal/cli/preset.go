package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"paceline/cmd/runner/internal/config"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/store"
)

// layered puts a run together: the preset, the run file, the environment, and what is above them. The argument is a run file, a
// preset, or empty.
func (a *app) layered(ctx context.Context, f *finder, arg string, above ...config.Layer) (config.Resolved, error) {
	var layers []config.Layer
	if arg != "" && !isPreset(arg) {
		l, err := config.File(arg)
		if err != nil {
			return config.Resolved{}, fail(exitUsage, err)
		}
		layers = append(layers, l)
	}
	env, err := config.Environment(a.Environ, reservedEnv...)
	if err != nil {
		return config.Resolved{}, fail(exitUsage, err)
	}
	layers = append(layers, env)
	if isPreset(arg) {
		l := config.Layer{Name: "argument"}
		l.Put("preset", arg)
		layers = append(layers, l)
	}
	layers = append(layers, above...)
	r, err := config.Resolve(layers...)
	if err != nil {
		return r, failHint(exitUsage, err, "schemas/run/v1 lists every key")
	}
	if r.Run.Preset == "" {
		return r, nil
	}
	lowest, preset, err := findPreset(ctx, f, r.Run.Preset, r.Run.Plugins)
	if err != nil {
		return r, err
	}
	if r, err = config.Resolve(append([]config.Layer{lowest}, layers...)...); err != nil {
		return r, fail(exitUsage, err)
	}
	r.Preset = preset
	if err := r.Depart(lowest); err != nil {
		return r, fail(exitUsage, err)
	}
	return r, nil
}

// findPreset finds a preset by its full name and reads it. No code of its plugin runs.
func findPreset(ctx context.Context, f *finder, name string, named map[string]string) (config.Layer, *journal.Preset, error) {
	var missing error
	for _, c := range presetNames(name, named) {
		file, err := f.find(ctx, c.plugin, named)
		if e, ok := errors.AsType[*store.NotFoundError](err); ok {
			missing = e
			continue
		}
		if err != nil {
			return config.Layer{}, nil, fail(exitInput, fmt.Errorf("preset %s: %w", name, err))
		}
		return readPreset(file, c.plugin, c.preset)
	}
	if missing == nil {
		return config.Layer{}, nil, failHint(exitUsage, fmt.Errorf("%q is no preset: want plugin/preset, e.g. std/codeqa/quick", name), "`runner plugin list` shows what there is")
	}
	return config.Layer{}, nil, failHint(exitInput, fmt.Errorf("preset %s: %w", name, missing), "a preset is named plugin/preset and its plugin must be at hand; a run file must be there")
}

func readPreset(file *store.Module, plugin, name string) (config.Layer, *journal.Preset, error) {
	manifest, sum, err := manifestOf(file)
	if err != nil {
		return config.Layer{}, nil, fail(exitInput, err)
	}
	p, ok := manifest.Preset(name)
	if !ok {
		return config.Layer{}, nil, noPreset(manifest, plugin, name)
	}
	l, preset, err := config.Preset(config.PresetOf{Plugin: plugin, SHA256: sum}, &p)
	if err != nil {
		return l, nil, fail(exitInput, err)
	}
	return l, preset, nil
}

// noPreset tells what there is instead.
func noPreset(m *lock.Manifest, plugin, name string) error {
	var known []string
	for _, p := range m.Presets {
		known = append(known, plugin+"/"+p.Name)
	}
	text := "it has none"
	if len(known) > 0 {
		text = "it has " + strings.Join(known, ", ")
	}
	err := fmt.Errorf("plugin %s has no preset %q%s; %s", plugin, name, config.Nearest(plugin+"/"+name, known), text)
	if c, ok := m.Component(name); ok && c.Kind == lock.KindWorkload {
		return failHint(exitUsage, err, plugin+"/"+name+" is a workload; --workload takes it")
	}
	return fail(exitUsage, err)
}

// manifestOf reads a plugin's manifest, with the digest of the file that has it.
func manifestOf(file *store.Module) (*lock.Manifest, digest.SHA256, error) {
	if file.Native != nil {
		return file.Native.Manifest, file.Native.SHA256, nil
	}
	m, err := host.Inspect(file.Bytes)
	if err != nil {
		err = fmt.Errorf("plugin %s (%s): %w", file.Name, file.Path, err)
	}
	return m, file.Digest, err
}

// presetPlugins names the plugin of the run's preset as if one of its components were wanted, so that it is pinned too.
func presetPlugins(p *journal.Preset) []string {
	if p == nil {
		return nil
	}
	return []string{p.Plugin + "/preset"}
}

// samePreset makes sure that the plugin is still the one that the preset was read from.
func (b *builder) samePreset(p *journal.Preset) error {
	if p == nil {
		return nil
	}
	if _, sum, err := manifestOf(b.modules[p.Plugin].file); err != nil || sum != p.SHA256 {
		return fail(exitInput, fmt.Errorf("preset %s: plugin %s changed while the run was put together: its sha256 was %s and is %s", p.Name, p.Plugin, p.SHA256, sum))
	}
	return nil
}
