package config

import (
	"fmt"
	"os"
	"reflect"
	"strings"
)

// Member is one workload of a run that mixes several. Its key under workloads is its name in the run: in seeds, in the
// journal and in the report.
type Member struct {
	Name      string            `koanf:"name" json:"name"` // the component; default: the key
	Config    map[string]any    `koanf:"config" json:"config"`
	Inputs    map[string]string `koanf:"inputs" json:"-"`
	Weight    *int64            `koanf:"weight" json:"weight"`
	Params    map[string]any    `koanf:"params" json:"params,omitempty"`
	MaxTokens uint32            `koanf:"max_tokens" json:"max_tokens,omitempty"`
	History   string            `koanf:"history" json:"history,omitempty"`
	Tenant    string            `koanf:"tenant" json:"tenant,omitempty"` // who its conversations are for; default: their label, else the key
	// Objectives are in place of the run's, for its turns and trajectories; nil: those hold.
	Objectives *Objectives `koanf:"objectives" json:"objectives,omitempty"`
}

// Part is one workload of a run, with its name in it.
type Part struct {
	Key string
	Member
}

// Bounds of a mix; they are those of core/load.
const (
	maxMembers = 64
	maxWeight  = 1_000_000
)

// Mixed reports whether the run mixes several workloads.
func (r *Run) Mixed() bool { return len(r.Workloads) > 0 }

// Parts lists the workloads of the run, the one or those that are mixed, sorted by name.
func (r *Run) Parts() []Part {
	if !r.Mixed() {
		one := int64(1)
		return []Part{{r.Workload.Name, Member{Name: r.Workload.Name, Config: r.Workload.Config, Inputs: r.Workload.Inputs, Weight: &one}}}
	}
	var list []Part
	for _, key := range sortedKeys(r.Workloads) {
		list = append(list, Part{key, r.Workloads[key]})
	}
	return list
}

// fillMembers writes out what the keys of workloads leave to their defaults.
func (r *Run) fillMembers() {
	for key, m := range r.Workloads {
		if m.Name == "" {
			m.Name = key
		}
		if m.Weight == nil {
			one := int64(1)
			m.Weight = &one
		}
		r.Workloads[key] = m
	}
}

const memberPrefix = "workloads"

// unknownMembers is unknown for the keys under each of workloads.
func unknownMembers(l Layer) []error {
	group, _ := l.Values[memberPrefix].(map[string]any)
	known := map[string]bool{}
	for f := range reflect.TypeFor[Member]().Fields() {
		known[f.Tag.Get("koanf")] = true
	}
	var errs []error
	for _, key := range sortedKeys(group) {
		path := join(memberPrefix, key)
		if group[key] == nil {
			continue
		}
		sub, ok := group[key].(map[string]any)
		if !ok {
			errs = append(errs, fmt.Errorf("%s: %s: is %v; want a group of keys, e.g. {weight: 3}", l.where(path), show(path), group[key]))
			continue
		}
		for _, k := range sortedKeys(sub) {
			p := join(path, k)
			if _, broken := sub[k].(float64); broken && k == "weight" { // the decoder would cut it
				errs = append(errs, fmt.Errorf("%s: %s: %v is no whole number", l.where(p), show(p), sub[k]))
			}
			if !known[k] {
				errs = append(errs, fmt.Errorf("%s: %s: unknown key%s", l.where(p), show(p), nearest(k, sortedKeys(known))))
			}
		}
	}
	return errs
}

// mix checks the workloads of a mix.
func (c *checker) mix(r Run) {
	if r.Workload.Name != "" || len(r.Workload.Config) > 0 {
		c.fail("workload.name", "%q stands beside workloads; give one of them", r.Workload.Name)
	}
	for _, name := range sortedKeys(r.Workload.Inputs) {
		c.fail("workload.inputs."+name, "of which workload is it? give --input WORKLOAD:%s=FILE", name)
	}
	if n := len(r.Workloads); n > maxMembers {
		c.fail(memberPrefix, "%d are above %d", n, maxMembers)
	}
	for _, part := range r.Parts() {
		c.member(part)
	}
	if r.Load.Arrivals.Kind == "recorded" {
		c.fail("load.arrivals.kind", "recorded arrivals are of one workload, and several are mixed")
	}
}

func (c *checker) member(p Part) {
	at := func(keys ...string) string {
		return show(strings.Join(append([]string{memberPrefix, p.Key}, keys...), sep))
	}
	if !fitForName(p.Key) {
		c.fail(at(), "the name wants letters, digits and . _ - / alone, at most 128")
	}
	if w := *p.Weight; w < 1 || w > maxWeight {
		c.fail(at("weight"), "%d is not in 1..%d", w, maxWeight)
	}
	if p.Tenant != "" && !fitForName(p.Tenant) {
		c.fail(at("tenant"), "%q wants letters, digits and . _ - / alone, at most 128", p.Tenant)
	}
	if p.History != "" {
		c.oneOf(at("history"), p.History, "recorded", "live")
	}
	for _, name := range sortedKeys(p.Inputs) {
		if path := p.Inputs[name]; path == "" {
			c.fail(at("inputs", name), "has no file; give --input %s:%s=FILE", p.Key, name)
		} else if _, err := os.Stat(path); err != nil {
			c.fail(at("inputs", name), "%v", err)
		}
	}
	c.layer(at("params"), p.Params)
}

// fitForName accepts names that are safe in flags, headers and terminals.
func fitForName(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("._-/", c) >= 0) {
			return false
		}
	}
	return true
}
