package report

import (
	"bytes"
	_ "embed" // for the assets
	"fmt"
	"html/template"
	"io"
	"strings"

	"paceline/core/digest"
	"paceline/core/metrics"
)

var (
	//go:embed assets/page.css
	pageStyle string
	//go:embed assets/page.html.tmpl
	pageText string

	pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(pageStyle) },
	}).Parse(pageText))
)

// htmlPage is what the page shows.
type htmlPage struct {
	Title, Policy, Window string
	Lines, Warnings       []string
	Facts                 []htmlFact
	Turns                 htmlTable
	Parts                 []htmlParts
	Groups                []htmlTable
}

type htmlFact struct{ Name, Value string }

type htmlTable struct {
	Title string
	Heads []string
	Rows  []htmlRow
	More  string // of rows that are not shown
}

type htmlRow struct {
	Name  string
	Cells []string
}

// WriteHTML writes the report's main figures as one page, with those of targets, tenants, workloads and groups side by side. It
// has no scripts, asks for nothing, and works from a file. Equal results give equal bytes.
func WriteHTML(w io.Writer, r *Result) error {
	p := htmlPage{
		Title:  "Run " + plain(r.Run) + ": " + strings.ReplaceAll(string(r.Status), "_", " "),
		Policy: "default-src 'none'; style-src " + digest.Inline(pageStyle),
		Window: "Window " + windowText(&r.Metrics.Window),
		Facts:  factsOf(r.Metrics), Turns: turnsTable(r.Metrics), Groups: groupTables(&r.Metrics.Groups),
	}
	p.lines(r)
	for _, x := range r.Warnings {
		p.Warnings = append(p.Warnings, plain(x.Message))
	}
	p.parts(r.Metrics)
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, &p); err != nil {
		return fmt.Errorf("write page of the report: %w", err)
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write page of the report: %w", err)
	}
	return nil
}

func (p *htmlPage) lines(r *Result) {
	f := &r.Metrics.Failures
	p.Lines = append(p.Lines, fmt.Sprintf("%d of %d planned turns ok, in %s. Client: %s", f.OK, f.Planned, count(f.Started, "conversation"),
		r.Metrics.Honesty.State))
	what := "Model " + r.What.Model
	if len(r.What.Targets) == 0 {
		what += " at " + r.What.Endpoint
	}
	p.Lines = append(p.Lines, plain(what), plain("Load: "+loadText(&r.What)))
	for _, t := range r.What.Targets {
		p.Lines = append(p.Lines, plain(fmt.Sprintf("Target %s: %s, weight %d", t.Name, t.Endpoint, t.Weight)))
	}
	if len(r.Unofficial) > 0 {
		p.Lines = append(p.Lines, plain("Unofficial: "+strings.Join(r.Unofficial, "; ")))
	}
}

// factsOf are the main figures of the whole run.
func factsOf(m *metrics.Metrics) []htmlFact {
	t, j, h := &m.Throughput, &m.Trajectories, &m.Cache
	list := []htmlFact{
		{"System", told(t.System, "output tokens/s") + "; " + told(t.Input, "input tokens/s") + "; " + told(t.Turns, "turns/s")},
		{"Per user", told(m.PerUser.Plain, "tokens/s") + "; " + told(m.PerUser.Normalized, "tokens/s end to end (1 / p90 of latency / tokens)")},
		{"Trajectories", told(j.JobsHour, "per hour") + "; latency p50 " + short(j.Latency.P50) + ", p90 " + short(j.Latency.P90) + ", p99 " + short(j.Latency.P99) + " ms; TTFAT p50 " + short(j.TTFAT.P50) + " ms"},
		{"Prefix cache", told(h.Measured, "%") + " measured; " + told(h.Ideal, "%") + " ideal; " + told(h.Eligible, "%") + " of the ideal"},
	}
	if m.Rules.Accelerators != nil {
		list = append(list, htmlFact{"Per accelerator", told(t.PerAccelerator, "output tokens/s") + "; " + told(j.JobsAccel, "trajectories/h")})
	}
	if g := &m.Goodput; len(g.Objectives) > 0 {
		list = append(list, htmlFact{"Goodput", "turns " + told(g.Turns.Share, "%") + "; trajectories " + told(g.Trajectories.Share, "%") + "; under " + goalsText(g.Objectives)})
	}
	if m.Cost != nil {
		list = append(list, htmlFact{"Cost", costText(m.Cost)})
	}
	return list
}

// goalsText lists objectives.
func goalsText(list []metrics.Goal) string {
	var texts []string
	for _, g := range list {
		text := g.Metric + " " + g.AtMostMS.String() + " ms"
		if g.Workload != "" {
			text = plain(g.Workload) + ": " + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// turnsTable has the distributions of single turns.
func turnsTable(m *metrics.Metrics) htmlTable {
	t := htmlTable{Heads: []string{"turns", "mean", "p50", "p90", "p95", "p99", "max"}}
	for _, x := range []struct {
		name string
		d    *metrics.Dist
	}{
		{"TTFT, ms", &m.Turns.TTFT}, {"latency, ms", &m.Turns.Latency}, {"TPOT, ms/token", &m.Turns.TPOT},
		{"interactivity, tokens/s", &m.Turns.Interactivity}, {"output tokens", &m.Turns.Output}, {"input tokens", &m.Turns.Input},
	} {
		row := htmlRow{x.name, []string{fmt.Sprint(x.d.Count)}}
		row.Cells = append(row.Cells, shorts(x.d.Mean, x.d.P50, x.d.P90, x.d.P95, x.d.P99, x.d.Max)...)
		t.Rows = append(t.Rows, row)
	}
	return t
}
