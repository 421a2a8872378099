package shape

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// maxText is how many signs of a stranger's text are shown.
const maxText = 200

// plain makes a text fit to be shown: one line, nothing that cannot be seen, not without end.
func plain(text string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		n++
		switch {
		case n > maxText:
			return -1
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, text)
}

// grouped writes a number with its thousands apart.
func grouped(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var out []byte
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			out = append(out, ',')
		}
		out = append(out, digits[i])
	}
	return string(out)
}

// value writes a value of a unit.
func value(n int64, unit string) string {
	if unit == unitTime {
		return duration(n)
	}
	return grouped(n)
}

// duration writes microseconds with three figures or more.
func duration(us int64) string {
	switch {
	case us == 0:
		return "0"
	case us < 1000:
		return strconv.FormatInt(us, 10) + "us"
	case us < 1_000_000:
		return scaled(us, 1000) + "ms"
	case us < 120_000_000:
		return scaled(us, 1_000_000) + "s"
	case us < 7_200_000_000:
		return scaled(us, 60_000_000) + "min"
	}
	return scaled(us, 3_600_000_000) + "h"
}

// scaled divides, with as many decimals as make three figures, cut off.
func scaled(n, by int64) string {
	whole := n / by
	switch {
	case whole >= 100 || n%by == 0:
		return grouped(whole)
	case whole >= 10:
		return fmt.Sprintf("%d.%d", whole, n%by*10/by)
	}
	return fmt.Sprintf("%d.%02d", whole, n%by*100/by)
}

// percent gives part of whole in tenths of a percent, rounded to the nearest.
func percent(part, whole int64) string {
	if whole == 0 {
		return "-"
	}
	tenths := nearest(part, whole, 1000)
	if part > 0 && tenths == 0 {
		return "<0.1 %"
	}
	return fmt.Sprintf("%d.%d %%", tenths/10, tenths%10)
}

// share gives part of whole in units of which whole is full; what is not nothing gets one at least.
func share(part, whole int64, full int) int {
	if part == 0 || whole == 0 {
		return 0
	}
	return int(max(nearest(part, whole, int64(full)), 1))
}

// nearest gives part / whole * full, rounded. It counts in integers, so it is the same on every machine.
func nearest(part, whole, full int64) int64 {
	for whole >= 1<<50 {
		part, whole = part>>1, whole>>1
	}
	return (2*part*full + whole) / (2 * whole)
}

// label names a bar's values.
func (b Bin) label(unit string) string {
	switch {
	case unit == unitTime && b.To > b.From:
		return duration(b.From) + " to " + duration(b.To+1)
	case b.To > b.From:
		return grouped(b.From) + " to " + grouped(b.To)
	}
	return value(b.From, unit)
}

func (s *Series) heading() string {
	name := s.Name
	if s.Unit == unitTokens || s.Unit == unitBytes {
		name += ", " + s.Unit
	}
	return name
}

// drawn are the bars of a series; none where all that there is to see is that nothing waits.
func (s *Series) drawn() []Bin {
	if s.Unit == unitTime && s.Max == 0 {
		return nil
	}
	return s.Bins
}

// highest is the count of the longest bar.
func (s *Series) highest() int64 {
	most := int64(0)
	for _, b := range s.Bins {
		most = max(most, b.Count)
	}
	return most
}

// summary is the line of a series.
func (s *Series) summary() string {
	if len(s.drawn()) == 0 && s.Count > 0 {
		return "none"
	}
	v := func(n int64) string { return value(n, s.Unit) }
	return fmt.Sprintf("p50 %s   p90 %s   p99 %s   max %s", v(s.P50), v(s.P90), v(s.P99), v(s.Max))
}

// scope tells how many turns or trajectories a series is of, and its sum.
func (s *Series) scope() string {
	return fmt.Sprintf("of %s %s, sum %s", grouped(s.Count), s.Of, value(s.Sum, s.Unit))
}

// facts are the lines about the whole.
func (s *Shape) facts() []string {
	out := []string{fmt.Sprintf("%s trajectories, %s turns, %s branches beside main lines; %s answers on record",
		grouped(s.Trajectories), grouped(s.Turns), grouped(s.Branches), grouped(s.Answers))}
	if s.Starts > 0 {
		out = append(out, fmt.Sprintf("%s trajectories tell when they began, over %s", grouped(s.Starts), duration(s.SpanUS)))
	}
	return out
}

// part is one share of all prompts.
type part struct {
	Name string
	Size int64
}

func (s *Sharing) parts() []part {
	return []part{
		{"own history", s.Own},
		{"as in another trajectory", s.Others},
		{"new", s.Fresh},
	}
}

func (s *Sharing) total() int64 { return s.Own + s.Others + s.Fresh }

const (
	sharingTitle = "what of all prompts was there before"
	fullNote     = "More beginnings than are kept in mind: too much counts as new."
)

// row is one figure that grows by turn.
type row struct {
	name, unit string
	of         func(Growth) int64
}

// rows are the figures that are more than nothing at some turn.
func (s *Shape) rows() []row {
	var out []row
	for _, x := range []row{
		{"turns", unitTurns, func(g Growth) int64 { return g.Turns }},
		{"prompt, " + s.PromptUnit() + ", p50", s.PromptUnit(), func(g Growth) int64 { return g.Prompt }},
		{"wait, p50", unitTime, func(g Growth) int64 { return g.WaitUS }},
	} {
		if x.most(s.Growth) > 0 {
			out = append(out, x)
		}
	}
	return out
}

// most is the highest figure. What the last column counts together with all turns behind it does not count.
func (x *row) most(list []Growth) int64 {
	most := int64(0)
	for _, g := range list {
		if g.Turn < positions || x.unit != unitTurns {
			most = max(most, x.of(g))
		}
	}
	return most
}

// laterNote tells the figure of the last column, which stands for many turns and is drawn no higher than the others.
func laterNote(x row, g Growth) string {
	if x.unit != unitTurns {
		return ""
	}
	return fmt.Sprintf("turn %d and later %s together", g.Turn, value(x.of(g), x.unit))
}

// lastTurn names the last column.
func (s *Shape) lastTurn() string {
	n := len(s.Growth)
	if n == positions {
		return fmt.Sprintf("turn %d and later", n)
	}
	return fmt.Sprintf("turn %d", n)
}
