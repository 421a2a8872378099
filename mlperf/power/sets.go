package power

import (
	"fmt"

	"paceline/mlperf/lax"
)

func (c *computer) sets() {
	seen := map[int]bool{}
	for i, v := range c.doc.Get("node_sets").List {
		id, _ := v.Get("node_set_id").Small()
		if seen[id] {
			c.fail("set-twice", "Number the sets 0, 1, 2, ...", "node_sets[%d]: node_set_id %d is there twice", i, id)
		}
		seen[id] = true
		c.set(fmt.Sprintf("node_sets[%d]", i), v)
	}
	c.unknownEnsembles()
}

func (c *computer) set(where string, v *lax.Value) {
	s := Set{Accelerators: -1}
	s.Ensemble, _ = v.Get("system_node_ensemble_id").Small()
	s.Nodes, _ = v.Get("nodes_provisioned").Small()
	node := c.nodeType(s.Ensemble)
	s.Accelerators = node.Accelerators
	major := 0.0
	switch v.Get("power_method").Words() {
	case componentSum:
		c.summed = true
		perNode, accelerators := c.parts(where+".components", v.Get("components"), node)
		major = perNode * float64(s.Nodes)
		if accelerators >= 0 {
			s.Accelerators = accelerators
		}
	case nodeScaling:
		rack, ok := v.Get("nodes_in_published_rack").Small()
		if !ok || rack <= s.Nodes {
			c.fail("rack", "Give the nodes of the published rack, which must be more than are provisioned; else use published_system.",
				"%s: node_scaling wants nodes_in_published_rack above nodes_provisioned (%d), found %s", where, s.Nodes, v.Get("nodes_in_published_rack"))
			return
		}
		s.Watts = c.published(where, v) * float64(s.Nodes) / float64(rack)
	default:
		s.Watts = c.published(where, v)
	}
	c.totals.Major += major
	c.totals.Published += s.Watts
	s.Watts += major
	c.totals.Sets, c.major = append(c.totals.Sets, s), append(c.major, major)
}

func (c *computer) published(where string, v *lax.Value) float64 {
	if v.Get("published_power").IsNull() {
		c.fail("no-published", "Give published_power with its source.", "%s: %s wants published_power", where, v.Get("power_method").Words())
		return 0
	}
	return c.watts(v.Get("published_power"), where+".published_power", none, "")
}

// parts is the power of one node's parts, and how many accelerators it says a node has, -1 for nothing.
func (c *computer) parts(where string, v *lax.Value, node NodeType) (watts float64, accelerators int) {
	accelerators = -1
	if v.IsNull() {
		c.fail("no-components", "List cpu, accelerator and scale_up_network.", "%s is missing, but power_method is component_sum", where)
		return 0, accelerators
	}
	cpu, acc, both := v.Get("cpu"), v.Get("accelerator"), v.Get("combined_cpu_accelerator")
	if n, ok := acc.Get("count_per_node").Small(); ok {
		accelerators = n
	}
	switch {
	case !both.IsNull() && (!cpu.Get("tdp_per_unit").IsNull() || !acc.Get("tdp_per_unit").IsNull()):
		c.fail("combined", "Keep either combined_cpu_accelerator or the two figures.",
			"%s gives combined_cpu_accelerator beside tdp_per_unit of cpu or accelerator", where)
	case !both.IsNull():
		watts = c.watts(both, where+".combined_cpu_accelerator", none, "")
	case cpu.IsNull() || acc.IsNull():
		c.fail("no-parts", "Add the missing part.", "%s wants cpu and accelerator, or combined_cpu_accelerator", where)
	default:
		watts = c.part(cpu, where+".cpu.tdp_per_unit", "D.2", func(name string) (float64, bool) { return cpuDefault(name, node.Cores) }) +
			c.part(acc, where+".accelerator.tdp_per_unit", "D.3", acceleratorDefault)
	}
	return watts + c.scaleUp(where, v.Get("scale_up_network")), accelerators
}

func (c *computer) part(v *lax.Value, where, section string, byName func(string) (float64, bool)) float64 {
	n, _ := v.Get("count_per_node").Small()
	return float64(float64(n) * c.watts(v.Get("tdp_per_unit"), where, func() (float64, bool) { return byName(v.Get("model").Words()) }, section))
}

func (c *computer) scaleUp(where string, v *lax.Value) float64 {
	if v.IsNull() {
		c.fail("no-scale-up", "Write {\"method\": \"none\"} where there is no scale-up switch.", "%s.scale_up_network is missing", where)
		return 0
	}
	where += ".scale_up_network"
	switch v.Get("method").Words() {
	case "declared_tdp":
		n, ok := v.Get("switch_count").Small()
		if !ok {
			c.fail("no-switch-count", "Give switch_count of one node.", "%s: declared_tdp wants switch_count", where)
			return 0
		}
		return float64(float64(n) * c.watts(v.Get("tdp_per_switch"), where+".tdp_per_switch", none, ""))
	case "bandwidth_estimate":
		return c.linkPower(where, v)
	}
	return 0
}

// linkPower is bandwidth times energy. The bandwidth is in terabytes per second, whatever its name says.
func (c *computer) linkPower(where string, v *lax.Value) float64 {
	bandwidth, ok := v.Get("aggregate_bandwidth_tbps").Number()
	energy, ok2 := v.At("energy_per_bit_pj", "value_pj").Number()
	if !ok || !ok2 {
		c.fail("no-link-energy", "Give both; there is no default, since the energy depends on the link.",
			"%s: bandwidth_estimate wants aggregate_bandwidth_tbps and energy_per_bit_pj with value_pj", where)
	}
	if v.At("energy_per_bit_pj", "source_type").Words() == mlcDefault {
		c.totals.Estimated = append(c.totals.Estimated, where+".energy_per_bit_pj names "+v.At("energy_per_bit_pj", "source").Words())
	}
	return float64(bandwidth * 8 * energy)
}

func (c *computer) nodeType(ensemble int) NodeType {
	for _, n := range c.nodes {
		if n.Ensemble == ensemble {
			return n
		}
	}
	return NodeType{Accelerators: -1}
}

func (c *computer) unknownEnsembles() {
	if len(c.nodes) == 0 {
		return
	}
	for i, s := range c.totals.Sets {
		if !c.describes(s.Ensemble) {
			c.warn("unknown-ensemble", "Use the ids of node_types in system_desc.json.",
				"node_sets[%d] names system_node_ensemble_id %d, which system_desc.json does not describe", i, s.Ensemble)
		}
	}
}

func (c *computer) describes(ensemble int) bool {
	for _, n := range c.nodes {
		if n.Ensemble == ensemble {
			return true
		}
	}
	return false
}
