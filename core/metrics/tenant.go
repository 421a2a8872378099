package metrics

import (
	"cmp"
	"maps"
	"slices"
)

// TenantLabel is the key of the label of a trajectory that says who it is for.
const TenantLabel = "tenant"

// ByTimeInFlight says that a cost by the hour was shared out by how long requests were in flight.
const ByTimeInFlight = "time_in_flight"

// maxTenants is how many tenants have figures of their own: those with most turns.
const maxTenants = 32

// tenantOf is who a conversation is for: as the run says of its workload, else as its label says, else in a mix the workload.
func (d *data) tenantOf(c *conversation) string {
	name := ""
	for i := range d.Workloads {
		if m := &d.Workloads[i]; m.Name == c.Workload {
			if m.Tenant != "" {
				return m.Tenant
			}
			name = m.Name
		}
	}
	for _, l := range c.Labels {
		if l.Key == TenantLabel && l.Value != "" {
			return l.Value
		}
	}
	return name
}

// tenants splits the figures by tenant; nil where there is one, and how many have no room.
func (d *data) tenants(w Window, m *Metrics) (list []Part, leftOut int) {
	turns := map[string]int{}
	for _, c := range d.convs {
		turns[c.tenant] += len(c.turns)
	}
	if len(turns) < 2 {
		return nil, 0
	}
	names := slices.Sorted(maps.Keys(turns))
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(turns[b], turns[a]) })
	kept := names[:min(len(names), maxTenants)]
	slices.Sort(kept)
	whole := d.sums(w)
	for _, name := range kept {
		part := d.part(func(c *conversation) bool { return c.tenant == name })
		p := part.figures(cmp.Or(name, noTenant), w, whole)
		p.Workloads = part.sources()
		p.Cost = d.partCost(part, &p, m, w, ByTimeInFlight, part.sums(w).flight, whole.flight, NoSamples)
		list = append(list, p)
	}
	return list, len(names) - len(kept)
}

// noTenant stands for the conversations that are for nobody by name, beside those that are.
const noTenant = "none"

// sources are the workloads of a mix that a part's conversations come from.
func (d *data) sources() []string {
	var names []string
	for _, m := range d.Workloads {
		names = append(names, m.Name)
	}
	return names
}
