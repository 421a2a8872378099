package report

import (
	"cmp"
	"fmt"
	"slices"

	"paceline/core/engine"
	"paceline/core/metrics"
	"paceline/core/stats"
)

// Speculation holds what the run declares of the target's speculative decoding against what the target tells.
type Speculation struct {
	Declared engine.Speculation `json:"declared"`
	Held     string             `json:"state"` // passed, failed, unproven
	Reason   string             `json:"reason,omitempty"`
}

// What came of holding a declaration against the target's figures.
const (
	SpeculationPassed   = "passed"
	SpeculationFailed   = "failed"
	SpeculationUnproven = "unproven"
)

// speculations holds the declaration of a run against what each target told: the worst that comes of it stands.
func (r *Result) speculations(declared engine.Speculation) *Speculation {
	if len(r.Targets) == 0 {
		return r.speculation(declared, r.Target)
	}
	var worst *Speculation
	for _, t := range r.Targets {
		s := r.speculation(declared, t.Reported)
		if s != nil && s.Reason != "" {
			s.Reason = "target " + t.Name + ": " + s.Reason
		}
		if s != nil && (worst == nil || slices.Index(worstFirst, s.Held) < slices.Index(worstFirst, worst.Held)) {
			worst = s
		}
	}
	return worst
}

var worstFirst = []string{SpeculationFailed, SpeculationUnproven, SpeculationPassed}

// speculation holds the declaration of a run against what a target told; nil where nothing is declared and no rules ask. By
// rules, what is not declared is not used.
func (r *Result) speculation(declared engine.Speculation, t *Target) *Speculation {
	ruled := r.Preset != nil && r.Preset.Rules != nil
	if !declared.Declared() && !ruled {
		return nil
	}
	s := &Speculation{Declared: declared}
	switch state := t.drafts(); {
	case state == DraftsCounted && !declared.Used():
		s.Held = SpeculationFailed
		s.Reason = fmt.Sprintf("speculative decoding is %s, and the target counted drafts: %s", &declared, drafted(&t.Drafting))
	case state == DraftsCounted && t.tooLong(&declared):
		s.Held = SpeculationFailed
		s.Reason = fmt.Sprintf("%s is declared, and the target's drafts have %s tokens", &declared, short(t.Drafting.DraftLength.Value))
	case state == DraftsNone && declared.Used():
		s.Held, s.Reason = SpeculationUnproven, fmt.Sprintf("%s is declared, and the target counted no draft", &declared)
	case state == DraftsCounted || state == DraftsNone:
		s.Held = SpeculationPassed
	default:
		s.Held, s.Reason = SpeculationUnproven, "the target does not tell whether it drafts"
	}
	if !declared.Declared() && s.Held == SpeculationUnproven {
		return nil // nobody claims anything
	}
	return s
}

func (t *Target) drafts() string {
	if t == nil {
		return DraftsNotExposed
	}
	return t.Drafting.State
}

// tooLong says whether the target drafts more tokens at a time than are declared.
func (t *Target) tooLong(declared *engine.Speculation) bool {
	n, ok := t.Drafting.DraftLength.Value.Get()
	return ok && declared.Tokens > 0 && n > float64(declared.Tokens)
}

func drafted(d *Drafting) string {
	if d.DraftTokens.Value.Valid() {
		return d.DraftTokens.Value.String() + " tokens"
	}
	if d.Drafts.Value.Valid() {
		return "drafts: " + d.Drafts.Value.String()
	}
	return short(d.AcceptedMean.Value) + " tokens at a time"
}

// warnTarget tells what of the target's own figures is missing, and what it says against the declaration.
func (r *Result) warnTarget() {
	r.warnReadings(r.Target, "")
	for _, t := range r.Targets {
		r.warnReadings(t.Reported, "target "+t.Name+": ")
	}
	if s := r.Speculation; s != nil && s.Reason != "" && s.Held != SpeculationPassed {
		r.warning("speculation_"+s.Held, "%s", s.Reason)
	}
}

