package report

import (
	"fmt"
	"strings"

	"paceline/core/metrics"
	"paceline/core/stats"
)

// targets writes what each target told of itself, and what came of the declaration.
func (p *page) targets(r *Result) {
	told := r.Target != nil
	p.target(r.Target, "")
	for _, t := range r.Targets {
		told = told || t.Reported != nil
		p.target(t.Reported, " "+plain(t.Name))
	}
	if r.Speculation == nil {
		return
	}
	if !told {
		p.section("TARGET")
	}
	p.speculation(r.Speculation)
}

// target writes what a target told of itself; name stands where there are several.
func (p *page) target(t *Target, name string) {
	if t == nil {
		return
	}
	if t.State != TargetReported {
		p.section("TARGET" + name + ": metrics " + strings.ReplaceAll(t.State, "_", " "))
		p.pair("Source", t.Source+": "+t.Reason)
		p.pair("Expert balance", NotExposed)
		return
	}
	p.section("TARGET" + name + ", AS IT REPORTS ITSELF (all of its clients)")
	p.pair("Source", fmt.Sprintf("%s, %s: %s over %s s, %d missing, %s",
		t.Source, t.Engine, count(t.Readings, "reading"), seconds(t.SpanMS), t.Missing, count(t.Restarts, "restart")))
	p.pair("Requests", gauged(&t.Running, "running", "")+"; "+gauged(&t.Waiting, "waiting", ""))
	p.pair("KV cache", gauged(&t.KVUse, "in use", "%")+"; preemptions "+counted(t.Preemptions.Value.String(), t.Preemptions.Reason))
	p.pair("Prefix cache", told(t.HitRate, "%")+" of the prompt tokens were found")
	d := &t.Drafting
	switch d.State {
	case DraftsCounted:
		p.pair("Speculation", told(d.Acceptance, "%")+" of the drafted tokens accepted; "+told(d.AcceptedMean, "tokens a step")+"; drafts of "+told(d.DraftLength, "tokens"))
	case DraftsNone:
		p.pair("Speculation", "no draft was counted")
	default:
		p.pair("Speculation", NotExposed)
	}
	balance := NotExposed
	if t.Balance.Value.Valid() {
		balance = short(t.Balance.Value) + " (maximum / mean load of the devices' experts)"
	}
	p.pair("Expert balance", balance)
}

func (p *page) speculation(s *Speculation) {
	text := s.Declared.String() + ": " + s.Held
	if s.Reason != "" {
		text += "; " + s.Reason
	}
	p.pair("Declared", text)
}

func counted(n, reason string) string {
	if reason != "" {
		return "none (" + reason + ")"
	}
	return n
}

func figureOf(n stats.Num) metrics.Figure { return metrics.Figure{Value: n} }

// gauged writes a gauge's mean and maximum.
func gauged(g *Gauge, what, unit string) string {
	if g.Readings == 0 {
		return what + ": none (" + g.Reason + ")"
	}
	mean, most := short(g.Mean), short(g.Max)
	if unit == "%" {
		mean, most = told(figureOf(g.Mean), "%"), told(figureOf(g.Max), "%")
	}
	return fmt.Sprintf("%s %s, at most %s", mean, what, most)
}
