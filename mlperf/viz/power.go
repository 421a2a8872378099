package viz

// power is what system_power.json says of a system.
type power struct {
	kw        any
	estimated bool
	sets      []nodeSet
	warn      func(at, format string, args ...any)
}

type nodeSet struct {
	ensemble string
	nodes    float64
}

// power reads the file; nil is a package that tells no power.
func (r *reader) power(name string) *power {
	d := r.object(name, jsonValue, false)
	if d == nil {
		return nil
	}
	p := &power{kw: first(figure(d["provisioned_power_kw"]), over(in(d, "computed", "total_system_power_w"), 1000.0)), warn: r.warn}
	p.estimated, _ = d["mlc_estimated_power"].(bool)
	sets, _ := d["node_sets"].([]any)
	for _, e := range sets {
		s, _ := e.(Document)
		n, _ := float(s["nodes_provisioned"])
		p.sets = append(p.sets, nodeSet{text(s["system_node_ensemble_id"]), n})
	}
	return p
}

func (p *power) provisioned() any {
	if p == nil {
		return nil
	}
	return p.kw
}

// point is the power of the nodes that a point used; what it does not name counts whole. A share of one node set is the same
// share of the whole, switches included. Shares of several need the power of each, and are left out.
func (p *power) point(files pointFiles) any {
	if p == nil {
		return nil
	}
	used := map[string]float64{}
	list, _ := files.params["nodes_used"].([]any)
	for _, e := range list {
		d, _ := e.(Document)
		if n, ok := float(d["nodes"]); ok {
			used[text(d["system_node_ensemble_id"])] = n
		}
	}
	share := 1.0
	for _, s := range p.sets {
		n, ok := used[s.ensemble]
		if !ok || n == s.nodes {
			continue
		}
		if len(p.sets) > 1 || n <= 0 || n > s.nodes {
			p.warn(files.dir, "nodes_used: the power of this point cannot be told; per-kW figures are those of the package")
			return nil
		}
		share = n / s.nodes
	}
	if share == 1 {
		return p.kw
	}
	kw, ok := float(p.kw)
	if !ok {
		return nil
	}
	return kw * share
}
