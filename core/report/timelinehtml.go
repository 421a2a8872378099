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
<title>Timeline</title>
<style>
body { font: 14px/1.5 system-ui, sans-serif; margin: 2rem; }
table { border-collapse: collapse; width: 100%; }
td, th { padding: 0 .5rem; text-align: right; white-space: nowrap; font-weight: normal; }
th { border-bottom: 1px solid #999; }
td.bar { width: 70%; padding: 0; position: relative; height: 1.4em; background: #f4f4f4; }
td.bar i { position: absolute; top: 15%; height: 70%; min-width: 1px; }
.late { background: #bbb; } .wait { background: #f0b65a; } .tokens { background: #3b78c3; } .step { background: #7a5ea8; }
tr.critical td:first-child { font-weight: bold; }
</style>
{{range .}}<h2>{{.Title}}</h2>
<p>{{.Span}}. Late <i class="late">&emsp;</i>, no token yet <i class="wait">&emsp;</i>, tokens <i class="tokens">&emsp;</i>, agent's step <i class="step">&emsp;</i>; turns of the critical path are bold.</p>
<table>
<tr><th>turn</th><th>branch</th><th>sent ms</th><th>ms</th><th>outcome</th><th></th></tr>
{{range .Rows}}<tr{{if .Critical}} class="critical"{{end}}><td>{{.Turn}}</td><td>{{.Branch}}</td><td>{{.Sent}}</td><td>{{.Took}}</td><td>{{.Outcome}}</td><td class="bar">{{range .Bars}}<i class="{{.Class}}" style="left:{{.Left}}%;width:{{.Width}}%"></i>{{end}}</td></tr>
{{end}}</table>
<ul>
{{range .Notes}}<li>{{.}}</li>
{{end}}</ul>
{{end}}</html>
`))

type htmlTimeline struct {
	Title, Span string
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
	h := htmlTimeline{Title: t.title(), Span: t.about(), Notes: t.notes()}
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
