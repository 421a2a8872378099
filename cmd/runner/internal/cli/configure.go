package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"paceline/cmd/runner/internal/config"
	"paceline/cmd/runner/internal/configschema"
)

// configure completes the configurations of the components that are opened by their own JSON Schemas, and refuses what does
// not fit before any of them is opened. A component still checks what a schema cannot say.
func (b *builder) configure(workloads bool) error {
	var errs []error
	if workloads {
		errs = b.configureWorkloads()
	}
	for _, kind := range []struct {
		key  string
		each map[string]map[string]any
	}{{"validators", b.run.Validators}, {"scorers", b.run.Scorers}, {"counters", b.run.Counters}} {
		for _, name := range slices.Sorted(maps.Keys(kind.each)) {
			full, faults := b.complete(name, kind.each[name], kind.key, name)
			kind.each[name], errs = full, append(errs, faults...)
		}
	}
	if len(errs) > 0 {
		return failHint(exitInput, errors.Join(errs...), "`runner plugin inspect NAME` shows what a component takes")
	}
	return nil
}

func (b *builder) configureWorkloads() []error {
	var errs []error
	for _, part := range b.run.Parts() {
		if !b.run.Mixed() {
			full, faults := b.complete(part.Name, part.Config, "workload", "config")
			b.run.Workload.Config, errs = full, append(errs, faults...)
			continue
		}
		full, faults := b.complete(part.Name, part.Config, "workloads", part.Key, "config")
		m := b.run.Workloads[part.Key]
		m.Config, errs = full, append(errs, faults...)
		b.run.Workloads[part.Key] = m
	}
	return errs
}

// complete completes the configuration of one component, which stands under these keys of the run file.
func (b *builder) complete(name string, given map[string]any, keys ...string) (map[string]any, []error) {
	plugin, component, err := splitName(name, b.run.Plugins)
	if err != nil {
		return given, []error{err}
	}
	schema, err := configschema.Read(b.modules[plugin].wire.ConfigSchema(component))
	if err != nil {
		return given, []error{fmt.Errorf("plugin %s, component %s: configuration: %w", plugin, component, err)}
	}
	full, faults := schema.Complete(given)
	var errs []error
	for _, f := range faults {
		at := config.Path(append(slices.Clone(keys), f.Path...)...)
		text := at + ": " + f.Text + likely(f)
		if origin := b.origin(keys, f.Path); origin != "" {
			text = origin + ": " + text
		}
		errs = append(errs, errors.New(text))
	}
	if len(errs) > 0 {
		return given, errs
	}
	return full, nil
}

// likely names the known key that is nearest to an unknown one, or all of them.
func likely(f configschema.Fault) string {
	if len(f.Path) == 0 || f.Near == nil {
		return ""
	}
	if near := config.Nearest(f.Path[len(f.Path)-1], f.Near); near != "" {
		return near
	}
	return "; known keys: " + strings.Join(f.Near, ", ")
}

// origin is where a value comes from, or the value that it is in; empty where nobody noted that.
func (b *builder) origin(keys, path []string) string {
	all := append(slices.Clone(keys), path...)
	for n := len(all); n > 0; n-- {
		if o := b.origins[config.Path(all[:n]...)]; o != "" {
			return o
		}
	}
	return ""
}
