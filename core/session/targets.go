package session

import (
	"slices"

	"paceline/core/sched"
	"paceline/core/verdict"
)

// Target is one of several targets of a run, with what asks it.
type Target struct {
	Name   string // as in Plan.Sched.Targets; empty: the run has one target
	Issuer sched.Issuer
	Prober Prober // nil: no probes
	Meter  Meter  // nil: its metrics are not wanted

	Tokenizer sched.Tokenizer // nil: not wanted
}

// targets lists the one target of the run, or the several.
func (p *Parts) targets() []Target {
	if len(p.Targets) > 0 {
		return p.Targets
	}
	return []Target{{Issuer: p.Issuer, Prober: p.Prober, Meter: p.Meter, Tokenizer: p.Tokenizer}}
}

// asked puts the targets into what the scheduler needs, and lets silent listen to each.
func (p *Parts) asked(needs *sched.Needs, silent *silentTurns) {
	list := p.targets()
	if list[0].Name == "" {
		needs.Issuer, needs.Tokenizer = listening{list[0].Issuer, silent}, list[0].Tokenizer
		return
	}
	for _, t := range list {
		needs.Targets = append(needs.Targets, sched.Asked{Issuer: listening{t.Issuer, silent}, Tokenizer: t.Tokenizer})
	}
}

// facts are those of all that are of this target.
func (t *Target) facts(all []verdict.Fact) []verdict.Fact {
	return slices.DeleteFunc(slices.Clone(all), func(f verdict.Fact) bool { return f.Target != t.Name })
}
