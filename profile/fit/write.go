package fit

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"paceline/workloads/profiles/spec"
)

// percents are the quantiles that a table keeps.
var percents = []float64{0, 0.5, 1, 2.5, 5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 80, 85, 90, 92.5, 95, 97.5, 98.5, 99, 99.5, 99.9, 100}

// Units of tables.
const (
	tokens  = 1
	seconds = 1e6
)

// Write writes the profile as YAML, under a name; source says where its traces come from.
func (p *Profile) Write(name, source string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "schema: %s\nname: %s\nprovenance: estimated\nsource: %s\n", spec.Schema, name, strconv.Quote(source))
	fmt.Fprintf(&b, "turns: %s\ninput: %s\n", distribution(p.turns, tokens), distribution(p.input, tokens))
	last := &p.classes[len(p.classes)-1]
	last.write(&b, "")
	var effects []string
	for v, share := range p.effect {
		if share > 0 {
			effects = append(effects, names[v]+": "+strconv.FormatFloat(share, 'f', -1, 64))
		}
	}
	if len(effects) > 0 {
		fmt.Fprintf(&b, "effect: {%s}\n", strings.Join(effects, ", "))
	}
	if len(p.classes) > 1 {
		b.WriteString("lengths:\n")
	}
	for i := range p.classes[:len(p.classes)-1] {
		fmt.Fprintf(&b, "  - to: %d\n", p.classes[i].to)
		p.classes[i].write(&b, "    ")
	}
	return []byte(b.String())
}

func (c *class) write(b *strings.Builder, indent string) {
	for v, name := range names {
		unit := float64(tokens)
		if name == "wait" {
			unit = seconds
		}
		list := c.tables[v]
		if len(list) == 0 { // traces without a tool turn
			fmt.Fprintf(b, "%s%s: 0\n", indent, name)
			continue
		}
		fmt.Fprintf(b, "%s%s:\n", indent, name)
		for _, t := range list {
			fmt.Fprintf(b, "%s  - {from: %d, %s\n", indent, t.from, distribution(t.values, unit)[1:])
		}
	}
	fmt.Fprintf(b, "%sfinal: %s\n", indent, distribution(c.final, tokens))
}

// distribution writes quantiles of sorted values: the k-th of n stands at (k - 1/2) / n.
func distribution(sorted []int64, unit float64) string {
	var at, values []string
	for _, p := range percents {
		place := min(max(p/100*float64(len(sorted))-0.5, 0), float64(len(sorted)-1))
		low, high := float64(sorted[int(place)]), float64(sorted[int(math.Ceil(place))])
		share := place - math.Floor(place)
		v := math.Round(math.Exp(math.Log(max(low, 1))*(1-share) + math.Log(max(high, 1))*share))
		if low == high || low == 0 {
			v = math.Round(low*(1-share) + high*share)
		}
		at, values = append(at, strconv.FormatFloat(p, 'f', -1, 64)), append(values, strconv.FormatFloat(v/unit, 'f', -1, 64))
	}
	return fmt.Sprintf("{scale: log, quantiles: {at: [%s], values: [%s]}}", strings.Join(at, ", "), strings.Join(values, ", "))
}

// Name makes a profile's name of a file's.
func Name(file string) string {
	base, _, _ := strings.Cut(file, ".")
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '-'
	}, base)
	if name == "" {
		return "profile"
	}
	return name[:min(len(name), 64)]
}
