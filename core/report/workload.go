package report

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/stats"
	"paceline/core/verdict"
)

// mixed is how the run file plays one workload of a mix.
type mixed struct {
	History   string          `json:"history"`
	Params    json.RawMessage `json:"params"`
	MaxTokens uint32          `json:"max_tokens"`
	Tenant    string          `json:"tenant"`
	// Objectives are its own, in place of the run's; nil: those hold.
	Objectives *objectives `json:"objectives"`
}

// mix lists the workloads of a mix and their rules for the history; nil where there is one workload.
func (s *settings) mix(c *journal.RunConfig) []metrics.Mixed {
	var list []metrics.Mixed
	for _, w := range c.Workloads {
		how := s.Workloads[w.Name]
		m := metrics.Mixed{Name: w.Name, LiveHistory: how.History == "live", Tenant: how.Tenant}
		if how.Objectives != nil {
			m.Objectives = how.Objectives.list()
		}
		list = append(list, m)
	}
	return list
}

// workload is what is told of a workload.
func workload(in Input, w *journal.Workload) Workload {
	plans := in.Run.Plans
	if in.Config.Mixed() {
		plans = nil
		for _, p := range in.Run.Plans {
			if p.Workload == w.Name {
				plans = append(plans, p)
			}
		}
	}
	return Workload{
		Name: w.Name, Component: w.Component, Weight: w.Weight, Trajectories: w.Trajectories, Distinct: distinct(plans),
		Fixed: w.Fixed, Live: w.Live, Provenance: w.Provenance, Losses: w.Losses,
		Again: plannedAgain(in.Judgements, w.Name, in.Config.Mixed()),
	}
}

// workloads tells of the one workload, or of those that are mixed.
func (w *What) workloads(in Input, s *settings) {
	if !in.Config.Mixed() {
		w.Workload = workload(in, &in.Config.Workload)
		return
	}
	for i := range in.Config.Workloads {
		x := workload(in, &in.Config.Workloads[i])
		how := s.Workloads[x.Name]
		x.Tenant = how.Tenant
		if x.History, x.MaxTokens = how.History, how.MaxTokens; !empty(how.Params) {
			x.Params = how.Params
		}
		w.Workloads = append(w.Workloads, x)
		switch {
		case i == 0:
			w.History = x.History
		case w.History != x.History:
			w.History = "mixed"
		}
	}
}

// all lists the one workload, or those that are mixed.
func (w *What) all() []Workload {
	if len(w.Workloads) > 0 {
		return w.Workloads
	}
	return []Workload{w.Workload}
}

// again is the first workload's account of planning again that tells of a difference; nil where none does.
func (w *What) again() *Again {
	for _, x := range w.all() {
		if x.Again != nil && x.Again.Error != "" {
			return x.Again
		}
	}
	return nil
}

// judgementOf reports whether a judgement of a workload is of this one.
func judgementOf(j *verdict.Judgement, name string, several bool) bool {
	return j.Kind == verdict.KindWorkload && (!several || j.Name == name)
}

// warnMix tells of workloads that left a mix before its end, so that the weights do not hold over the whole run.
func (r *Result) warnMix(in Input) {
	all := int64(len(in.Run.Conversations))
	var sum int64
	for _, w := range in.Config.Workloads {
		sum += int64(w.Weight)
	}
	for _, w := range in.Config.Workloads {
		had, last := int64(0), 0
		for i := range in.Run.Conversations { // in the order of their starts
			if in.Run.Conversations[i].Workload == w.Name {
				had, last = had+1, i+1
			}
		}
		if int64(w.Weight)*all-sum*had >= 2*sum { // as much as no order of a whole mix strays
			r.warning("mix_ran_out", "workload %s was played out after %d of %d conversations: the weights hold up to there (a number of trajectories or a duration keeps the mix)",
				w.Name, last, all)
		}
	}
}

// workloadText tells of the workloads that ran.
func (p *page) workloadText(w *What) {
	for _, x := range w.all() {
		text := x.Name
		if x.Component != "" {
			text += " (" + x.Component + ")"
		}
		if x.Weight > 0 {
			text += ", weight " + strconv.FormatUint(uint64(x.Weight), 10)
		}
		if x.Tenant != "" {
			text += ", for " + x.Tenant
		}
		if x.Trajectories > 0 {
			text += fmt.Sprintf(", %d trajectories", x.Trajectories)
		}
		p.pair("Workload", text+fmt.Sprintf(", %d distinct played", x.Distinct))
		if x.Provenance != "" {
			p.pair("  provenance", x.Provenance)
		}
		for _, l := range x.Losses {
			p.pair("  lost", l)
		}
		if x.History != "" {
			p.pair("  history", x.History)
		}
		var own []string
		if len(x.Params) > 0 {
			own = append(own, string(x.Params))
		}
		if x.MaxTokens > 0 {
			own = append(own, fmt.Sprintf("at most %d output tokens", x.MaxTokens))
		}
		if len(own) > 0 {
			p.pair("  own params", strings.Join(own, "; "))
		}
		p.pair("  planned again", againText(x.Again))
	}
}

// mixText shows the workloads of a mix side by side.
func (p *page) mixText(m *metrics.Metrics) {
	if len(m.Workloads) == 0 {
		return
	}
	p.section("WORKLOADS (window " + m.Window.Name + "; failed: of the whole run)")
	parts := partsOf(m.Workloads)
	p.table(&turnsOfParts, parts)
	p.table(&conversationsOfParts, parts)
	p.line("users: mean of those that were in a conversation of it. Times in ms.")
}

func shorts(list ...stats.Num) []string {
	texts := make([]string, len(list))
	for i, n := range list {
		texts[i] = short(n)
	}
	return texts
}
