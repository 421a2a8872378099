package report

import (
	"cmp"
	"slices"
	"strconv"

	"paceline/core/metrics"
	"paceline/core/stats"
)

// partTable shows parts of a run side by side: a title, and columns with what stands in them.
type partTable struct {
	title   string
	columns []partColumn
}

// partColumn has one of the three ways to fill a cell.
type partColumn struct {
	head  string
	count func(*metrics.Part) int
	value func(*metrics.Part) stats.Num
	share func(*metrics.Part) *metrics.Figure // of 1; nil: none
}

func (c *partColumn) text(x *metrics.Part) string {
	switch {
	case c.count != nil:
		return strconv.Itoa(c.count(x))
	case c.value != nil:
		return short(c.value(x))
	}
	return percentOf(c.share(x))
}

func number(head string, of func(*metrics.Part) int) partColumn {
	return partColumn{head: head, count: of}
}

func value(head string, of func(*metrics.Part) stats.Num) partColumn {
	return partColumn{head: head, value: of}
}

// percents shows a share of 1.
func percents(head string, of func(*metrics.Part) *metrics.Figure) partColumn {
	return partColumn{head: head, share: of}
}

// percentOf shows a share with its sign, and a missing one as a dash.
func percentOf(f *metrics.Figure) string {
	if f == nil || !f.Value.Valid() {
		return "-"
	}
	return strconv.FormatFloat(float64(f.Value.Or(0)*100), 'f', 1, 64) + "%"
}

// Tables of parts. All times are in ms.
var (
	turnsOfParts = partTable{"turns", []partColumn{
		number("ok", func(x *metrics.Part) int { return x.Turns.Latency.Count }),
		number("failed", func(x *metrics.Part) int { return x.Failures.Failed }),
		value("TTFT50", func(x *metrics.Part) stats.Num { return x.Turns.TTFT.P50 }),
		value("lat50", func(x *metrics.Part) stats.Num { return x.Turns.Latency.P50 }),
		value("lat90", func(x *metrics.Part) stats.Num { return x.Turns.Latency.P90 }),
		value("TPOT50", func(x *metrics.Part) stats.Num { return x.Turns.TPOT.P50 }),
		value("tok/s", func(x *metrics.Part) stats.Num { return x.Throughput.System.Value }),
	}}
	conversationsOfParts = partTable{"conversations", []partColumn{
		number("started", func(x *metrics.Part) int { return x.Failures.Started }),
		number("done", func(x *metrics.Part) int { return x.Trajectories.Completed }),
		value("lat50", func(x *metrics.Part) stats.Num { return x.Trajectories.Latency.P50 }),
		value("lat90", func(x *metrics.Part) stats.Num { return x.Trajectories.Latency.P90 }),
		value("TTFAT50", func(x *metrics.Part) stats.Num { return x.Trajectories.TTFAT.P50 }),
		value("done/h", func(x *metrics.Part) stats.Num { return x.Trajectories.JobsHour.Value }),
		value("users", func(x *metrics.Part) stats.Num { return x.Concurrency.UsersActive.Value }),
	}}
	tailsOfParts = partTable{"tails", []partColumn{
		value("TTFT90", func(x *metrics.Part) stats.Num { return x.Turns.TTFT.P90 }),
		value("TTFT99", func(x *metrics.Part) stats.Num { return x.Turns.TTFT.P99 }),
		value("lat99", func(x *metrics.Part) stats.Num { return x.Turns.Latency.P99 }),
		value("TPOT90", func(x *metrics.Part) stats.Num { return x.Turns.TPOT.P90 }),
		value("inter50", func(x *metrics.Part) stats.Num { return x.Turns.Interactivity.P50 }),
		value("late99", func(x *metrics.Part) stats.Num { return x.Turns.ScheduleError.P99 }),
		value("in/s", func(x *metrics.Part) stats.Num { return x.Throughput.Input.Value }),
	}}
	sharesOfParts = partTable{"shares", []partColumn{
		percents("convs", func(x *metrics.Part) *metrics.Figure { return &x.Shares.Conversations }),
		percents("turns", func(x *metrics.Part) *metrics.Figure { return &x.Shares.Turns }),
		percents("output", func(x *metrics.Part) *metrics.Figure { return &x.Shares.Output }),
		percents("input", func(x *metrics.Part) *metrics.Figure { return &x.Shares.Input }),
		percents("flight", func(x *metrics.Part) *metrics.Figure { return &x.Shares.InFlight }),
	}}
	asked     = percents("asked", func(x *metrics.Part) *metrics.Figure { return x.Shares.Asked })
	costShare = percents("cost", func(x *metrics.Part) *metrics.Figure {
		if x.Cost == nil {
			return nil
		}
		return x.Cost.Share
	})
	servedOfParts = partTable{"cache, goodput", []partColumn{
		percents("cached", func(x *metrics.Part) *metrics.Figure { return &x.Cache.Measured }),
		percents("ideal", func(x *metrics.Part) *metrics.Figure { return &x.Cache.Ideal }),
		percents("reuse", func(x *metrics.Part) *metrics.Figure { return &x.Cache.Eligible }),
		percents("goodT", func(x *metrics.Part) *metrics.Figure { return good(x, false) }),
		percents("goodC", func(x *metrics.Part) *metrics.Figure { return good(x, true) }),
	}}
)

func good(x *metrics.Part, trajectories bool) *metrics.Figure {
	switch {
	case x.Goodput == nil:
		return nil
	case trajectories:
		return &x.Goodput.Trajectories.Share
	}
	return &x.Goodput.Turns.Share
}

// with is the table with further columns: some before its own, some behind.
func (t partTable) with(before, behind []partColumn) *partTable {
	t.columns = slices.Concat(before, t.columns, behind)
	return &t
}

func (p *page) table(t *partTable, parts []metrics.Part) {
	s := left(t.title, 24)
	for i := range t.columns {
		s += right(t.columns[i].head, 8)
	}
	p.line(s)
	for _, x := range mostTurns(parts, plannedTurns) {
		s := left("  "+plain(x.Name), 24)
		for i := range t.columns {
			s += right(t.columns[i].text(x), 8)
		}
		p.line(s)
	}
	p.more(len(parts))
}

// shownParts is how many parts of one kind report.txt and the page show.
const shownParts = 16

// mostTurns are the parts with most turns, as many as are shown, in their own order.
func mostTurns[T any](list []T, turns func(*T) int) []*T {
	all := make([]*T, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	if len(all) <= shownParts {
		return all
	}
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *T) int { return cmp.Compare(turns(b), turns(a)) })
	kept := map[*T]bool{}
	for _, x := range sorted[:shownParts] {
		kept[x] = true
	}
	return slices.DeleteFunc(all, func(x *T) bool { return !kept[x] })
}

// more tells of parts that are not shown.
func (p *page) more(n int) {
	if text := moreText(n); text != "" {
		p.line("  " + text)
	}
}

func plannedTurns(x *metrics.Part) int  { return x.Failures.Planned }
func turnsOfGroup(g *metrics.Group) int { return g.OK + g.Failed }

// partsOf are workloads of a mix as parts of the run.
func partsOf(list []metrics.OfWorkload) []metrics.Part {
	parts := make([]metrics.Part, len(list))
	for i := range list {
		w := &list[i]
		parts[i] = metrics.Part{Name: w.Name, Throughput: w.Throughput, Turns: w.Turns, Trajectories: w.Trajectories, Concurrency: w.Concurrency,
			Failures: w.Failures, Cache: w.Cache, Goodput: w.Goodput}
	}
	return parts
}
