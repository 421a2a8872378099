package audit

import (
	"fmt"
	"io"
	"strings"

	"paceline/core/stats"
)

// WriteText writes a result for people, in 80 columns.
func WriteText(w io.Writer, r *Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "output-caching audit: %s\n", r.Verdict)
	for _, reason := range r.Reasons {
		fmt.Fprintf(&b, "  %s\n", reason)
	}
	fmt.Fprintf(&b, "\nruns %s and %s: %d turns of %d trajectories are ok in both\n\n", r.Passes[0].Run, r.Passes[1].Run, r.Paired.Turns, r.Paired.Trajectories)
	d, e := &r.Decode, &r.Equal
	fmt.Fprintf(&b, "%-34s %12s %12s\n", "", "first pass", "second pass")
	fmt.Fprintf(&b, "%-34s %12s %12s\n", "decode time per "+d.Unit+", us", show(d.First), show(d.Second))
	for _, t := range d.Turns {
		fmt.Fprintf(&b, "%-34s %12s %12s\n", "  "+t.name(), show(t.First), show(t.Second))
	}
	fmt.Fprintf(&b, "%-34s %12s %12s  told, not judged\n\n", "time to first token, ms", show(r.FirstToken.First), show(r.FirstToken.Second))
	fmt.Fprintf(&b, "second pass faster by %s %% (95 %% interval %s to %s), at most %.0f: %s\n",
		percent(d.Faster), percent(d.Low), percent(d.High), 100*MaxFaster, d.Verdict)
	fmt.Fprintf(&b, "equal long answers %d of %d (%s %%), at most %.0f %%: %s\n", e.Equal, e.Long, percent(e.Share), 100*MaxEqual, e.Verdict)
	_, err := io.WriteString(w, b.String())
	return err
}

func (t TurnRange) name() string {
	switch {
	case t.From == t.To:
		return fmt.Sprintf("turn %d", t.From)
	case t.To == ranges[len(ranges)-1]:
		return fmt.Sprintf("turns from %d on", t.From)
	}
	return fmt.Sprintf("turns %d to %d", t.From, t.To)
}

func show(n stats.Num) string {
	v, ok := n.Get()
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.1f", v)
}

func percent(n stats.Num) string {
	v, ok := n.Get()
	if !ok {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*v)
}
