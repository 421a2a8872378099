package check

import (
	"math"
	"strings"

	"paceline/mlperf/lax"
	"paceline/mlperf/power"
)

// parallelism is how a point spreads the model.
type parallelism struct {
	declared      bool
	replica       int // TP x PP x EP: accelerators of one copy
	copies        int // DP
	disaggregated bool
	wrong         bool // one of them is below 1
}

// engaged are the accelerators that work.
func (p parallelism) engaged() int { return product(p.replica, p.copies) }

// product multiplies without running over.
func product(a, b int) int {
	if r := int64(a) * int64(b); r <= math.MaxInt32 && r >= math.MinInt32 {
		return int(r)
	}
	return math.MaxInt32
}

func parallelismOf(desc *lax.Value) parallelism {
	p := parallelism{replica: 1, copies: 1}
	if v := desc.Get("disaggregated"); v != nil { // a number of stages says so, too
		stages, _ := v.Small()
		p.disaggregated = v.Kind == lax.Bool && v.Bool || v.Kind == lax.Int && stages > 1
	}
	for _, name := range []string{"tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel"} {
		v := desc.Get(name)
		if v == nil || v.Kind != lax.Int { // what is no integer says nothing
			continue
		}
		n, _ := v.Small()
		p.declared = true
		p.wrong = p.wrong || n < 1
		if name == "data_parallel" {
			p.copies = n
		} else {
			p.replica = product(p.replica, n)
		}
	}
	return p
}

// engagement applies the rules of nodes, parallelism and power of a point that was measured. Without a recomputed power nothing can be
// said.
func (c *checker) engagement(v *curve, p *point) {
	if v.power == nil || p.sum == nil {
		return
	}
	par := parallelismOf(p.desc)
	used, ok := c.nodesUsed(v.power, p)
	if ok && used != nil && par.declared {
		c.enoughNodes(v.power, p, par, used)
	}
	c.copies(v.power, p, par)
	if ok {
		c.perKilowatt(v.power, p, used)
	}
}

// nodesUsed are the nodes by ensemble that a point says it uses, nil where it says nothing.
func (c *checker) nodesUsed(t *power.Totals, p *point) (used map[int]int, ok bool) {
	at, ok := p.Point.Point.Path, true
	for _, e := range list(p.cfg.Get("nodes_used")) {
		id, _ := e.Get("system_node_ensemble_id").Small()
		n, _ := e.Get("nodes").Small()
		var sets []power.Set
		for _, s := range t.Sets {
			if s.Ensemble == id {
				sets = append(sets, s)
			}
		}
		_, twice := used[id]
		switch {
		case len(sets) != 1:
			c.fail("nodes-used", "unknown", at, "Name the ensembles of system_power.json.", "nodes_used: ensemble %d stands for %d node sets of system_power.json, want one", id, len(sets))
			ok = false
		case twice:
			c.fail("nodes-used", "twice", at, "Name each ensemble once.", "nodes_used: ensemble %d is there twice", id)
			ok = false
		case n < 1 || n > sets[0].Nodes:
			c.fail("nodes-used", "number", at, "Correct the number.", "nodes_used: ensemble %d uses %d nodes; want 1 to the %d provisioned", id, n, sets[0].Nodes)
			ok = false
		}
		if used == nil {
			used = map[int]int{}
		}
		used[id] = n
	}
	return used, ok
}

// enoughNodes compares the accelerators of the used nodes with those that the parallelism engages.
func (c *checker) enoughNodes(t *power.Totals, p *point, par parallelism, used map[int]int) {
	held, smallest := 0, math.MaxInt32
	for _, s := range t.Sets {
		n, named := used[s.Ensemble]
		if !named {
			n = s.Nodes
		}
		if s.Accelerators < 0 {
			return
		}
		held += product(n, s.Accelerators)
		smallest = min(smallest, s.Accelerators)
	}
	at, engaged := p.Point.Point.Path, par.engaged()
	switch {
	case held < engaged:
		c.fail("nodes-used", "few", at, "Name all nodes that the point uses.", "%s: the used nodes hold %d accelerators, but the parallelism engages %d", p.Dir, held, engaged)
	case smallest > 0 && held-smallest >= engaged:
		c.warn("nodes-used", "many", at, "Name only the nodes that the point needs; others raise its power.", "%s: %d accelerators fit into fewer nodes than are used", p.Dir, engaged)
	default:
		c.pass("nodes-used", at, "%s: the used nodes hold %d accelerators, %d are engaged", p.Dir, held, engaged)
	}
}

