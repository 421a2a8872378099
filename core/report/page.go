package report

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"paceline/core/metrics"
	"paceline/core/stats"
)

// width is the number of columns of report.txt.
const width = 80

// page builds text in width columns.
type page struct{ b strings.Builder }

// plain makes text from strangers fit for a terminal: one line, no control or
// invalid characters.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r == utf8.RuneError || !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)
}

func (p *page) line(s string) {
	p.b.WriteString(strings.TrimRight(s, " "))
	p.b.WriteByte('\n')
}

// section starts a part with its title.
func (p *page) section(title string) {
	p.line("")
	p.line(title)
	p.line(strings.Repeat("-", width))
}

// labelColumn is the width of labels before their values.
const labelColumn = 16

// pair writes a label and a value, the value wrapped in its column.
func (p *page) pair(label, value string) { p.pairAt(labelColumn, label, value) }

func (p *page) pairAt(column int, label, value string) {
	for i, part := range wrap(plain(value), width-column) {
		if i > 0 {
			label = ""
		}
		p.line(left(label, column) + part)
	}
}

// text writes wrapped text from the first column.
func (p *page) text(s string) {
	for _, part := range wrap(plain(s), width) {
		p.line(part)
	}
}

// note writes wrapped text, indented.
func (p *page) note(text string) {
	for i, part := range wrap(plain(text), width-4) {
		indent := "  - "
		if i > 0 {
			indent = "    "
		}
		p.line(indent + part)
	}
}

// wrap cuts text into lines of at most n characters, between words where it can.
func wrap(text string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		for utf8.RuneCountInString(word) > n {
			if line != "" {
				lines, line = append(lines, line), ""
			}
			r := []rune(word)
			lines, word = append(lines, string(r[:n])), string(r[n:])
		}
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) <= n:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" || len(lines) == 0 {
		lines = append(lines, line)
	}
	return lines
}

// left and right pad to n characters, or cut.
func left(s string, n int) string {
	if c := utf8.RuneCountInString(s); c < n {
		return s + strings.Repeat(" ", n-c)
	}
	return string([]rune(s)[:n-1]) + " "
}

func right(s string, n int) string {
	if c := utf8.RuneCountInString(s); c < n {
		return strings.Repeat(" ", n-c) + s
	}
	return " " + s
}

// short writes a figure in few characters: "-" where it is missing.
func short(n stats.Num) string {
	v, ok := n.Get()
	if !ok {
		return "-"
	}
	if v == 0 {
		return "0"
	}
	places := 4
	for _, edge := range []float64{1, 10, 100, 1000} {
		if v >= edge || v <= -edge {
			places--
		}
	}
	return strconv.FormatFloat(v, 'f', places, 64)
}

// told writes a figure with its unit, or why there is none.
func told(f metrics.Figure, unit string) string {
	if !f.Value.Valid() {
		return "none (" + f.Reason + ")"
	}
	if unit == "%" {
		return short(stats.Of(f.Value.Or(0)*100)) + " %"
	}
	return strings.TrimRight(short(f.Value)+" "+unit, " ")
}

// count writes a number of things.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return strconv.Itoa(n) + " " + thing
}

// seconds writes a number of milliseconds as seconds.
func seconds(ms stats.Num) string {
	v, ok := ms.Get()
	if !ok {
		return "-"
	}
	return strconv.FormatFloat(v/1000, 'f', 3, 64)
}

// Columns of the tables of distributions.
const (
	nameColumn   = 23
	countColumn  = 8
	figureColumn = 8
)

func (p *page) head(title string) {
	s := left(title, nameColumn) + right("count", countColumn)
	for _, h := range []string{"mean", "p50", "p90", "p95", "p99", "max"} {
		s += right(h, figureColumn-1) + " "
	}
	p.line(s)
}

// dist writes one row of such a table. A star marks a quantile that is told by
// fewer values than it needs.
func (p *page) dist(name string, d *metrics.Dist) {
	s := left(plain(name), nameColumn) + right(strconv.Itoa(d.Count), countColumn)
	if d.Count == 0 {
		p.line(s + "   " + d.Reason)
		return
	}
	s += right(short(d.Mean), figureColumn-1) + " "
	for _, q := range []struct {
		n    stats.Num
		name string
	}{{d.P50, "p50"}, {d.P90, "p90"}, {d.P95, "p95"}, {d.P99, "p99"}} {
		mark := " "
		if d.Few(q.name) {
			mark = "*"
		}
		s += right(short(q.n), figureColumn-1) + mark
	}
	p.line(s + right(short(d.Max), figureColumn-1))
}
