package report

import (
	"fmt"
	"strconv"

	"paceline/core/metrics"
	"paceline/core/stats"
)

// htmlParts are parts of a run side by side: how it was divided, and their figures.
type htmlParts struct {
	Heading, About string
	Shares         *htmlShares // nil: not told
	Tables         []htmlTable
	Notes          []string
}

// htmlShares draws one bar for each thing that was divided, in pieces by part.
type htmlShares struct {
	Label  string
	Height int
	Bars   []htmlShareBar
	Legend []htmlKey
}

type htmlShareBar struct {
	Name   string
	Text   int // y
	Pieces []htmlPiece
}

type htmlPiece struct {
	Class, X, Width, Says string
	Y                     int
	Shown                 *htmlLabel // nil: it is too narrow
}

type htmlLabel struct {
	X    string
	Y    int
	Text string
}

type htmlKey struct{ Class, Name string }

// longHeads are the heads of columns where there is room for them.
var longHeads = map[string]string{
	"TTFT50": "TTFT p50", "TTFT90": "TTFT p90", "TTFT99": "TTFT p99", "lat50": "latency p50", "lat90": "latency p90", "lat99": "latency p99",
	"TPOT50": "TPOT p50", "TPOT90": "TPOT p90", "inter50": "interactivity p50", "late99": "schedule error p99", "tok/s": "output tokens/s",
	"in/s": "input tokens/s", "TTFAT50": "TTFAT p50", "done/h": "completed per hour", "done": "completed", "users": "users active", "out": "output tokens",
	"in50": "input tokens p50", "asked": "asked for", "convs": "conversations", "flight": "time in flight",
	"output": "output tokens", "input": "input tokens", "cost": "share of the cost", "goodT": "goodput, turns", "goodC": "goodput, conversations",
}

func longHead(head string) string {
	if long := longHeads[head]; long != "" {
		return long
	}
	return head
}

func (p *htmlPage) parts(m *metrics.Metrics) {
	const about = "Times in ms. Failed and started are of the whole run, all else of the window."
	if list := m.Targets; len(list) > 0 {
		x := htmlParts{Heading: "Targets", About: "A conversation asks one target for its whole life. " + about, Shares: drawShares(list, []partColumn{asked})}
		x.tables(list, &turnsOfParts, &tailsOfParts, &conversationsOfParts, &servedOfParts)
		for i := range list {
			if f := &list[i].Failures; len(f.Outcomes) > 0 {
				x.Notes = append(x.Notes, plain("Not ok at "+list[i].Name+": "+classes(f.Outcomes)))
			}
		}
		p.Parts = append(p.Parts, x)
	}
	if list := m.Tenants; len(list) > 0 {
		x := htmlParts{Heading: "Tenants", About: about, Shares: drawShares(list, nil)}
		x.tables(list, &turnsOfParts, &tailsOfParts, &conversationsOfParts, servedOfParts.with(nil, []partColumn{costShare}))
		for i := range list {
			if c := list[i].Cost; c != nil {
				x.Notes = append(x.Notes, plain(list[i].Name+": "+amount(c.MillionOutput, c.Currency+" per million output tokens")+"; "+amount(c.Trajectory, c.Currency+" per completed trajectory")))
			}
		}
		p.Parts = append(p.Parts, x)
	}
	if list := partsOf(m.Workloads); len(list) > 0 && !sameAsWorkloads(m) {
		x := htmlParts{Heading: "Workloads", About: about}
		x.tables(list, &turnsOfParts, &conversationsOfParts)
		p.Parts = append(p.Parts, x)
	}
}

// tables shows parts in several tables.
func (x *htmlParts) tables(list []metrics.Part, tables ...*partTable) {
	for _, t := range tables {
		h := htmlTable{Title: t.title, More: moreText(len(list))}
		for i := range t.columns {
			h.Heads = append(h.Heads, longHead(t.columns[i].head))
		}
		for _, part := range mostTurns(list, plannedTurns) {
			row := htmlRow{Name: plain(part.Name)}
			for i := range t.columns {
				row.Cells = append(row.Cells, t.columns[i].text(part))
			}
			h.Rows = append(h.Rows, row)
		}
		x.Tables = append(x.Tables, h)
	}
}

