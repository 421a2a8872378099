package power

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// Figures of Appendix D, in watts. They hold where a part gives none, and mark the total as estimated.
const (
	nicWatts      = 75
	x86Watts      = 350 // up to x86SmallCores
	x86LargeWatts = 500
	x86SmallCores = 64
	armWatts      = 300 // up to armCores; above there is no figure
	armCores      = 128
)

type figure struct {
	name  string
	watts float64
}

// accelerators are matched in this order, so that GB200 is not taken for B200.
var accelerators = []figure{{"GB300", 1400}, {"GB200", 1200}, {"B300", 1100}, {"B200", 1000}, {"MI455X", 2500}, {"MI355X", 1400},
	{"MI350X", 1000}, {"TPUV7", 1000}, {"TN3", 700}}

// switches have a figure for each cabling; 0 is none.
var switches = []struct {
	name            string
	passive, optics float64
}{{"SN6810LD", 1960, 1960}, {"SN5610", 900, 2080}, {"SN5400", 670, 0}, {"SN4700", 630, 0}}

// compact leaves letters and digits, in upper case.
func compact(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToUpper(r)
		}
		return -1
	}, s)
}

func acceleratorDefault(part string) (float64, bool) {
	for _, a := range accelerators {
		if strings.Contains(compact(part), a.name) {
			return a.watts, true
		}
	}
	return 0, false
}

func switchDefault(part string, optical bool) (float64, bool) {
	for _, s := range switches {
		if !strings.Contains(compact(part), s.name) {
			continue
		}
		if optical {
			return s.optics, s.optics > 0
		}
		return s.passive, true
	}
	return 0, false
}

var (
	x86Name   = regexp.MustCompile(`(?i)\b(xeon|epyc|intel|amd|x86)`)
	armName   = regexp.MustCompile(`(?i)\b(arm|grace|ampere|axion)\b`)
	coresText = regexp.MustCompile(`(?i)\b([0-9]{1,4})[ -]?cores?\b`)
)

// cpuDefault needs the number of cores: the described one, or the one in the name.
func cpuDefault(part string, cores int) (float64, bool) {
	if m := coresText.FindStringSubmatch(part); cores <= 0 && m != nil {
		cores, _ = strconv.Atoi(m[1])
	}
	switch {
	case cores <= 0:
		return 0, false
	case x86Name.MatchString(part) && cores <= x86SmallCores:
		return x86Watts, true
	case x86Name.MatchString(part):
		return x86LargeWatts, true
	case armName.MatchString(part) && cores <= armCores:
		return armWatts, true
	}
	return 0, false
}
