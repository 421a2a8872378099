package lock

import (
	"encoding/json"
	"fmt"

	"paceline/core/digest"
)

// ManifestSchema names the manifest's format.
const ManifestSchema = "paceline/manifest/v1"

// ContractVersion is the version of the plugin contract that this runner speaks.
const ContractVersion = 1

// Kind says what a component is.
type Kind string

// Kinds of components.
const (
	KindWorkload  Kind = "workload"
	KindValidator Kind = "validator"
	KindScorer    Kind = "scorer"
	KindCounter   Kind = "counter"
)

// Purity says how far equal requests give equal bytes.
type Purity string

// Purities.
const (
	PurityPure              Purity = "pure"
	PurityWASIDeterministic Purity = "wasi_deterministic"
	PurityNative            Purity = "native"
)

// Capability is what a component asks for beyond computing.
type Capability string

// Capabilities.
const (
	CapabilityInputs     Capability = "inputs"
	CapabilityTarget     Capability = "target"
	CapabilityNetwork    Capability = "network"
	CapabilityContainers Capability = "containers"
	CapabilityWorkdir    Capability = "workdir"
)

// Manifest is what a plugin says of itself.
type Manifest struct {
	Schema     string      `json:"schema"`
	Name       string      `json:"name"`    // [a-z0-9-], starting with a letter
	Version    string      `json:"version"` // semantic version
	Contract   int         `json:"contract"`
	Summary    string      `json:"summary,omitempty"`
	License    string      `json:"license"` // SPDX expression
	Authors    []string    `json:"authors,omitempty"`
	Source     string      `json:"source,omitempty"` // where the code is
	Components []Component `json:"components"`
	Presets    []Preset    `json:"presets,omitempty"`
	Native     []Native    `json:"native,omitempty"` // executables; empty for a wasm plugin
	// MTLS says that the executables answer go-plugin's AutoMTLS: calls then go through TLS with certificates on both sides.
	MTLS bool `json:"mtls,omitempty"`
}

// Component is one component of a plugin.
type Component struct {
	Kind         Kind         `json:"kind"`
	Name         string       `json:"name"`
	Summary      string       `json:"summary,omitempty"`
	Purity       Purity       `json:"purity"`
	Capabilities []Capability `json:"capabilities,omitempty"` // sorted
	Inputs       []string     `json:"inputs,omitempty"`       // names of the inputs that it wants
	// ConfigSchema is the JSON Schema of the configuration, the same as the plugin tells in Describe; empty: ask the plugin.
	ConfigSchema json.RawMessage `json:"config_schema,omitempty"`
}

// Native is the executable of a native plugin for one platform.
type Native struct {
	OS     string        `json:"os"`
	Arch   string        `json:"arch"`
	File   string        `json:"file"`
	Size   int64         `json:"size,omitempty"` // bytes; 0: not told
	SHA256 digest.SHA256 `json:"sha256"`
}

// ParseManifest reads and checks a manifest.
func ParseManifest(data []byte) (*Manifest, error) {
	if len(data) > maxManifest {
		return nil, fmt.Errorf("manifest: %d bytes, and at most %d are allowed", len(data), maxManifest)
	}
	if err := schemaOf(data, ManifestSchema); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	var m Manifest
	if err := decodeStrict(data, &m); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	if err := m.Check(); err != nil {
		return nil, fmt.Errorf("manifest: %w", err)
	}
	return &m, nil
}

// maxManifest bounds a manifest's bytes; presets make most of them.
const maxManifest = 4 << 20

// Component finds a component by its name.
func (m *Manifest) Component(name string) (Component, bool) {
	for _, c := range m.Components {
		if c.Name == name {
			return c, true
		}
	}
	return Component{}, false
}

// Preset finds a preset by its name without the plugin's.
func (m *Manifest) Preset(name string) (Preset, bool) {
	for _, p := range m.Presets {
		if p.Name == name {
			return p, true
		}
	}
	return Preset{}, false
}

// Executable finds the executable of a native plugin for a platform.
func (m *Manifest) Executable(os, arch string) (Native, bool) {
	for _, n := range m.Native {
		if n.OS == os && n.Arch == arch {
			return n, true
		}
	}
	return Native{}, false
}

// Pure reports whether every component is declared pure, so that the module may import nothing but the host's own
// functions.
func (m *Manifest) Pure() bool {
	for _, c := range m.Components {
		if c.Purity == PurityPure {
			return true // one module holds all components: what one may not import, none may
		}
	}
	return false
}
