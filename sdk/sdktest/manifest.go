package sdktest

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"paceline/sdk"
	"paceline/sdk/contract"
)

// CheckManifest fails the test where a plugin's manifest.json says other things than the plugin itself: a host refuses
// such a plugin.
func CheckManifest(tb testing.TB, p *sdk.Plugin, manifest []byte) {
	tb.Helper()
	type component struct {
		Kind, Name, Purity   string
		Capabilities, Inputs []string
		ConfigSchema         json.RawMessage `json:"config_schema"`
	}
	var m struct {
		Name, Version string
		Contract      uint32
		Components    []component
	}
	if err := json.Unmarshal(manifest, &m); err != nil {
		tb.Fatalf("manifest: %v", err)
	}
	d := Describe(tb, p)
	if m.Name != d.Name || m.Version != d.Version || m.Contract != d.ContractVersion {
		tb.Errorf("manifest says %s %s, contract %d; the plugin says %s %s, contract %d",
			m.Name, m.Version, m.Contract, d.Name, d.Version, d.ContractVersion)
	}
	if len(m.Components) != len(d.Components) {
		tb.Errorf("manifest has %d components, the plugin %d", len(m.Components), len(d.Components))
	}
	for i := range min(len(m.Components), len(d.Components)) {
		said, is := m.Components[i], &d.Components[i]
		if said.Kind != kindName(is.Kind) || said.Name != is.Name || said.Purity != purityName(is.Purity) ||
			!slices.Equal(said.Inputs, is.Inputs) || !slices.Equal(said.Capabilities, capabilityNames(is.Capabilities)) {
			tb.Errorf("component %d: manifest says %+v, the plugin %s %s, %s, inputs %q, capabilities %q", i, said,
				kindName(is.Kind), is.Name, purityName(is.Purity), is.Inputs, capabilityNames(is.Capabilities))
		}
		if len(said.ConfigSchema) > 0 && !sameJSON(said.ConfigSchema, is.ConfigSchema) {
			tb.Errorf("component %s: the configuration's schema is another one in the manifest than in the plugin", is.Name)
		}
	}
}

// sameJSON compares two documents by their values: neither white space nor the order of keys counts.
func sameJSON(a, b []byte) bool {
	x, okX := canonical(a)
	y, okY := canonical(b)
	return okX && okY && bytes.Equal(x, y)
}

func canonical(text []byte) ([]byte, bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	out, err := json.Marshal(v)
	return out, err == nil
}

func kindName(k sdk.Kind) string {
	return pick([]string{"", "workload", "validator", "scorer", "counter"}, int(k))
}

func purityName(p sdk.Purity) string {
	return pick([]string{"", "pure", "wasi_deterministic", "native"}, int(p))
}

// capabilityNames has them sorted by name, as a manifest does.
func capabilityNames(list []contract.Capability) []string {
	var names []string
	for _, c := range list {
		names = append(names, pick([]string{"", "inputs", "target", "network", "containers", "workdir"}, int(c)))
	}
	slices.SortFunc(names, strings.Compare)
	return names
}

func pick(names []string, i int) string {
	if i < 0 || i >= len(names) {
		return "unknown"
	}
	return names[i]
}
