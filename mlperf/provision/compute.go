package provision

import (
	"errors"
	"fmt"
	"strings"
)

// overheads are what cooling and power supply add to the parts.
var overheads = map[string]float64{"liquid": 0.30, "air": 0.50}

// Power is what a system draws, in the parts that a point scales.
type Power struct {
	Computed
	KW       float64 // of the whole system, two decimals
	declared bool
	sets     []set
}

type set struct {
	ensemble, nodes int
	watts           float64 // with their overhead, without switches between nodes
}

// Compute adds a descriptor up. Products are rounded before they are added, so that no machine fuses both. The error names everything that is missing or cannot be, one a line.
func Compute(d *Descriptor) (*Power, error) {
	c := &computer{d: d}
	p := c.power()
	return p, errors.Join(c.errs...)
}

// Fill computes a descriptor and writes the totals into it.
func (d *Descriptor) Fill() (*Power, error) {
	p, err := Compute(d)
	if err != nil {
		return nil, err
	}
	d.Computed, d.KW = &p.Computed, &p.KW
	return p, nil
}

// Point is the power of a point that uses so many nodes of each ensemble; a set that is not named is used as a whole.
func (p *Power) Point(nodes map[int]int) float64 {
	var watts, most float64
	engaged, all, whole := 0.0, 0, true
	for _, s := range p.sets {
		used := s.nodes
		if n, told := nodes[s.ensemble]; told {
			used = n
		}
		whole = whole && used == s.nodes
		share := float64(used) / float64(s.nodes)
		most = max(most, share)
		watts += float64(s.watts * share)
		engaged += float64(used)
		all += s.nodes
	}
	switch {
	case whole || all == 0:
		return p.KW
	case p.declared: // one figure for the system, which no set has a share of
		return two(p.KW * most)
	}
	return two((watts + float64(p.Switches*engaged)/float64(all)) / 1000)
}

type computer struct {
	d    *Descriptor
	errs []error
}

