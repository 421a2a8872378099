package verify

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"paceline/profile/measure"
)

func percentName(p float64) string { return "p" + strconv.FormatFloat(p, 'g', -1, 64) }

// Scattered counts the comparisons that hold only by what the expectation is uncertain by itself.
func Scattered(rows []Row) int {
	n := 0
	for i := range rows {
		if rows[i].Scatter {
			n++
		}
	}
	return n
}

// Failed counts the comparisons that are out of bounds, and those that are held at all.
func Failed(rows []Row) (failed, held int) {
	for i := range rows {
		if rows[i].Held() {
			held++
		}
		if !rows[i].OK {
			failed++
		}
	}
	return failed, held
}

// Write writes the comparisons, one quantity a line: for each quantile what was found and how far off it is. A bound that
// holds is marked =, one that does not !, one that holds only by what the expectation is uncertain by itself ~; p5 and others
// without a bound are only shown.
func Write(w io.Writer, rows []Row) {
	last := ""
	for i := range rows {
		r := &rows[i]
		name := r.Name
		if r.Position != "" {
			name += " @" + r.Position
		}
		if name != last {
			if last != "" {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%-20s", name)
			last = name
		}
		fmt.Fprintf(w, "  %s", r.text())
	}
	fmt.Fprintln(w)
}

// WriteShape writes what drawn conversations are as wholes: where tables are all that is held, nothing else tells.
func WriteShape(w io.Writer, s *measure.Summary) {
	for i := range s.Quantities {
		q := &s.Quantities[i]
		if q.Kind == measure.Turn {
			continue
		}
		fmt.Fprintf(w, "%-20s  mean %s", q.Name, number(math.Round(q.Mean)))
		for k, p := range s.Percents {
			fmt.Fprintf(w, "  %s %s", percentName(p), number(q.Quantiles[k]))
		}
		fmt.Fprintln(w)
	}
	for _, c := range s.Correlation {
		fmt.Fprintf(w, "%-20s  lag1 %.3f  lag2 %.3f  lag8 %.3f\n", c.Name, c.Lag1, c.Lag2, c.Lag8)
	}
	fmt.Fprintf(w, "%-20s  tokens %.2f  traces %.2f\n", "ideal_hit_rate", s.HitTokens, s.HitTraces)
}

func number(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

func (r *Row) text() string {
	mark := ""
	switch {
	case !r.OK:
		mark = "!"
	case r.Scatter:
		mark = "~"
	case r.Held():
		mark = "="
	}
	off := fmt.Sprintf("%+.1f%%", r.Off)
	if !strings.HasPrefix(r.Measure, "p") {
		off = fmt.Sprintf("%+.3f", r.Off)
	}
	return fmt.Sprintf("%s %s (%s)%s", r.Measure, number(r.Found), off, mark)
}
