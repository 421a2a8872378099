package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"paceline/cmd/runner/internal/config"
	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/plugins/host"
	"paceline/plugins/lock"
	"paceline/plugins/store"
	"paceline/workloads"
)

// isPreset tells an argument that names a preset from one that names a run file: a file that is there is one, and so is what
// ends as run files do.
func isPreset(arg string) bool {
	if info, err := os.Stat(arg); err == nil && !info.IsDir() {
		return false
	}
	switch filepath.Ext(arg) {
	case ".yaml", ".yml", ".json":
		return false
	}
	if strings.HasPrefix(arg, ".") || filepath.IsAbs(arg) {
		return strings.Contains(arg, ".wasm/")
	}
	return strings.Contains(arg, "/")
}

// folderOf is where the lock of a run stands: beside its run file, else here.
func folderOf(arg string) string {
	if arg == "" || isPreset(arg) {
		return "."
	}
	return filepath.Dir(arg)
}

// layered puts a run together: the preset, the run file, the environment, and what is above them. The argument is a run file, a
// preset, or empty.
func (a *app) layered(arg string, dev []string, above ...config.Layer) (config.Resolved, error) {
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
	lowest, preset, err := findPreset(r.Run.Preset, r.Run.Plugins, dev)
	if err != nil {
		return r, err
	}
	if r, err = config.Resolve(append([]config.Layer{lowest}, layers...)...); err != nil {
		return r, fail(exitUsage, err)
	}
	r.Preset = preset
	return r, nil
}

// findPreset finds a preset by its full name and reads it. No code of its plugin runs.
func findPreset(name string, named map[string]string, dev []string) (config.Layer, *journal.Preset, error) {
	files, err := devFiles(dev)
	if err != nil {
		return config.Layer{}, nil, err
	}
	s := &store.Store{Std: workloads.Modules(), Dev: files}
	var missing error
	for _, c := range presetNames(name, named) {
		file, err := fetchAs(s, c.plugin, named)
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
		var known []string
		for _, p := range manifest.Presets {
			known = append(known, plugin+"/"+p.Name)
		}
		text := "it has none"
		if len(known) > 0 {
			text = "it has " + strings.Join(known, ", ")
		}
		return config.Layer{}, nil, fail(exitUsage, fmt.Errorf("plugin %s has no preset %q%s; %s", plugin, name, config.Nearest(plugin+"/"+name, known), text))
	}
	l, preset, err := config.Preset(config.PresetOf{Plugin: plugin, SHA256: sum}, &p)
	if err != nil {
		return l, nil, fail(exitInput, err)
	}
	return l, preset, nil
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

// cutName is one way to read a preset's full name.
type cutName struct{ plugin, preset string }

// presetNames lists the ways to read a preset's full name, the likeliest first: as one of the run's own plugins, as a file, as
// source/plugin/preset, and as plugin/preset of std. A preset's own name may hold slashes.
func presetNames(name string, named map[string]string) []cutName {
	var own, others []cutName
	parts := strings.Split(name, "/")
	for n := len(parts) - 1; n > 0; n-- {
		c := cutName{strings.Join(parts[:n], "/"), strings.Join(parts[n:], "/")}
		if _, ok := named[c.plugin]; ok {
			own = append(own, c)
		}
		switch {
		case store.IsFile(name) || strings.Contains(name, ".wasm/"):
			if strings.HasSuffix(c.plugin, ".wasm") {
				others = append(others, c)
			}
		case n == 2, n == 1 && parts[0] != store.StdSource:
			c.plugin = store.Canonical(c.plugin)
			others = append(others, c)
		}
	}
	return append(own, others...)
}

// fetchAs fetches a plugin by its name, which may be one of the run's own.
func fetchAs(s *store.Store, plugin string, named map[string]string) (*store.Module, error) {
	name := plugin
	if path, ok := named[plugin]; ok && s.Dev[plugin] == "" {
		name = path
		if !store.IsFile(path) {
			name = "./" + path
		}
	}
	file, err := s.Fetch(name)
	if err != nil {
		return nil, err
	}
	file.Name = plugin
	return file, nil
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
