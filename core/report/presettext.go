package report

import (
	"fmt"
	"strings"

	"paceline/core/journal"
)

// heldText counts the thresholds that hold.
func heldText(p *Preset) string {
	n := 0
	for _, t := range p.Thresholds {
		if t.Passed {
			n++
		}
	}
	text := p.Name + ": no thresholds"
	if len(p.Thresholds) > 0 {
		text = fmt.Sprintf("%s: %d of %d thresholds hold", p.Name, n, len(p.Thresholds))
	}
	switch n := len(p.Departures); n {
	case 0:
	case 1:
		text += ", 1 departure"
	default:
		text += fmt.Sprintf(", %d departures", n)
	}
	return text
}

func (p *page) preset(r *Preset) {
	if r == nil || len(r.Thresholds)+len(r.Departures) == 0 && r.Rules == nil {
		return
	}
	p.section("PRESET: " + passed(r.Passed))
	p.text(r.Name)
	if r.Rules != nil {
		p.pair("Rules", rulesText(r.Rules))
	}
	for i := range r.Departures {
		p.pair("Departs", departureText(&r.Departures[i]))
	}
	for i := range r.Thresholds {
		t := &r.Thresholds[i]
		p.text(t.Name())
		p.pair("", t.String())
	}
}

func rulesText(r *journal.Rules) string {
	text := r.Of + "; " + r.Status
	if r.Reason != "" {
		text += ": " + r.Reason
	}
	return text
}

func departureText(d *journal.Departure) string {
	says := "has no such value"
	if string(d.Preset) != "null" {
		says = "says " + string(d.Preset)
	}
	return strings.Replace(fmt.Sprintf("%s is %s (%s), the preset %s", d.Key, d.Run, d.Origin, says), "is null", "is left out", 1)
}
