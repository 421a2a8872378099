package check

import (
	"regexp"
	"strings"

	"paceline/mlperf/check/tree"
	"paceline/mlperf/lax"
	"paceline/mlperf/power"
)

// power checks a system's power file and recomputes it. It returns nil where nothing can be computed.
func (c *checker) power(s *tree.System, curves []*curve) *power.Totals {
	desc := description(curves)
	f := s.Power
	switch {
	case !f.Here && strings.EqualFold(strings.TrimSpace(desc.Get("division").Words()), "Serviced"),
		!f.Here && strings.EqualFold(strings.TrimSpace(desc.Get("division").Words()), "RDI"):
		return nil
	case !f.Here:
		c.fail("power-descriptor", "missing", f.Path, "List the parts with the sources of their figures.", "%s has no system_power.json, which the Standardized division wants", s.Path)
		return nil
	case f.Err != nil:
		c.unreadable("power-descriptor", f)
		return nil
	}
	if faults := power.Shape().Faults(f.Doc); len(faults) > 0 {
		c.faults("power-descriptor", f, faults)
		return nil
	}
	fits := c.cooling(f, desc)
	totals, problems := power.Compute(f.Doc, nodeTypes(desc))
	for _, p := range problems {
		if p.Warning {
			c.warn("power-descriptor", p.Key, f.Path, p.Fix, "%s", p.Text)
			continue
		}
		c.fail("power-descriptor", p.Key, f.Path, p.Fix, "%s", p.Text)
	}
	if totals == nil {
		return nil
	}
	if fits {
		c.pass("power-descriptor", f.Path, "provisioned power is %.2f kW", totals.Kilowatts())
	}
	for _, e := range totals.Estimated {
		c.warn("power-estimated", "default", f.Path, "Give the vendor's figure with its address; else the result is marked MLC Estimated Power.", "%s", e)
	}
	return totals
}

// description is the first one of a system that can be read.
func description(curves []*curve) *lax.Value {
	for _, v := range curves {
		if d := v.description(); d != nil {
			return d
		}
	}
	return nil
}

// nodeTypes are the described ensembles that have an id. One without an id stands for all.
func nodeTypes(desc *lax.Value) []power.NodeType {
	var all []power.NodeType
	for _, n := range list(desc.Get("node_types")) {
		id, ok := n.Get("system_node_ensemble_id").Small()
		if !ok || len(all) == power.MaxNodeSets {
			continue
		}
		t := power.NodeType{Ensemble: id, Accelerators: -1}
		t.Cores, _ = n.Get("host_processor_core_count").Small()
		for _, a := range list(n.Get("accelerator_info")) {
			if k, ok := a.Get("accelerators_per_node").Small(); ok {
				t.Accelerators = max(t.Accelerators, 0) + k
			}
		}
		all = append(all, t)
	}
	return all
}

func list(v *lax.Value) []*lax.Value {
	if v == nil {
		return nil
	}
	return v.List
}

var (
	liquidWords = regexp.MustCompile(`(?i)liquid|water|immersion`)
	airWords    = regexp.MustCompile(`(?i)\bair\b`)
)

// cooling holds the file's cooling to the described one. Descriptions that name both for different nodes, or neither, say nothing.
func (c *checker) cooling(f tree.File, desc *lax.Value) bool {
	said := map[string]bool{}
	for _, n := range list(desc.Get("node_types")) {
		switch s := n.Get("cooling").Words(); {
		case liquidWords.MatchString(s):
			said["liquid"] = true
		case airWords.MatchString(s):
			said["air"] = true
		}
	}
	have := f.Doc.Get("cooling").Words()
	if len(said) != 1 || said[have] {
		return true
	}
	c.fail("power-descriptor", "cooling", f.Path, "Correct one of the two.", "cooling is %q, but node_types of system_desc.json describe other cooling", have)
	return false
}
