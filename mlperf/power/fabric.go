package power

import (
	"fmt"
	"strings"

	"paceline/mlperf/lax"
)

// fabric adds NICs and switches of the scale-out network.
func (c *computer) fabric() {
	v := c.doc.Get("scale_out")
	present, _ := v.Get("present").Truth()
	nodes := 0
	for _, s := range c.totals.Sets {
		nodes += s.Nodes
	}
	if !present {
		if nodes > 1 {
			c.warn("no-fabric", "Describe the fabric, or tell reviewers that scale_up_network already holds it.",
				"scale_out.present is false for %d nodes; that is right only where one scale-up fabric joins them all", nodes)
		}
		return
	}
	if c.complete(v) {
		c.nics(v, nodes)
		c.switches(v)
	}
	if nodes == 1 {
		c.warn("lone-fabric", "Set scale_out.present to false.", "scale_out.present is true for a single node, so its switches count against it")
	}
}

func (c *computer) complete(v *lax.Value) bool {
	var missing []string
	for _, name := range []string{"cabling", "required_bandwidth_tbps", "nics", "switches"} {
		if v.Get(name).IsNull() {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		c.fail("fabric-incomplete", "Add what is missing.", "scale_out.present is true, but %s is missing", strings.Join(missing, ", "))
	}
	return len(missing) == 0
}

func (c *computer) nics(v *lax.Value, nodes int) {
	nics := v.Get("nics")
	counted, _ := nics.Get("counted").Truth()
	n, _ := nics.Get("count_per_node").Small()
	speed, _ := nics.Get("bandwidth_per_nic_gbps").Number()
	switch {
	case c.summed && !counted:
		c.fail("nics-left-out", "Set nics.counted to true.", "scale_out.nics.counted is false, but the node is summed from parts, and NICs are parts")
	case !c.summed && counted && nics.Get("excluded_from_published_power").IsNull() && v.Get("excluded_from_published_power").IsNull():
		c.fail("nics-twice", "Set nics.counted to false, or give evidence in excluded_from_published_power.",
			"scale_out.nics.counted is true, but the published power of a node is taken to hold its NICs")
	case counted:
		each := c.watts(nics.Get("tdp_per_nic"), "scale_out.nics.tdp_per_nic", func() (float64, bool) { return nicWatts, true }, "D.4")
		for i, s := range c.totals.Sets {
			w := each * float64(n) * float64(s.Nodes)
			c.major[i] += w
			c.totals.Sets[i].Watts += w
			c.totals.Major += w
		}
	}
	c.bandwidth(v, float64(nodes)*float64(n)*speed/1000)
}

// bandwidth holds the required bandwidth against what the NICs carry and the switches offer, all in Tb/s.
func (c *computer) bandwidth(v *lax.Value, carried float64) {
	required, _ := v.Get("required_bandwidth_tbps").Number()
	offered := 0.0
	for _, s := range v.Get("switches").List {
		n, _ := s.Get("count").Number()
		each, _ := s.Get("bandwidth_tbps").Number()
		offered += float64(n * each)
	}
	const slack = 1e-9
	if required < carried-slack {
		c.fail("bandwidth-low", fmt.Sprintf("Write %g.", carried), "scale_out.required_bandwidth_tbps is %g, but the NICs carry %g Tb/s", required, carried)
	}
	if offered < required-slack {
		c.fail("switches-few", "List every switch of the fabric.", "the scale-out switches offer %g Tb/s, less than the required %g Tb/s", offered, required)
	}
	if required > carried+slack {
		c.warn("bandwidth-high", fmt.Sprintf("Write %g.", carried), "scale_out.required_bandwidth_tbps is %g, more than the %g Tb/s of the NICs", required, carried)
	}
}

func (c *computer) switches(v *lax.Value) {
	optical := v.Get("cabling").Words() == opticalCabling
	for i, s := range v.Get("switches").List {
		n, _ := s.Get("count").Number()
		c.totals.Switches += float64(n * c.watts(s.Get("power_per_switch"), fmt.Sprintf("scale_out.switches[%d].power_per_switch", i),
			func() (float64, bool) { return switchDefault(s.Get("model").Words(), optical) }, "D.4"))
	}
}
