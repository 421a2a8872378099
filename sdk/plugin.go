package sdk

import (
	"errors"
	"fmt"
	"strings"

	"paceline/sdk/contract"
)

// Version names this SDK in what a plugin tells about itself.
const Version = "go/1"

// Plugin is one plugin with all that it offers. It is not changed once it is served.
type Plugin struct {
	Name       string // lower-case letters, digits and hyphens, a letter first
	Version    string // semantic version
	Components []Component
}

// Component is one thing that a plugin offers. Exactly one of its functions Workload, Validator, Scorer, Evaluator and
// Counter is set; it opens the component for one configuration and says of which kind the component is.
//
// An opening function returns Faults as its error where the configuration or an input is wrong in ways that a person can
// mend, and any other error where it cannot go on.
type Component struct {
	Name         string // as that of the plugin; unique in the plugin
	Summary      string // one line
	ConfigSchema []byte // JSON Schema of the configuration; empty: it takes none
	Capabilities []Capability
	Purity       Purity   // zero: deterministic under the host's WASI, as every Go guest is
	Inputs       []string // names of the data sets that it wants
	Unit         Unit     // judges: what one item depends on
	Needs        []Need   // judges and counters: what its samples hold beside identity, outcome and timing
	Probes       []Probe  // validators
	Imports      []string // workloads: trace formats that it reads

	Workload  func(*Opening) (Workload, error)
	Validator func(*Opening) (Validator, error)
	Scorer    func(*Opening) (Scorer, error)
	Evaluator func(*Opening) (Evaluator, error) // a scorer that drives the target itself
	Counter   func(*Opening) (Counter, error)
}

// Kind is the component's kind, zero where none or several of its functions are set.
func (c *Component) Kind() Kind {
	kinds := make([]Kind, 0, 1)
	add := func(set bool, k Kind) {
		if set {
			kinds = append(kinds, k)
		}
	}
	add(c.Workload != nil, KindWorkload)
	add(c.Validator != nil, KindValidator)
	add(c.Scorer != nil, KindScorer)
	add(c.Evaluator != nil, KindScorer)
	add(c.Counter != nil, KindCounter)
	if len(kinds) != 1 {
		return contract.KindUnspecified
	}
	return kinds[0]
}

// Check lists every fault of the definition.
func (p *Plugin) Check() error {
	var errs []error
	if !validName(p.Name) {
		errs = append(errs, fmt.Errorf("plugin name %q: not lower-case letters, digits and hyphens, with a letter first", p.Name))
	}
	if strings.Count(p.Version, ".") < 2 {
		errs = append(errs, fmt.Errorf("plugin version %q: not a semantic version", p.Version))
	}
	seen := map[string]bool{}
	for i := range p.Components {
		c := &p.Components[i]
		if !validName(c.Name) {
			errs = append(errs, fmt.Errorf("component name %q: not lower-case letters, digits and hyphens, with a letter first", c.Name))
		}
		if seen[c.Name] {
			errs = append(errs, fmt.Errorf("component %s: defined twice", c.Name))
		}
		seen[c.Name] = true
		if c.Kind() == contract.KindUnspecified {
			errs = append(errs, fmt.Errorf("component %s: exactly one of Workload, Validator, Scorer, Evaluator and Counter must be set", c.Name))
		}
	}
	return errors.Join(errs...)
}

func validName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || (r < '0' || r > '9') && r != '-') {
			return false
		}
	}
	return s != ""
}

func (p *Plugin) describe() *contract.DescribeResponse {
	d := &contract.DescribeResponse{Name: p.Name, Version: p.Version, ContractVersion: contract.Version, Sdk: Version}
	for i := range p.Components {
		c := &p.Components[i]
		purity := c.Purity
		if purity == contract.PurityUnspecified {
			purity = PurityWasiDeterministic
		}
		d.Components = append(d.Components, contract.Component{
			Kind: c.Kind(), Name: c.Name, Summary: c.Summary, ConfigSchema: c.ConfigSchema, Capabilities: c.Capabilities,
			Purity: purity, Inputs: c.Inputs, Unit: c.Unit, Needs: c.Needs, Probes: c.Probes, Imports: c.Imports,
		})
	}
	return d
}

func (p *Plugin) component(name string) *Component {
	for i := range p.Components {
		if p.Components[i].Name == name {
			return &p.Components[i]
		}
	}
	return nil
}