// warnReadings tells what of a target's figures is missing; whose begins the text where there are several.
func (r *Result) warnReadings(t *Target, whose string) {
	if t != nil && t.Missing > 0 {
		r.warning("target_readings", "%s%d of %d readings of the target's metrics are missing; figures that it reports lack them", whose, t.Missing, t.Missing+t.Readings)
	}
	if t != nil && t.Restarts > 0 {
		r.warning("target_restarted", "%sthe target's counters began anew %d times: it was restarted during the run", whose, t.Restarts)
	}
}

// drafting is what the pages tell of speculative decoding.
func (p *pages) drafting(k engine.Kind) Drafting {
	d := Drafting{
		Drafts: p.counted(engine.Drafts), DraftTokens: p.counted(engine.DraftTokens), Accepted: p.counted(engine.AcceptTokens),
		Acceptance: p.ratio(engine.AcceptTokens, engine.DraftTokens, 1), DraftLength: p.ratio(engine.DraftTokens, engine.Drafts, 1),
		AcceptedMean: p.ratio(engine.AcceptTokens, engine.Drafts, 1), ByPosition: p.byPosition(),
	}
	if n, ok := d.AcceptedMean.Value.Get(); ok {
		d.AcceptedMean.Value = stats.Of(1 + n)
	}
	if d.Acceptance.Value.Valid() || d.AcceptedMean.Value.Valid() {
		d.Basis = "counters"
	}
	p.told(&d)
	drafts, _ := p.increase(engine.Drafts)
	tokens, _ := p.increase(engine.DraftTokens)
	switch {
	case drafts > 0 || tokens > 0 || d.Basis == "server":
		d.State = DraftsCounted
	case k.TellsDrafts() || d.DraftTokens.Value.Valid():
		d.State = DraftsNone
		d.none()
	default:
		d.State = DraftsNotExposed
	}
	return d
}

// none says why nothing can be told of drafts.
func (d *Drafting) none() {
	for _, f := range []*metrics.Figure{&d.Drafts, &d.DraftTokens, &d.Accepted, &d.Acceptance, &d.AcceptedMean, &d.DraftLength} {
		if !f.Value.Valid() {
			f.Reason = "no draft was counted"
		}
	}
}

// told takes the server's own means where there are no counters; a mean of one token, or of no acceptance, is of no drafts.
func (p *pages) told(d *Drafting) {
	for _, x := range []struct {
		into  *metrics.Figure
		q     engine.Quantity
		least int64
	}{{&d.Acceptance, engine.AcceptRate, 0}, {&d.AcceptedMean, engine.AcceptLength, 1_000_000}} {
		if x.into.Value.Valid() {
			continue
		}
		g := p.gauge(x.q, 1_000_000)
		if last, ok := p.last(x.q); ok && g.Readings == 0 {
			g = Gauge{Readings: 1, Mean: stats.Ratio(last, 1_000_000), Max: stats.Ratio(last, 1_000_000)}
		}
		if most, ok := g.Max.Get(); ok && most*1e6 > float64(x.least) {
			*x.into, d.Basis = metrics.Figure{Value: g.Mean}, cmp.Or(d.Basis, "server")
		}
	}
}

// byPosition is the share of drafts whose token at each place was accepted; empty where the page does not tell, or the server
// began anew in between.
func (p *pages) byPosition() []stats.Num {
	drafts, _ := p.increase(engine.Drafts)
	list := []stats.Num{}
	if drafts == 0 {
		return list
	}
	for i := 1; i < len(p.list); i++ {
		if p.restarted(i) {
			return list
		}
	}
	first, last := p.list[0].Accepted, p.list[len(p.list)-1].Accepted
	for i, n := range last {
		if i < len(first) && first[i] <= n {
			n -= first[i]
		}
		list = append(list, stats.Ratio(n, drafts))
	}
	return list
}
