package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"paceline/core/journal"
)

// usageKey is what the runner adds to the body of a streamed request, unless it is told not to.
const usageKey = "stream_options.include_usage"

// departures are those of the run file, and what the runner adds where the rules know a reference client's body.
func departures(p *journal.Preset, s *settings) []journal.Departure {
	list := slices.Clone(p.Departures)
	if p.Rules != nil && p.Rules.ReferenceBody && s.Target.Stream && s.asksUsage() {
		list = append(list, journal.Departure{Key: usageKey, Preset: json.RawMessage("null"), Run: json.RawMessage("true"), Origin: "target.strict_wire leaves it out"})
	}
	if list == nil {
		list = []journal.Departure{}
	}
	return list
}

func (s *settings) asksUsage() bool { return s.Target.Usage && !s.Target.StrictWire }

// againstRules lists what of a run does not follow the rules of its preset. What judges and thresholds say is told apart.
func againstRules(c *journal.RunConfig, s *settings) []string {
	p := c.Preset
	if p == nil || p.Rules == nil {
		return nil
	}
	r := p.Rules
	var list []string
	switch {
	case len(r.Missing) > 0:
		list = append(list, fmt.Sprintf("the rules of %s publish no value for %s: the run gave its own", p.Name, strings.Join(r.Missing, " and ")))
	case r.Reason != "":
		list = append(list, fmt.Sprintf("%s is %s: %s", p.Name, r.Status, r.Reason))
	}
	for i := range p.Departures {
		list = append(list, departureText(&p.Departures[i]))
	}
	list = append(list, p.Refused...)
	if r.SeedSet {
		list = append(list, seedFaults(c)...)
	}
	list = append(list, inputFaults(c, r)...)
	if r.WholePasses {
		list = append(list, passFaults(c, s)...)
	}
	return list
}

func seedFaults(c *journal.RunConfig) []string {
	switch {
	case c.Seeds == nil:
		return []string{"no cohort: the seed is of no published set"}
	case c.Seed != c.Seeds.Scheduler:
		return []string{fmt.Sprintf("the seed is %s, and the scheduler seed of set %s is %s", c.Seed, c.Seeds.ID, c.Seeds.Scheduler)}
	}
	return nil
}

func inputFaults(c *journal.RunConfig, r *journal.Rules) []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(r.Inputs)) {
		i := slices.IndexFunc(c.Inputs, func(in journal.Input) bool { return in.Name == name && in.Workload == "" })
		switch {
		case i < 0:
			list = append(list, fmt.Sprintf("the input %s is missing", name))
		case c.Inputs[i].SHA256 != r.Inputs[name]:
			list = append(list, fmt.Sprintf("the input %s is not the one of the rules: its sha256 is %s", name, c.Inputs[i].SHA256))
		}
	}
	return list
}

func passFaults(c *journal.RunConfig, s *settings) []string {
	one := c.Workload.Trajectories
	if s.Load.Duration == 0 && one > 0 && s.Load.Trajectories%one == 0 {
		return nil
	}
	return []string{"it plays no whole passes over the workload"}
}