// copies holds the data parallelism to what the provisioned accelerators allow.
func (c *checker) copies(t *power.Totals, p *point, par parallelism) {
	const id = "maximal-engagement"
	at := p.Point.Point.Path
	provisioned := 0
	for _, s := range t.Sets {
		if s.Accelerators < 0 {
			provisioned = -1
			break
		}
		provisioned += product(s.Nodes, s.Accelerators)
	}
	switch {
	case !par.declared:
		c.warn(id, "undeclared", at, "Write tensor_, pipeline_, expert_ and data_parallel.", "%s: system_desc.json declares no parallelism, so engagement was not judged", p.Dir)
		return
	case par.disaggregated:
		c.warn(id, "disaggregated", at, "Nothing to do; reviewers judge it.", "%s: serving is disaggregated, which the formula does not describe", p.Dir)
		return
	case provisioned < 0:
		c.warn(id, "unknown", at, "Write accelerators_per_node, or count_per_node in system_power.json.", "%s: it is not known how many accelerators a node has", p.Dir)
		return
	case par.wrong:
		c.fail(id, "below-one", at, "Write at least 1.", "%s: a parallelism of system_desc.json is below 1", p.Dir)
		return
	}
	c.shortfall(p, par, provisioned)
}

func (c *checker) shortfall(p *point, par parallelism, provisioned int) {
	const id = "maximal-engagement"
	at, full := p.Point.Point.Path, provisioned/par.replica
	s := p.cfg.Get("dp_shortfall")
	actual, _ := s.Get("dp_actual").Small()
	formula, _ := s.Get("dp_formula").Small()
	switch {
	case par.copies > full:
		c.fail(id, "above", at, "Correct the parallelism.", "%s: %d copies of %d accelerators are more than the %d provisioned", p.Dir, par.copies, par.replica, provisioned)
	case par.copies == full && !s.IsNull():
		c.warn(id, "no-shortfall", at, "Leave dp_shortfall out.", "%s: dp_shortfall is declared, but %d copies engage everything", p.Dir, full)
	case par.copies == full:
		c.pass(id, at, "%s: %d copies engage all accelerators", p.Dir, full)
	case s.IsNull():
		c.fail(id, "below", at, "Run more copies, or declare dp_shortfall with a reason.", "%s: data_parallel is %d, but %d accelerators hold %d copies of %d", p.Dir, par.copies, provisioned, full, par.replica)
	case actual != par.copies || formula != full:
		c.fail(id, "shortfall-wrong", at, "Correct dp_actual and dp_formula.", "%s: dp_shortfall says %d of %d, but the point runs %d of %d", p.Dir, actual, formula, par.copies, full)
	default:
		c.warn(id, "shortfall", at, "Be ready to defend it; reviewers may object.", "%s: %d of %d copies run, because: %s", p.Dir, par.copies, full, strings.TrimSpace(s.Get("reason").Words()))
	}
}

// perKilowatt holds system_tps_per_kw to the point's power. What is no number is not looked at.
func (c *checker) perKilowatt(t *power.Totals, p *point, used map[int]int) {
	kw := t.Point(used)
	if _, ok := p.sum.Get("system_tps_per_kw").Plain(); !ok || !(kw > 0) {
		return
	}
	c.stored("metric-consistency-tps-per-kw", "system_tps_per_kw", "throughput over the point's power", p, derivedTPS(p)/kw)
}
