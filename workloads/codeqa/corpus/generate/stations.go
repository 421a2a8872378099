package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

var places = []struct {
	name, zone, mouth string
	opened            int
}{
	{"brattoy", "Atlantic/Faroe", "open", 1998}, {"grynne", "Europe/Oslo", "open", 2007}, {"hestholm", "Europe/Oslo", "river", 1984},
	{"klippa", "Europe/Oslo", "lock", 2012}, {"marrenes", "Europe/Oslo", "open", 1991}, {"ostervag", "Atlantic/Faroe", "open", 2003},
	{"skarvik", "Europe/Oslo", "bar", 1979}, {"tornby", "Europe/Copenhagen", "river", 2015}, {"ulvsand", "Europe/Copenhagen", "bar", 1987},
	{"vindhavn", "Europe/Oslo", "lock", 2019},
}

var constituents = []struct {
	name string
	mean int // amplitude in millimetres
}{{"M2", 900}, {"S2", 320}, {"N2", 180}, {"K2", 90}, {"K1", 70}, {"O1", 60}, {"P1", 25}, {"M4", 40}}

// stations makes one file a gauge.
func stations() []file {
	var list []file
	for i, p := range places {
		r := rand.New(rand.NewPCG(410, uint64(i)))
		var b strings.Builder
		fmt.Fprintf(&b, "# Gauge %s. Heights in metres above datum, phases in degrees.\n", p.name)
		fmt.Fprintf(&b, "station: %s\nzone: %s\nentrance: %s\nopened: %d\n", p.name, p.zone, p.mouth, p.opened)
		fmt.Fprintf(&b, "serial: QG-%04d-%c\n", 1000+r.IntN(9000), 'A'+rune(r.IntN(6)))
		fmt.Fprintf(&b, "mean_level_m: %d.%03d\nsill_m: %d.%02d\n", 1+r.IntN(2), r.IntN(1000), r.IntN(3), 10+r.IntN(90))
		margin := 45
		if p.mouth == "bar" {
			margin = 60 + 5*r.IntN(5)
		}
		fmt.Fprintf(&b, "margin_m: 0.%02d\n", margin)
		fmt.Fprintf(&b, "slack_minutes: %d\n", 18+r.IntN(40))
		fmt.Fprintf(&b, "constituents:\n")
		for _, c := range constituents {
			amplitude := c.mean*(70+r.IntN(60))/100 + r.IntN(9)
			fmt.Fprintf(&b, "  - {name: %s, amplitude_m: %d.%03d, phase_deg: %d.%d}\n", c.name, amplitude/1000, amplitude%1000, r.IntN(360), r.IntN(10))
		}
		fmt.Fprintf(&b, "# Levels read from the staff beside the gauge, for comparison.\nstaff_checks:\n")
		for month := 1; month <= 12; month++ {
			staff := 100 + r.IntN(280)
			gauge := staff + r.IntN(9) - 4
			fmt.Fprintf(&b, "  - {on: 2025-%02d-%02d, staff_m: %d.%02d, gauge_m: %d.%02d, by: %s}\n", month, 1+r.IntN(28),
				staff/100, staff%100, gauge/100, gauge%100, readers[r.IntN(len(readers))])
		}
		list = append(list, file{"stations/" + p.name + ".yaml", b.String()})
	}
	return list
}

var readers = []string{"achterberg", "lindqvist", "solheim", "brandt"}
