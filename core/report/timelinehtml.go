package report

import (
	"fmt"
	"html/template"
	"io"
	"strconv"

	"paceline/core/sample"
)

// timelinePage draws conversations as bars. It loads nothing.
var timelinePage = template.Must(template.New("timeline").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Timeline</title>
<style>
:root { color-scheme: light dark; --ground: #fff; --ink: #1b2530; --quiet: #56636f; --lane: #f0f2f4; --late: #a9b1b8; --wait: #d98b1f; --tokens: #2f6db5; --step: #7a5ea8; }
@media screen and (prefers-color-scheme: dark) { :root { --ground: #11161c; --ink: #e6ebf0; --quiet: #a3afba; --lane: #1d252e; --late: #78838e; --wait: #f0b65a; --tokens: #56a3e9; --step: #b197e0; } }
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; background: var(--ground); color: var(--ink); }
h2 { overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
td, th { padding: 0 .5rem; text-align: right; white-space: nowrap; font-weight: normal; }
th { border-bottom: 1px solid var(--quiet); color: var(--quiet); }
th.bar { padding: 0; } th.bar span { display: flex; justify-content: space-between; }
td.bar { width: 70%; padding: 0; position: relative; height: 1.4em; background: var(--lane); }
td.bar i { position: absolute; top: 15%; height: 70%; min-width: 1px; }
.late { background: var(--late); } .wait { background: var(--wait); } .tokens { background: var(--tokens); } .step { background: var(--step); }
tr.critical td:first-child { font-weight: bold; }
ul { padding-left: 1.2rem; }
@media screen and (max-width: 700px) {
  body { margin: 1rem; }
  table, tbody { display: block; }
  tr { display: grid; grid-template-columns: repeat(5, 1fr); }
  td.bar, th.bar { grid-column: 1 / -1; width: auto; margin-bottom: .4rem; }
}
</style>
{{range .}}<h2>{{.Title}}</h2>
<p>{{.Span}}. Late <i class="late">&emsp;</i>, no token yet <i class="wait">&emsp;</i>, tokens <i class="tokens">&emsp;</i>, agent's step <i class="step">&emsp;</i>; turns of the critical path are bold.</p>
<table>
<tr><th>turn</th><th>branch</th><th>sent ms</th><th>ms</th><th>outcome</th><th class="bar"><span><span>0 ms</span><span>{{.Last}} ms</span></span></th></tr>
{{range .Rows}}<tr{{if .Critical}} class="critical"{{end}}><td>{{.Turn}}</td><td>{{.Branch}}</td><td>{{.Sent}}</td><td>{{.Took}}</td><td>{{.Outcome}}</td><td class="bar">{{range .Bars}}<i class="{{.Class}}" style="left:{{.Left}}%;width:{{.Width}}%"></i>{{end}}</td></tr>
{{end}}</table>
<ul>
{{range .Notes}}<li>{{.}}</li>
{{end}}</ul>
{{end}}</html>
`))

type htmlTimeline struct {
	Title, Span string
	Last        string // where the drawing ends
	Rows        []htmlTurn
	Notes       []string
}

type htmlTurn struct {
	Turn                        uint32
	Branch, Sent, Took, Outcome string
	Critical                    bool
	Bars                        []htmlBar
}

type htmlBar struct{ Class, Left, Width string }

// WriteTimelineHTML draws conversations as one page.
func WriteTimelineHTML(w io.Writer, list []Timeline) error {
	pages := make([]htmlTimeline, len(list))
	for i := range list {
		pages[i] = list[i].html()
	}
	if err := timelinePage.Execute(w, pages); err != nil {
		return fmt.Errorf("write timeline: %w", err)
	}
	return nil
}

func (t *Timeline) html() htmlTimeline {
	from, to := t.span()
	h := htmlTimeline{Title: t.title(), Span: t.about(), Last: inMillis(to - from), Notes: t.notes()}
	for i := range t.Turns {
		x := &t.Turns[i]
		row := htmlTurn{Turn: x.Turn, Branch: x.branch(), Sent: "-", Took: x.took(), Outcome: x.ended(), Critical: x.Critical}
		if x.Sent.Set() {
			row.Sent, row.Bars = inMillis(x.Sent-from), x.bars(from, to)
		}
		h.Rows = append(h.Rows, row)
	}
	return h
}

// bars are the parts of a turn, as shares of the whole.
func (t *TimelineTurn) bars(from, to sample.Offset) []htmlBar {
	var list []htmlBar
	for _, p := range t.parts(to) {
		list = append(list, htmlBar{p.class, percent(p.from-from, to-from), percent(p.to-p.from, to-from)})
	}
	return list
}

// percent is a share in hundredths with two places, in whole numbers until then.
func percent(part, whole sample.Offset) string {
	return strconv.FormatFloat(float64(int64(part)*10_000/max(int64(whole), 1))/100, 'f', 2, 64)
}
