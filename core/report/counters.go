package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"paceline/core/verdict"
)

// maxRemarks bounds the different remarks of a counter that a report has; they are a stranger's texts.
const maxRemarks = 20

// remarks counts the turns of each reason.
func remarks(counts []verdict.Count) []Remark {
	turns := map[string]int{}
	for i := range counts {
		if reason := counts[i].Reason; reason != "" {
			turns[reason]++
		}
	}
	list := make([]Remark, 0, len(turns))
	for _, text := range slices.Sorted(maps.Keys(turns)) {
		list = append(list, Remark{Text: text, Turns: turns[text]})
	}
	slices.SortStableFunc(list, func(a, b Remark) int { return cmp.Compare(b.Turns, a.Turns) })
	return list[:min(len(list), maxRemarks)]
}

// counters names who counted tokens; how many turns, the figures tell.
func (p *page) counters(list []Counter) {
	if len(list) == 0 {
		return
	}
	p.section("COUNTERS")
	for i := range list {
		p.text(list[i].Name + " " + list[i].Version)
		p.judge(&list[i].Judge)
		for _, r := range list[i].Remarks {
			p.pair("  remark", fmt.Sprintf("%d turns: %s", r.Turns, r.Text))
		}
	}
}