// Geometry of the bars, in units of their view box.
const (
	barsFrom, barsWide = 180, 780
	barStep            = 24
	leastShown         = 45 // a piece that has room for its share
	partColours        = 8
)

// drawShares draws how the run was divided: for each column of shares one bar.
func drawShares(list []metrics.Part, before []partColumn) *htmlShares {
	table := sharesOfParts.with(before, nil)
	s := &htmlShares{Label: "how the run was divided"}
	shown := mostTurns(list, plannedTurns)
	for i, part := range shown {
		s.Legend = append(s.Legend, htmlKey{"c" + strconv.Itoa(i%partColours), plain(part.Name)})
	}
	for n := range table.columns {
		c := &table.columns[n]
		bar := htmlShareBar{Name: longHead(c.head), Text: n*barStep + 14}
		at := 0.0
		for i, part := range shown {
			f := c.share(part)
			if f == nil || !f.Value.Valid() {
				continue
			}
			wide := float64(f.Value.Or(0) * barsWide)
			piece := htmlPiece{Class: "c" + strconv.Itoa(i%partColours), X: units(barsFrom + at), Width: units(wide), Y: n * barStep,
				Says: plain(part.Name) + ": " + percentOf(f) + " of " + bar.Name}
			if wide >= leastShown {
				piece.Shown = &htmlLabel{units(barsFrom + at + wide/2), n*barStep + 13, percentOf(f)}
			}
			bar.Pieces = append(bar.Pieces, piece)
			at += wide
		}
		s.Bars = append(s.Bars, bar)
	}
	s.Height = len(s.Bars) * barStep
	return s
}

// units writes a length with one place.
func units(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

// groupTables are the groups of turns, bounded.
func groupTables(g *metrics.Groups) []htmlTable {
	var list []htmlTable
	for _, kind := range kindsOf(g) {
		if len(kind.list) == 0 {
			continue
		}
		t := htmlTable{Title: "by " + kind.name, More: moreText(len(kind.list))}
		for _, h := range []string{"ok", "failed", "TTFT50", "lat50", "lat90", "TPOT50", "inter50", "out", "tok/s", "cached", "ideal", "reuse", "goodput"} {
			t.Heads = append(t.Heads, longHead(h))
		}
		for _, x := range mostTurns(kind.list, turnsOfGroup) {
			cells := []string{strconv.Itoa(x.OK), strconv.Itoa(x.Failed)}
			for _, n := range []stats.Num{x.TTFT.P50, x.Latency.P50, x.Latency.P90, x.TPOT.P50, x.Inter.P50, x.Output.Mean, x.Rate.Value} {
				cells = append(cells, short(n))
			}
			for _, f := range []*metrics.Figure{&x.Cached, &x.Ideal, &x.Eligible, x.Share()} {
				cells = append(cells, percentOf(f))
			}
			t.Rows = append(t.Rows, htmlRow{plain(x.Name), cells})
		}
		list = append(list, t)
		if whole := wholeTable(kind); len(whole.Rows) > 0 {
			list = append(list, whole)
		}
	}
	return list
}

// wholeTable has the trajectories of groups that split conversations.
func wholeTable(kind groupKind) htmlTable {
	t := htmlTable{Title: "by " + kind.name + ": trajectories"}
	for _, h := range []string{"done", "lat50", "lat90", "lat99", "TTFAT50", "done/h", "goodput"} {
		t.Heads = append(t.Heads, longHead(h))
	}
	for _, x := range mostTurns(kind.list, turnsOfGroup) {
		if g := x.Whole; g != nil {
			cells := append([]string{strconv.Itoa(g.Completed)}, shorts(g.Latency.P50, g.Latency.P90, g.Latency.P99, g.TTFAT.P50, g.JobsHour.Value)...)
			t.Rows = append(t.Rows, htmlRow{plain(x.Name), append(cells, percentOf(g.Share()))})
		}
	}
	return t
}

// moreText tells of parts that are not shown; empty: all are.
func moreText(n int) string {
	if n <= shownParts {
		return ""
	}
	return fmt.Sprintf("and %d more with fewer turns: report.json", n-shownParts)
}
