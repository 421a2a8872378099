package report

// counters names who counted tokens; how many turns, the figures tell.
func (p *page) counters(list []Judge) {
	if len(list) == 0 {
		return
	}
	p.section("COUNTERS")
	for i := range list {
		p.text(list[i].Name + " " + list[i].Version)
		p.judge(&list[i])
	}
}
