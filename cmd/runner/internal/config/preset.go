package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/plugins/lock"
)

// PresetOf is where a preset was found.
type PresetOf struct {
	Plugin string        // as the run names it, e.g. std/codeqa
	SHA256 digest.SHA256 // of the plugin's file; of a native plugin's manifest
}

// Preset reads a preset of a plugin, whose manifest was checked: as the layer that goes below the run file, and as what run.json
// keeps of it. A stranger wrote it, so beside unknown keys and wrong types it refuses components that are files, limits above
// the defaults, and thresholds on what nobody tells.
func Preset(of PresetOf, p *lock.Preset) (Layer, *journal.Preset, error) {
	name := of.Plugin + "/" + p.Name
	l := Layer{Name: "preset " + name}
	values, err := fragment(p.Run)
	if err != nil {
		return l, nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	l.Values = values
	errs := unknown(l)
	if err := own(l, of.Plugin); err != nil {
		errs = append(errs, err)
	}
	if len(errs) > 0 {
		return l, nil, errors.Join(errs...)
	}
	r, err := Resolve(l) // for the types of the values
	if err != nil {
		return l, nil, err
	}
	if err := errors.Join(raised(r.Run.Limits), routed(r.Run.RoutingHeaders), metered(r.Run)); err != nil {
		return l, nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	out := &journal.Preset{Name: name, Plugin: of.Plugin, SHA256: of.SHA256, Rules: rules(p.Rules)}
	if out.Thresholds, err = thresholds(of.Plugin, p.Thresholds, r.Run); err != nil {
		return l, nil, fmt.Errorf("%s: %w", l.Name, err)
	}
	if out.Run, err = JSON(l.Values); err == nil && out.Run == nil {
		out.Run = json.RawMessage("{}")
	}
	return l, out, err
}

// fragment reads an object; whole numbers become int64 as in a run file.
func fragment(text json.RawMessage) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v map[string]any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	plain(v)
	return v, nil
}

// plain puts plain numbers in place of those with kept digits.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = plain(v[key])
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
	}
	return v
}

// own gives the plugin's own components their full names, and refuses those that are files.
func own(l Layer, plugin string) error {
	var errs []error
	if w, ok := l.Values["workload"].(map[string]any); ok {
		if name, ok := w["name"].(string); ok {
			full, err := fullName(plugin, name)
			w["name"], errs = full, append(errs, err)
		}
	}
	if mixed, ok := l.Values["workloads"].(map[string]any); ok {
		errs = append(errs, ownMembers(plugin, mixed))
	}
	for _, kind := range []string{"scorers", "validators", "counters"} {
		list, ok := l.Values[kind].(map[string]any)
		if !ok {
			continue
		}
		named := map[string]any{}
		for _, name := range sortedKeys(list) {
			full, err := fullName(plugin, name)
			if _, twice := named[full]; twice {
				err = fmt.Errorf("%s: %s is there twice", kind, full)
			}
			named[full], errs = list[name], append(errs, err)
		}
		l.Values[kind] = named
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("%s: %w", l.Name, err)
	}
	return nil
}

// ownMembers gives the workloads of a mix their full names. A member without a name is named after its key, which stays as it is.
func ownMembers(plugin string, mixed map[string]any) error {
	var errs []error
	for _, key := range sortedKeys(mixed) {
		m, ok := mixed[key].(map[string]any)
		if !ok {
			m = map[string]any{}
			if mixed[key] != nil {
				continue // its type is told later
			}
		}
		name, ok := m["name"].(string)
		if _, there := m["name"]; !there {
			name, ok = key, true
		}
		if !ok {
			continue
		}
		full, err := fullName(plugin, name)
		m["name"], errs = full, append(errs, err)
		mixed[key] = m
	}
	return errors.Join(errs...)
}

// fullName is the full name of a component that a preset names.
func fullName(plugin, name string) (string, error) {
	const signs = "abcdefghijklmnopqrstuvwxyz0123456789-_."
	parts := strings.Split(name, "/")
	for _, part := range parts {
		if part == "" || part[0] == '.' || strings.Trim(part, signs) != "" || strings.HasSuffix(part, ".wasm") || len(parts) > 3 {
			return "", fmt.Errorf("%q is no component that a preset may name: want component, plugin/component or source/plugin/component", name)
		}
	}
	if len(parts) == 1 {
		return plugin + "/" + name, nil
	}
	return name, nil
}

// raised refuses limits above the defaults.
func raised(l Limits) error {
	memory, err := Bytes(l.Memory)
	if err != nil {
		return fmt.Errorf("limits.memory: %w", err)
	}
	d := lock.DefaultLimits()
	if memory > d.Memory || l.Open > d.Open || l.Plan > d.Plan || l.Next > d.Next || l.Batch > d.Batch {
		return fmt.Errorf("limits: a preset may lower limits only; the defaults are memory %d bytes, open %v, plan %v, next %v, batch %v",
			d.Memory, d.Open, d.Plan, d.Next, d.Batch)
	}
	return nil
}

// routed refuses routing headers that could stand in place of a header with a meaning of its own, such as Authorization.
func routed(headers []string) error {
	for _, name := range headers {
		if !strings.HasPrefix(strings.ToLower(name), "x-") || !fitForName(name) {
			return fmt.Errorf("routing_headers: %q is no header that a preset may set; its name begins with X-", name)
		}
	}
	return nil
}

// metered refuses a metrics page and further targets that the user did not name: whoever wrote a preset is told nothing of runs.
func metered(r Run) error {
	if r.Target.Metrics != "" && r.Target.Metrics != NoMetrics {
		return errors.New("target.metrics: a preset may only switch it off")
	}
	if r.Several() {
		return errors.New("targets: a preset may not name them")
	}
	return nil
}

// thresholds are those of run.json: components by their full names, bounds in micro-units.
func thresholds(plugin string, list []lock.Threshold, run Run) ([]journal.Threshold, error) {
	out := []journal.Threshold{}
	for i, t := range list {
		at := fmt.Sprintf("thresholds[%d]", i)
		j := journal.Threshold{Metric: t.Metric, Value: t.Value, FromUsers: t.FromUsers, ToUsers: t.ToUsers}
		var err error
		if j.MinMicro, j.MaxMicro, err = t.Bounds(); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if t.Metric != "" {
			if _, _, known := (&metrics.Metrics{}).Lookup(t.Metric); !known {
				return nil, fmt.Errorf("%s: schemas/metrics/v1 has no figure %q", at, t.Metric)
			}
		} else if j.Component, err = judge(plugin, t.Component, run); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		out = append(out, j)
	}
	return out, nil
}

// judge is the full name of a component that the preset lets judge.
func judge(plugin, name string, run Run) (string, error) {
	full, err := fullName(plugin, name)
	if err != nil {
		return "", err
	}
	_, scores := run.Scorers[full]
	_, validates := run.Validators[full]
	if !scores && !validates {
		return "", fmt.Errorf("the preset has no scorer or validator %s", full)
	}
	return full, nil
}
