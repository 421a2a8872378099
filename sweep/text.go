package sweep

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"paceline/core/metrics"
	"paceline/sweep/cache"
)

// writeText writes report.txt: a table, and below it what each point failed.
func writeText(w io.Writer, r *Report) {
	var b strings.Builder
	n := r.Summary
	fmt.Fprintf(&b, "Paceline sweep%66s\n%s\n", fmt.Sprintf("%d of %d points done, %d passed", n.Done, n.Planned, n.Passed), strings.Repeat("=", 80))
	if r.Rules != "" {
		fmt.Fprintf(&b, "rules  %s\n", plain(r.Rules))
	}
	if r.Found != nil {
		b.WriteString(r.Found.text())
	}
	fmt.Fprintf(&b, "x      %s\ny      %s\n\n", r.Axes.X, r.Axes.Y)
	fmt.Fprintf(&b, "%6s  %-16s %9s %10s %9s  %-12s %s\n", "users", "region", "x", "y", "window s", "cache before", "verdict")
	for i := range r.Points {
		row := &r.Points[i]
		fmt.Fprintf(&b, "%6d  %-16s %9s %10s %9s  %-12s %s\n", row.Concurrency, placed(row), axis(row.X), axis(row.Y),
			axis(row.figure(durationFigure)), cacheText(row.Cache), verdictOf(row))
	}
	if anyMarked(r) {
		b.WriteString("\n* carries the full accuracy run   s may be withdrawn (spare)\n")
	}
	for i := range r.Points {
		rowText(&b, &r.Points[i])
	}
	if r.SetupsDiffer {
		b.WriteString("\nThe points were not played under one configuration: setup_sha256 of report.json tells which.\n")
	}
	for i, note := range r.Notes {
		if i == 0 {
			b.WriteString("\nRehearsal: the rules refuse\n")
		}
		b.WriteString("  " + plain(note) + "\n")
	}
	_, _ = io.WriteString(w, b.String()) // w is a buffer
}

// rowText tells what a point was not held to, did not hold, or could not show.
func rowText(b *strings.Builder, row *Row) {
	var lines []string
	if row.Reason != "" {
		lines = append(lines, string(row.State)+": "+row.Reason)
	}
	for _, c := range row.Checks {
		if c.Held != Passed {
			lines = append(lines, fmt.Sprintf("%s: %s (%s)", c.Name, strings.ReplaceAll(string(c.Held), "_", " "), c.Text))
		}
	}
	if row.Attempts > 1 {
		lines = append(lines, fmt.Sprintf("%d attempts, the latest in %s", row.Attempts, row.Folder))
	}
	for i, line := range lines {
		if i == 0 {
			fmt.Fprintf(b, "\n%d users\n", row.Concurrency)
		}
		b.WriteString("  " + plain(line) + "\n")
	}
}

func (row *Row) figure(name string) metrics.Figure {
	for _, f := range row.Figures {
		if f.Name == name {
			return f.Figure
		}
	}
	return metrics.Figure{}
}

func axis(f metrics.Figure) string { return number(f.Value, 2) }

func placed(row *Row) string {
	text := row.Region
	if text == "" {
		text = "-"
	}
	mark := ""
	if row.Accuracy {
		mark += "*"
	}
	if row.Spare {
		mark += "s"
	}
	if mark != "" {
		text += " " + mark
	}
	return plain(text)
}

func anyMarked(r *Report) bool {
	for i := range r.Points {
		if r.Points[i].Accuracy || r.Points[i].Spare {
			return true
		}
	}
	return false
}

func cacheText(v *cache.Verdict) string {
	if v == nil {
		return "-"
	}
	return strings.ReplaceAll(string(v.State), "_", " ")
}

func verdictOf(row *Row) string {
	switch {
	case row.State != Done:
		return string(row.State)
	case row.Passed:
		return "passed"
	}
	return "NOT PASSED"
}

// plain makes text from strangers fit for a terminal.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case r == unicode.ReplacementChar || !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)
}
