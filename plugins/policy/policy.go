package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"paceline/plugins/lock"
	"paceline/plugins/sign"
)

// Schema names the format of a policy file.
const Schema = "paceline/policy/v1"

// Policy is a policy as its file has it. Read it with config.PolicyFile, which checks it.
type Policy struct {
	Schema string            `yaml:"schema"`
	Keys   map[string]string `yaml:"keys"`    // public keys by the names that rules call them
	Rules  []Rule            `yaml:"plugins"` // the first one whose source fits decides
}

// Rule says what is allowed to plugins from one source.
type Rule struct {
	Source       string            `yaml:"source"`       // std, file, layout, or oci://HOST/ and as much of the name as is meant
	AllOf        []string          `yaml:"all_of"`       // names of keys that must have signed
	AnyOf        *AnyOf            `yaml:"any_of"`       // so many of these must have signed too
	Native       bool              `yaml:"native"`       // executables may run
	Capabilities []lock.Capability `yaml:"capabilities"` // that may be granted; absent: inputs
}

// AnyOf wants a number of signatures from a group.
type AnyOf struct {
	Minimum int      `yaml:"minimum"`
	Keys    []string `yaml:"keys"`
}

// Fault is one thing that is wrong with a policy.
type Fault struct {
	Path string // e.g. plugins[0].all_of[1]
	Text string
}

// Faults lists what is wrong with the policy itself.
func (p *Policy) Faults() []Fault {
	var list []Fault
	add := func(path, format string, args ...any) {
		list = append(list, Fault{Path: path, Text: fmt.Sprintf(format, args...)})
	}
	if p.Schema != Schema {
		add("schema", "found %q, supported %s", p.Schema, Schema)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Keys)) {
		if _, err := sign.ParseKey(p.Keys[name]); err != nil {
			add("keys."+name, "%v", err)
		}
	}
	if len(p.Rules) == 0 {
		add("plugins", "no rule: everything would be refused")
	}
	for i, r := range p.Rules {
		at := fmt.Sprintf("plugins[%d]", i)
		if !isSource(r.Source) {
			add(at+".source", "%q is none of std, file, layout, oci://HOST/...", r.Source)
		}
		for j, c := range r.Capabilities {
			if !slices.Contains(allCapabilities(), c) {
				add(fmt.Sprintf("%s.capabilities[%d]", at, j), "unknown capability %q; known are %v", c, allCapabilities())
			}
		}
		p.checkNames(add, at+".all_of", r.AllOf)
		if r.AnyOf != nil {
			p.checkNames(add, at+".any_of.keys", r.AnyOf.Keys)
			if r.AnyOf.Minimum < 1 || r.AnyOf.Minimum > len(r.AnyOf.Keys) {
				add(at+".any_of.minimum", "%d is not in 1..%d, the number of its keys", r.AnyOf.Minimum, len(r.AnyOf.Keys))
			}
		}
	}
	return list
}

func (p *Policy) checkNames(add func(path, format string, args ...any), at string, names []string) {
	for i, name := range names {
		if _, ok := p.Keys[name]; !ok {
			add(fmt.Sprintf("%s[%d]", at, i), "no key %q under keys", name)
		}
		if slices.Contains(names[:i], name) {
			add(fmt.Sprintf("%s[%d]", at, i), "key %q is there twice", name)
		}
	}
}

func allCapabilities() []lock.Capability {
	return []lock.Capability{lock.CapabilityContainers, lock.CapabilityInputs, lock.CapabilityNetwork, lock.CapabilityTarget, lock.CapabilityWorkdir}
}

func isSource(s string) bool {
	host, remote := strings.CutPrefix(s, "oci://")
	return s == "std" || s == "file" || s == "layout" || remote && host != "" && host[0] != '/'
}

// fits reports whether a source is one that the rule is for. A rule ends at a border: oci://a/b fits oci://a/b:1 and
// oci://a/b/c, and not oci://a/bc.
func (r *Rule) fits(source string) bool {
	rest, ok := strings.CutPrefix(source, r.Source)
	if !ok {
		return false
	}
	if rest == "" || strings.HasSuffix(r.Source, "/") {
		return true
	}
	borders := "/:@"
	if host, remote := strings.CutPrefix(r.Source, "oci://"); remote && !strings.Contains(host, "/") {
		borders = "/" // what follows a host's colon is its port: another registry
	}
	return strings.ContainsRune(borders, rune(rest[0]))
}

// Plugin is what is to be used.
type Plugin struct {
	Name    string
	Source  string // as a lock names it
	Native  bool
	Granted []lock.Capability // or asked for, where nothing is granted yet
	Signers []sign.Signer     // whose signatures fit
}

// RefusedError says why a plugin may not be used.
type RefusedError struct {
	Name, Source string
	Reasons      []string
}

// Error gives every reason.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("plugin %s (%s): the policy refuses it: %s", e.Name, e.Source, strings.Join(e.Reasons, "; "))
}

// Check says whether a plugin may be used at a time; the error is a *RefusedError. Signatures that have expired by then do not
// count.
func (p *Policy) Check(plugin Plugin, now time.Time) error {
	for i := range p.Rules {
		if p.Rules[i].fits(plugin.Source) {
			if reasons := p.reasons(&p.Rules[i], plugin, now); len(reasons) > 0 {
				return &RefusedError{Name: plugin.Name, Source: plugin.Source, Reasons: reasons}
			}
			return nil
		}
	}
	return &RefusedError{Name: plugin.Name, Source: plugin.Source, Reasons: []string{"no rule allows this source"}}
}

func (p *Policy) reasons(r *Rule, plugin Plugin, now time.Time) []string {
	var list []string
	if plugin.Native && !r.Native {
		list = append(list, "native plugins from this source are not allowed")
	}
	allowed := r.Capabilities
	if allowed == nil {
		allowed = []lock.Capability{lock.CapabilityInputs}
	}
	for _, c := range plugin.Granted {
		if !slices.Contains(allowed, c) {
			list = append(list, fmt.Sprintf("the capability %s is not allowed", c))
		}
	}
	for _, name := range r.AllOf {
		if why := p.missing(name, plugin.Signers, now); why != "" {
			list = append(list, why)
		}
	}
	if r.AnyOf != nil {
		n := 0
		for _, name := range r.AnyOf.Keys {
			if p.missing(name, plugin.Signers, now) == "" {
				n++
			}
		}
		if n < r.AnyOf.Minimum {
			list = append(list, fmt.Sprintf("signed by %d of %s, and %d are needed", n, strings.Join(r.AnyOf.Keys, ", "), r.AnyOf.Minimum))
		}
	}
	return list
}

// missing says why the signature of a named key does not count; empty: it does.
func (p *Policy) missing(name string, signers []sign.Signer, now time.Time) string {
	key, err := sign.ParseKey(p.Keys[name])
	if err != nil {
		return fmt.Sprintf("no key %s", name)
	}
	for _, s := range signers {
		if s.Key != key {
			continue
		}
		if s.Expired(now) {
			return fmt.Sprintf("the signature of %s expired at %s", name, s.ValidUntil.UTC().Format(time.RFC3339))
		}
		return ""
	}
	return fmt.Sprintf("not signed by %s (%s)", name, key)
}
