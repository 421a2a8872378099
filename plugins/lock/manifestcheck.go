package lock

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Check lists every fault of a manifest.
func (m *Manifest) Check() error {
	var faults faults
	if m.Schema != ManifestSchema {
		faults.add("schema: found %q, supported %s", m.Schema, ManifestSchema)
	}
	if m.Contract != ContractVersion {
		faults.add("contract version: found %d, supported %d", m.Contract, ContractVersion)
	}
	if !isName(m.Name) {
		faults.add("name: %q is not made of a-z, 0-9 and -, starting with a letter", m.Name)
	}
	if !isSemver(m.Version) {
		faults.add("version: %q is no semantic version", m.Version)
	}
	if m.License == "" {
		faults.add("license: missing")
	}
	if len(m.Components) == 0 {
		faults.add("components: none")
	}
	seen := map[string]bool{}
	for i, c := range m.Components {
		if seen[c.Name] {
			faults.add("components[%d]: a second component %q", i, c.Name)
		}
		seen[c.Name] = true
		c.check(&faults, fmt.Sprintf("components[%d]", i), len(m.Native) > 0)
	}
	if m.MTLS && len(m.Native) == 0 {
		faults.add("mtls: true, and the plugin names no executable")
	}
	m.checkPresets(&faults)
	m.checkNative(&faults)
	return faults.err()
}

func (c *Component) check(faults *faults, at string, native bool) {
	if !isName(c.Name) {
		faults.add("%s.name: %q is not made of a-z, 0-9 and -, starting with a letter", at, c.Name)
	}
	if !slices.Contains([]Kind{KindWorkload, KindValidator, KindScorer, KindCounter}, c.Kind) {
		faults.add("%s.kind: unknown kind %q", at, c.Kind)
	}
	switch c.Purity {
	case PurityPure, PurityWASIDeterministic:
		if native {
			faults.add("%s.purity: %q, and the plugin is native", at, c.Purity)
		}
	case PurityNative:
		if !native {
			faults.add("%s.purity: native, and the plugin names no executable", at)
		}
	default:
		faults.add("%s.purity: unknown purity %q", at, c.Purity)
	}
	for _, have := range c.Capabilities {
		switch have {
		case CapabilityInputs:
		case CapabilityTarget, CapabilityNetwork, CapabilityContainers, CapabilityWorkdir:
			if !native {
				faults.add("%s.capabilities: %q is for native plugins only", at, have)
			}
		default:
			faults.add("%s.capabilities: unknown capability %q", at, have)
		}
	}
	if !sortedUnique(c.Capabilities) {
		faults.add("%s.capabilities: not sorted, or one twice", at)
	}
	names := map[string]bool{}
	for _, in := range c.Inputs {
		if in == "" || names[in] {
			faults.add("%s.inputs: %q is empty or there twice", at, in)
		}
		names[in] = true
	}
	if len(c.Inputs) > 0 && !slices.Contains(c.Capabilities, CapabilityInputs) {
		faults.add("%s.inputs: named, and the capability inputs is not asked for", at)
	}
	if len(c.ConfigSchema) == 0 {
		return
	}
	if _, err := members(c.ConfigSchema); err != nil {
		faults.add("%s.config_schema: %w", at, err)
	} else if len(c.ConfigSchema) > maxSchema {
		faults.add("%s.config_schema: %d bytes, and at most %d are allowed", at, len(c.ConfigSchema), maxSchema)
	}
}

func (m *Manifest) checkNative(faults *faults) {
	seen := map[string]bool{}
	for i, n := range m.Native {
		platform := n.OS + "/" + n.Arch
		if n.OS == "" || n.Arch == "" || n.File == "" || strings.ContainsAny(n.File, "/\\") || seen[platform] {
			faults.add("native[%d]: needs os, arch and a file name without folders, each platform once", i)
		}
		if n.Size < 0 {
			faults.add("native[%d].size: below 0", i)
		}
		seen[platform] = true
	}
}

// Encode writes the manifest as one line of JSON, the form that the module carries.
func (m *Manifest) Encode() ([]byte, error) {
	if err := m.Check(); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return nil, err
	}
	return bytes.TrimRight(out.Bytes(), "\n"), nil
}

// faults collects what is wrong.
type faults []error

func (f *faults) add(format string, args ...any) { *f = append(*f, fmt.Errorf(format, args...)) }

func (f faults) err() error { return errors.Join(f...) }
