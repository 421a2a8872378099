package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"paceline/plugins/host"
	"paceline/plugins/lock"
	pb "paceline/schemas/gen/pluginv1"
)

// Plugin is a plugin whose own description agrees with its manifest. Its methods may be called concurrently.
type Plugin struct {
	host        *host.Plugin
	description *pb.DescribeResponse
}

// Load asks a plugin to describe itself within the default limits and compares that with its manifest.
func Load(ctx context.Context, p *host.Plugin) (*Plugin, error) {
	return LoadWithin(ctx, p, lock.Limits{})
}

// LoadWithin is Load with limits of the run.
func LoadWithin(ctx context.Context, p *host.Plugin, limits lock.Limits) (*Plugin, error) {
	bare, err := p.Open(ctx, host.ComponentOptions{Limits: limits})
	if err != nil {
		return nil, err
	}
	defer func() { _ = bare.Close() }()
	d, err := pb.NewPluginClient(bare.Conn()).Describe(ctx, &pb.DescribeRequest{ContractVersion: lock.ContractVersion})
	if err != nil {
		return nil, err
	}
	if diff := disagreements(p.Manifest(), d); len(diff) > 0 {
		return nil, &host.Error{Plugin: p.Name(), Call: "Describe", Cause: host.Interface,
			Text: "the plugin's description differs from its manifest: " + strings.Join(diff, "; ")}
	}
	return &Plugin{host: p, description: d}, nil
}

// Host is the plugin underneath.
func (p *Plugin) Host() *host.Plugin { return p.host }

// disagreements lists where a description differs from the manifest.
func disagreements(m *lock.Manifest, d *pb.DescribeResponse) []string {
	var diff []string
	compare := func(what string, manifest, description any) {
		if manifest != description {
			diff = append(diff, fmt.Sprintf("%s is %v in the manifest and %v in the description", what, manifest, description))
		}
	}
	compare("name", m.Name, d.GetName())
	compare("version", m.Version, d.GetVersion())
	compare("contract version", uint32(m.Contract), d.GetContractVersion())
	compare("number of components", len(m.Components), len(d.GetComponents()))
	if len(diff) > 0 {
		return diff
	}
	for _, c := range m.Components {
		said := componentOf(d, c.Name)
		if said == nil {
			diff = append(diff, fmt.Sprintf("component %s is in the manifest only", c.Name))
			continue
		}
		compare(c.Name+": kind", c.Kind, kindOf(said.GetKind()))
		compare(c.Name+": purity", c.Purity, purityOf(said.GetPurity()))
		compare(c.Name+": capabilities", fmt.Sprint(c.Capabilities), fmt.Sprint(capabilitiesOf(said.GetCapabilities())))
		compare(c.Name+": inputs", fmt.Sprint(c.Inputs), fmt.Sprint(said.GetInputs()))
		if len(c.ConfigSchema) > 0 && !sameJSON(c.ConfigSchema, said.GetConfigSchema()) {
			diff = append(diff, c.Name+": the configuration's schema is another one in the manifest than in the description")
		}
	}
	return diff
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

// ConfigSchema is the JSON Schema of a component's configuration as the plugin describes it; empty where it tells none.
func (p *Plugin) ConfigSchema(component string) []byte {
	return componentOf(p.description, component).GetConfigSchema()
}

func componentOf(d *pb.DescribeResponse, name string) *pb.Component {
	for _, c := range d.GetComponents() {
		if c.GetName() == name {
			return c
		}
	}
	return nil
}

// unknown is the word for a value that this runner does not know.
func unknown(n int32) string { return fmt.Sprintf("unknown (%d)", n) }

func kindOf(k pb.Kind) lock.Kind {
	switch k {
	case pb.Kind_KIND_WORKLOAD:
		return lock.KindWorkload
	case pb.Kind_KIND_VALIDATOR:
		return lock.KindValidator
	case pb.Kind_KIND_SCORER:
		return lock.KindScorer
	case pb.Kind_KIND_COUNTER:
		return lock.KindCounter
	default:
		return lock.Kind(unknown(int32(k)))
	}
}

func purityOf(p pb.Purity) lock.Purity {
	switch p {
	case pb.Purity_PURITY_PURE:
		return lock.PurityPure
	case pb.Purity_PURITY_WASI_DETERMINISTIC:
		return lock.PurityWASIDeterministic
	case pb.Purity_PURITY_NATIVE:
		return lock.PurityNative
	default:
		return lock.Purity(unknown(int32(p)))
	}
}

// capability pairs a name with its number.
type capability struct {
	name   lock.Capability
	number pb.Capability
}

func capabilities() []capability {
	return []capability{
		{lock.CapabilityInputs, pb.Capability_CAPABILITY_INPUTS},
		{lock.CapabilityTarget, pb.Capability_CAPABILITY_TARGET},
		{lock.CapabilityNetwork, pb.Capability_CAPABILITY_NETWORK},
		{lock.CapabilityContainers, pb.Capability_CAPABILITY_CONTAINERS},
		{lock.CapabilityWorkdir, pb.Capability_CAPABILITY_WORKDIR},
	}
}

// capabilitiesOf gives names, sorted as a manifest has them.
func capabilitiesOf(numbers []pb.Capability) []lock.Capability {
	var names []lock.Capability
	for _, n := range numbers {
		name := lock.Capability(unknown(int32(n)))
		for _, c := range capabilities() {
			if c.number == n {
				name = c.name
			}
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func capabilityNumbers(names []lock.Capability) []pb.Capability {
	var numbers []pb.Capability
	for _, c := range capabilities() {
		if slices.Contains(names, c.name) {
			numbers = append(numbers, c.number)
		}
	}
	return numbers
}
