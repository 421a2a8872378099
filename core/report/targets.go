package report

import (
	"fmt"
	"strings"

	"paceline/core/journal"
	"paceline/core/load"
	"paceline/core/metrics"
)

func engineOf(e *journal.Engine) *Engine {
	if e == nil {
		return nil
	}
	return &Engine{Named: e.Named, Kind: e.Kind, Program: e.Program, Version: e.Version, By: e.By}
}

// targets tells of several targets. TLS is told of the run where all of them have it.
func (w *What) targets(c *journal.RunConfig) {
	for i := range c.Targets {
		t := &c.Targets[i]
		tls := strings.HasPrefix(strings.ToLower(t.Endpoint), "https:")
		w.TLS = tls && (w.TLS || i == 0)
		w.Targets = append(w.Targets, WhatTarget{
			Name: t.Name, Endpoint: t.Endpoint, Weight: t.Weight, Accelerators: t.Accelerators, TLSVerify: t.TLSVerify, Engine: engineOf(t.Engine),
		})
	}
}

// targetsOf lists several targets for metrics, no more than a run can have; nil where there is one.
func targetsOf(c *journal.RunConfig) []metrics.Target {
	var list []metrics.Target
	for _, t := range c.Targets[:min(len(c.Targets), load.MaxTargets)] {
		list = append(list, metrics.Target{Name: t.Name, Weight: int64(t.Weight), Accelerators: t.Accelerators})
	}
	return list
}

// whatTargets lists several targets.
func (p *page) whatTargets(list []WhatTarget) {
	for _, t := range list {
		text := fmt.Sprintf("%s: %s, weight %d", t.Name, t.Endpoint, t.Weight)
		if t.Accelerators > 0 {
			text += ", " + count(t.Accelerators, "accelerator")
		}
		p.pair("Target", text)
		if t.Engine != nil {
			p.pair("  engine", engineText(t.Engine))
		}
	}
}

// targetsText shows several targets side by side.
func (p *page) targetsText(m *metrics.Metrics) {
	if len(m.Targets) == 0 {
		return
	}
	p.section("TARGETS (window " + m.Window.Name + "; failed, started: of the whole run)")
	p.table(&turnsOfParts, m.Targets)
	p.table(&tailsOfParts, m.Targets)
	p.table(sharesOfParts.with([]partColumn{asked}, nil), m.Targets)
	p.table(&conversationsOfParts, m.Targets)
	p.table(&servedOfParts, m.Targets)
	for i := range m.Targets {
		if f := &m.Targets[i].Failures; len(f.Outcomes) > 0 {
			p.pair("Not ok", m.Targets[i].Name+": "+classes(f.Outcomes))
		}
	}
	p.partsNote("A conversation asks one target for its whole life.")
}

// tenantsText shows the tenants side by side; what the workloads of the mix have shown of the same conversations is left out.
func (p *page) tenantsText(m *metrics.Metrics) {
	if len(m.Tenants) == 0 {
		return
	}
	p.section("TENANTS (window " + m.Window.Name + "; failed, started: of the whole run)")
	if !sameAsWorkloads(m) {
		p.table(&turnsOfParts, m.Tenants)
		p.table(&conversationsOfParts, m.Tenants)
	}
	p.table(&tailsOfParts, m.Tenants)
	p.table(sharesOfParts.with(nil, []partColumn{costShare}), m.Tenants)
	p.table(&servedOfParts, m.Tenants)
	for i := range m.Tenants {
		if c := m.Tenants[i].Cost; c != nil {
			p.pair("Cost", m.Tenants[i].Name+": "+amount(c.MillionOutput, c.Currency+" per million output tokens")+"; "+
				amount(c.Trajectory, c.Currency+" per completed trajectory"))
		}
	}
	p.partsNote("")
}

// partsNote says what the heads of the tables mean.
func (p *page) partsNote(first string) {
	p.text(strings.TrimSpace(first + " late99: p99 of the client's own schedule error. flight: time of requests in flight. reuse: cached / ideal. " +
		"goodT, goodC: goodput of turns and of conversations, under objectives."))
}

// sameAsWorkloads reports whether each workload of a mix is a tenant of its own.
func sameAsWorkloads(m *metrics.Metrics) bool {
	if len(m.Tenants) != len(m.Workloads) || m.TenantsLeftOut > 0 {
		return false
	}
	for i := range m.Tenants {
		if m.Tenants[i].Name != m.Workloads[i].Name || len(m.Tenants[i].Workloads) != 1 {
			return false
		}
	}
	return true
}

// warnTargets tells of targets at which nothing succeeded, while something did elsewhere.
func (r *Result) warnTargets() {
	if r.Metrics.Status != metrics.StatusOK {
		return
	}
	for i := range r.Metrics.Targets {
		t := &r.Metrics.Targets[i]
		if t.Failures.OK == 0 && t.Failures.Planned > 0 {
			r.warning("target_dead", "target %s: none of its %d turns is ok (%s); its conversations failed there, since none changes its target", t.Name, t.Failures.Planned, classes(t.Failures.Outcomes))
		}
	}
}
