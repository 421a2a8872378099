// Package power recomputes what a system is provisioned with from system_power.json: parts by their published figures, an overhead
// for everything else, and switches of the scale-out fabric. A point's power is the share of the nodes that it uses.
package power

import (
	"fmt"
	"math"

	"paceline/mlperf/lax"
)

const (
	componentSum    = "component_sum"
	publishedSystem = "published_system"
	nodeScaling     = "node_scaling"
	opticalCabling  = "active_optical"
)

// Overhead of what is no major part: fans, storage, boards, conversion.
const (
	LiquidOverhead = 0.30
	AirOverhead    = 0.50
)

// Tolerances of stored figures.
const (
	wattTolerance     = 0.5
	kilowattTolerance = 0.005
)

// NodeType is what system_desc.json says about the nodes of one ensemble.
type NodeType struct {
	Ensemble     int
	Cores        int // 0: not told
	Accelerators int // of a node; -1: not told
}

// Problem is something wrong with a descriptor. Where it is no warning, there are no totals.
type Problem struct {
	Warning bool
	Key     string // short name of the kind of problem
	Text    string
	Fix     string
}

// Set is a node set with its power, overhead included.
type Set struct {
	Ensemble     int
	Nodes        int
	Accelerators int // of a node; -1: not known
	Watts        float64
}

// Totals are the recomputed figures.
type Totals struct {
	Major, Overhead, Other, Published, Switches float64 // W, and a fraction for Overhead
	Sets                                        []Set
	Declared                                    float64  // kW; 0 where nothing is declared
	Estimated                                   []string // what an Appendix D figure stands for
}

// Watts is the sum of all.
func (t *Totals) Watts() float64 { return t.Major + t.Other + t.Published + t.Switches }

// Kilowatts is what governs: the declared power where there is one.
func (t *Totals) Kilowatts() float64 {
	if t.Declared > 0 {
		return t.Declared
	}
	return t.Watts() / 1000
}

// Point is the power of a point in kW. used holds the nodes of each ensemble that it names; of others all count.
func (t *Totals) Point(used map[int]int) float64 {
	sum, nodes, all := 0.0, 0, 0
	for _, s := range t.Sets {
		n, ok := used[s.Ensemble]
		if !ok {
			n = s.Nodes
		}
		sum += float64(s.Watts*float64(n)) / float64(s.Nodes)
		nodes, all = nodes+n, all+s.Nodes
	}
	if all > 0 {
		sum += float64(t.Switches*float64(nodes)) / float64(all)
	}
	if t.Declared > 0 && t.Watts() > 0 {
		return t.Declared * sum / t.Watts()
	}
	return sum / 1000
}

// Compute recomputes a descriptor that has the right shape. Problems come in the order of the file; without totals one of them is
// no warning. Products are rounded before they are summed, so that every machine gives the same bits.
func Compute(doc *lax.Value, nodes []NodeType) (*Totals, []Problem) {
	c := &computer{doc: doc, nodes: nodes, totals: &Totals{Overhead: AirOverhead}}
	if doc.Get("cooling").Words() == "liquid" {
		c.totals.Overhead = LiquidOverhead
	}
	c.sets()
	c.fabric()
	c.totals.Other = c.totals.Overhead * c.totals.Major
	for i, s := range c.totals.Sets {
		c.totals.Sets[i].Watts = s.Watts + float64(c.major[i]*c.totals.Overhead)
	}
	c.declared()
	if !c.failed {
		c.stored()
	}
	if c.failed {
		return nil, c.problems
	}
	return c.totals, c.problems
}

type computer struct {
	doc      *lax.Value
	nodes    []NodeType
	totals   *Totals
	major    []float64 // of each set
	summed   bool      // a set is built from parts
	problems []Problem
	failed   bool
}

func (c *computer) fail(key, fix, format string, args ...any) {
	c.failed = true
	c.problems = append(c.problems, Problem{Key: key, Text: fmt.Sprintf(format, args...), Fix: fix})
}

func (c *computer) warn(key, fix, format string, args ...any) {
	c.problems = append(c.problems, Problem{Warning: true, Key: key, Text: fmt.Sprintf(format, args...), Fix: fix})
}

// watts is a sourced figure, or Appendix D's where there is none.
func (c *computer) watts(v *lax.Value, where string, byDefault func() (float64, bool), section string) float64 {
	if v.IsNull() {
		w, ok := byDefault()
		if !ok {
			c.fail("no-figure", "Give value_w with the vendor's data sheet as source.", "%s is missing, and Appendix D has no figure for it", where)
			return 0
		}
		c.totals.Estimated = append(c.totals.Estimated, where+" is missing, so "+section+" holds")
		return w
	}
	if v.Get("source_type").Words() == mlcDefault {
		c.totals.Estimated = append(c.totals.Estimated, where+" names "+v.Get("source").Words())
	}
	if w, ok := v.Get("value_kw").Number(); ok {
		return w * 1000
	}
	w, ok := v.Get("value_w").Number()
	if !ok {
		c.fail("no-power", "Give value_w or value_kw.", "%s is an energy (value_pj), but a power is wanted", where)
	}
	return w
}

func none() (float64, bool) { return 0, false }

func (c *computer) declared() {
	v := c.doc.Get("declared_provisioned_power")
	if !v.IsNull() {
		c.totals.Declared = c.watts(v, "declared_provisioned_power", none, "") / 1000
	}
}

// stored holds the file's own sums to the recomputed ones.
func (c *computer) stored() {
	t := c.totals
	for _, f := range []struct {
		name  string
		value float64
		slack float64
	}{
		{"major_components_w", t.Major, wattTolerance}, {"overhead_fraction", t.Overhead, 1e-9}, {"other_components_w", t.Other, wattTolerance},
		{"published_node_power_w", t.Published, wattTolerance}, {"scale_out_switch_power_w", t.Switches, wattTolerance},
		{"total_system_power_w", t.Watts(), wattTolerance},
	} {
		c.compare("computed."+f.name, c.doc.At("computed", f.name), f.value, f.slack)
	}
	c.compare("provisioned_power_kw", c.doc.Get("provisioned_power_kw"), t.Kilowatts(), kilowattTolerance)
}

func (c *computer) compare(name string, stored *lax.Value, want, slack float64) {
	have, ok := stored.Number()
	if ok && math.Abs(have-want) > slack+1e-9 {
		c.fail("stored", fmt.Sprintf("Write %.6g, or leave %s out: it is recomputed.", want, name),
			"%s is %g, but the parts give %.6g", name, have, want)
	}
}
