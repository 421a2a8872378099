package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/plugins/lock"
)

// freeGroups are groups of a preset to which another key may not be added unseen: each of them changes what is sent.
var freeGroups = []string{"params", join("workload", "config")}

// meant are keys whose defaults every preset means, also where it does not write them: presets are older than the keys.
var meant = []string{"tool_results", join("load", "start"), join("load", "replay"), join("load", "max_context")}

// Depart notes where a run that was resolved over a preset differs from it: keys that the preset sets and the run has
// otherwise, keys added to its free groups, and values that its rules do not publish and the run gives.
func (r *Resolved) Depart(preset Layer) error {
	if r.Preset == nil {
		return nil
	}
	of, err := Resolve(preset)
	if err != nil {
		return err
	}
	paths := map[string]bool{}
	leaves(preset.Values, "", paths)
	for _, group := range freeGroups {
		if m, ok := at(&r.Run, group).(map[string]any); ok {
			leaves(m, group, paths)
		}
	}
	for _, path := range meant {
		paths[path] = true
	}
	if r.Preset.Rules != nil {
		for _, key := range r.Preset.Rules.Missing {
			if path := strings.ReplaceAll(key, ".", sep); !slices.Contains(freeGroups, path) {
				paths[path] = true
			}
		}
	}
	r.Preset.Departures = nil
	if api := chat.API(r.Run.Target.API); r.Preset.Rules != nil && api.Named() != chat.APIChat {
		r.Preset.Departures = append(r.Preset.Departures, journal.Departure{ // rules are about chat completions
			Key: "target.api", Preset: shownValue(string(chat.APIChat)), Run: shownValue(r.Run.Target.API), Origin: r.origin(join("target", "api")),
		})
	}
	for _, path := range sortedKeys(paths) {
		_, own := of.given[path]
		had, has := shownValue(at(&of.Run, path)), shownValue(at(&r.Run, path))
		if !own && !slices.Contains(meant, path) {
			had = json.RawMessage("null") // a default, which is nobody's choice
		}
		if string(had) != string(has) {
			r.Preset.Departures = append(r.Preset.Departures, journal.Departure{Key: show(path), Preset: had, Run: has, Origin: r.origin(path)})
		}
	}
	slices.SortStableFunc(r.Preset.Departures, func(a, b journal.Departure) int { return strings.Compare(a.Key, b.Key) })
	return nil
}

// origin is where a path's value came from: its own origin, or that of what stands above or below it. What is gone was taken
// away above.
func (r *Resolved) origin(path string) string {
	from := path
	if at(&r.Run, path) == nil {
		from = parent(path)
	}
	for p := from; p != ""; p = parent(p) {
		if o, ok := r.given[p]; ok {
			return o
		}
	}
	for _, p := range sortedKeys(r.given) {
		if strings.HasPrefix(p, path+sep) {
			return r.given[p]
		}
	}
	return "default"
}

// leaves collects the paths of what is no group; an empty group is a leaf.
func leaves(m map[string]any, path string, into map[string]bool) {
	for key, v := range m {
		p := join(path, key)
		if sub, ok := v.(map[string]any); ok && len(sub) > 0 {
			leaves(sub, p, into)
			continue
		}
		into[p] = true
	}
}

// at finds the value at a path of a run; nil where there is none.
func at(run *Run, path string) any {
	v := reflect.ValueOf(run).Elem()
	for part := range strings.SplitSeq(path, sep) {
		for v.Kind() == reflect.Interface {
			v = v.Elem()
		}
		switch v.Kind() {
		case reflect.Struct:
			v = member(v, part)
		case reflect.Map:
			v = v.MapIndex(reflect.ValueOf(part))
		default:
			return nil
		}
		if !v.IsValid() {
			return nil
		}
	}
	return v.Interface()
}

func member(v reflect.Value, key string) reflect.Value {
	for f := range v.Type().Fields() {
		if f.Tag.Get("koanf") == key {
			return v.FieldByIndex(f.Index)
		}
	}
	return reflect.Value{}
}

// shownValue writes a value as a report shows it: numbers are equal where their values are, durations are text.
func shownValue(v any) json.RawMessage {
	if d, ok := v.(time.Duration); ok {
		v = d.String()
	}
	text, err := json.Marshal(v)
	if err != nil {
		return json.RawMessage("null")
	}
	return text
}

// CheckRules refuses a run of a preset whose rules publish no value for something, unless the run gives each itself.
func (r *Resolved) CheckRules() error {
	if r.Preset == nil || r.Preset.Rules == nil {
		return nil
	}
	rules := r.Preset.Rules
	var lacking, ways []string
	for _, key := range rules.Missing {
		path := strings.ReplaceAll(key, ".", sep)
		if r.origin(path) == "default" {
			lacking = append(lacking, key)
			ways = append(ways, "--set "+assignment(path))
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return &MissingError{Preset: r.Preset.Name, Keys: lacking, Reason: rules.Reason, Ways: ways}
}

// assignment shows how --set gives a value to a path.
func assignment(path string) string {
	var kind reflect.Kind
	walk(reflect.TypeFor[Run](), "", func(p string, t reflect.Type) {
		if p == path {
			kind = t.Kind()
		}
	})
	if kind == reflect.Map {
		return show(path) + ".NAME=VALUE"
	}
	return show(path) + "=VALUE"
}

// MissingError names the values without which a preset does not run.
type MissingError struct {
	Preset string
	Keys   []string
	Reason string
	Ways   []string // to give each of them
}

// Error implements error.
func (e *MissingError) Error() string {
	return fmt.Sprintf("preset %s does not start: the rules publish no value for %s (%s), and none is guessed", e.Preset, strings.Join(e.Keys, " and "), e.Reason)
}

// Hint says what can be done about it.
func (e *MissingError) Hint() string {
	return "give what you know yourself, which the report calls unofficial: " + strings.Join(e.Ways, " ")
}

// rules are what run.json keeps of a preset's rules.
func rules(r *lock.Rules) *journal.Rules {
	if r == nil {
		return nil
	}
	return &journal.Rules{Of: r.Of, Status: string(r.Status), Reason: r.Reason, Missing: r.Missing, WholePasses: r.WholePasses,
		SeedSet: r.SeedSet, ReferenceBody: r.ReferenceBody, Inputs: r.Inputs}
}