func (c *computer) wrong(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

func (c *computer) power() *Power {
	p := &Power{declared: c.d.Declared != nil}
	overhead, known := overheads[c.d.Cooling]
	if !known {
		c.wrong("power.cooling: %q; want liquid or air", c.d.Cooling)
	}
	if len(c.d.NodeSets) == 0 {
		c.wrong("power.node_sets: want at least one")
	}
	p.Overhead = overhead
	nic := c.scaleOut(p)
	for i := range c.d.NodeSets {
		n := &c.d.NodeSets[i]
		major, published := c.set(n, fmt.Sprintf("power.node_sets[%d]", i), nic)
		p.Major += major
		p.Published += published
		p.sets = append(p.sets, set{n.Ensemble, max(n.Nodes, 1), float64((1+overhead)*major) + published})
	}
	p.Other = float64(overhead * p.Major)
	p.Total = p.Major + p.Other + p.Published + p.Switches
	p.KW = two(p.Total / 1000)
	if c.d.Declared != nil {
		p.KW = two(c.watts(c.d.Declared, "power.declared_provisioned_power") / 1000)
	}
	return p
}

// set is the power of a node set's parts, and what was published of it.
func (c *computer) set(n *NodeSet, at string, nic float64) (major, published float64) {
	if n.Nodes < 1 {
		c.wrong("%s.nodes_provisioned: %d; want at least 1", at, n.Nodes)
	}
	nodes := float64(n.Nodes)
	if n.Method == "component_sum" || c.d.ScaleOut.NICs != nil && c.d.ScaleOut.NICs.Excluded != "" {
		major = float64(nodes * nic)
	}
	switch n.Method {
	case "component_sum":
		return major + float64(nodes*c.node(n.Components, at+".components")), 0
	case "published_system":
		return major, nodes * c.watts(n.Published, at+".published_power")
	case "node_scaling":
		if n.InRack <= n.Nodes {
			c.wrong("%s.nodes_in_published_rack: %d; want more than the %d nodes of the set", at, n.InRack, n.Nodes)
			return 0, 0
		}
		return major, c.watts(n.Published, at+".published_power") * nodes / float64(n.InRack)
	}
	c.wrong("%s.power_method: %q; want component_sum, published_system or node_scaling", at, n.Method)
	return 0, 0
}

// node is the power of one node's parts.
func (c *computer) node(p *Components, at string) float64 {
	if p == nil {
		c.wrong("%s: is missing; component_sum needs it", at)
		return 0
	}
	up := c.scaleUp(p.ScaleUp, at+".scale_up_network")
	if p.Combined != nil {
		return up + c.watts(p.Combined, at+".combined_cpu_accelerator")
	}
	sum := up
	for _, x := range []struct {
		name string
		part *Part
	}{{"cpu", p.CPU}, {"accelerator", p.Accelerator}} {
		if x.part == nil {
			c.wrong("%s.%s: is missing; give both cpu and accelerator, or combined_cpu_accelerator", at, x.name)
			continue
		}
		sum += float64(float64(x.part.Count) * c.watts(x.part.TDP, at+"."+x.name+".tdp_per_unit"))
	}
	return sum
}

func (c *computer) scaleUp(s *ScaleUp, at string) float64 {
	if s == nil {
		c.wrong("%s: is missing; method none says that there is no such network", at)
		return 0
	}
	switch s.Method {
	case "none":
		return 0
	case "declared_tdp":
		return float64(float64(s.Switches) * c.watts(s.TDP, at+".tdp_per_switch"))
	case "bandwidth_estimate":
		if s.PerBit == nil || s.PerBit.PJ == nil || s.Bandwidth <= 0 {
			c.wrong("%s: bandwidth_estimate needs aggregate_bandwidth_tbps and energy_per_bit_pj with value_pj", at)
			return 0
		}
		c.source(s.PerBit, at+".energy_per_bit_pj")
		return float64(s.Bandwidth * 8 * *s.PerBit.PJ)
	}
	c.wrong("%s.method: %q; want none, declared_tdp or bandwidth_estimate", at, s.Method)
	return 0
}

// scaleOut adds the switches between nodes to p, and gives the power of the network cards of one node where they count.
func (c *computer) scaleOut(p *Power) (nic float64) {
	s := &c.d.ScaleOut
	if !s.Present {
		return 0
	}
	if s.NICs == nil || s.Switches == nil || s.Required == nil || s.Cabling == "" {
		c.wrong("power.scale_out: where it is present it needs cabling, required_bandwidth_tbps, nics and switches")
		return 0
	}
	for i, w := range s.Switches {
		p.Switches += float64(float64(w.Count) * c.watts(w.Power, fmt.Sprintf("power.scale_out.switches[%d].power_per_switch", i)))
	}
	if s.NICs.Counted {
		nic = float64(float64(s.NICs.Count) * c.watts(s.NICs.TDP, "power.scale_out.nics.tdp_per_nic"))
	}
	return nic
}

// watts is a figure that must be a power.
func (c *computer) watts(s *Sourced, at string) float64 {
	if s == nil {
		c.wrong("%s: is missing; give value_w, source_type and source (a public URL)", at)
		return 0
	}
	c.source(s, at)
	switch {
	case s.PJ != nil || s.W != nil && s.KW != nil || s.W == nil && s.KW == nil:
		c.wrong("%s: give one of value_w and value_kw", at)
		return 0
	case s.W != nil:
		return *s.W
	}
	return *s.KW * 1000
}

// source holds a source to its type.
func (c *computer) source(s *Sourced, at string) {
	switch s.Type {
	case "vendor_spec", "publication", "public_statement":
		if !strings.HasPrefix(s.Source, "https://") && !strings.HasPrefix(s.Source, "http://") {
			c.wrong("%s.source: %q; want a public URL", at, s.Source)
		}
	case "mlc_default":
		c.d.Estimated = true
	default:
		c.wrong("%s.source_type: %q; want vendor_spec, publication, public_statement or mlc_default", at, s.Type)
	}
}
