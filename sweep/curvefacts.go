package sweep

import (
	"fmt"
	"strings"

	"paceline/sweep/chart"
)

// plotted are figures that have a name and a unit on an axis.
var plotted = map[string]chart.Axis{
	"mlperf.e2e_avg_interactivity":        {Name: "E2E average interactivity", Unit: "tokens/s per user"},
	"mlperf.system_tps":                   {Name: "System throughput", Unit: "tokens/s"},
	"mlperf.tps_per_user":                 {Name: "Output tokens by TPOT", Unit: "tokens/s per user"},
	"per_user.output_tokens_per_second":   {Name: "Output tokens per user", Unit: "tokens/s per user"},
	"throughput.output_tokens_per_second": {Name: "Output tokens of all users", Unit: "tokens/s"},
}

func axisOf(figure string) chart.Axis {
	if a, ok := plotted[figure]; ok {
		return a
	}
	return chart.Axis{Name: figure}
}

// told are the figures of a point that the drawing tells beside its axes.
var told = []struct {
	name, figure, unit string
	decimals           int
}{
	{"TTFT p90", "mlperf.ttft_p90_ms", " ms", 1},
	{"TPOT p90", "mlperf.tpot_p90_ms", " ms", 2},
	{"output length", "mlperf.mean_output_tokens", " tokens", 1},
	{"window", durationFigure, " s", 1},
	{"turns in it", "mlperf.issued", "", 0},
	{"turns/s", "throughput.turns_per_second", "", 2},
	{"cache reuse", "cache.measured_hit_rate", "", 3},
	{"failed turns", "failures.failed_turns", "", 0},
}

// facts are what the drawing tells of a point and does not judge.
func (row *Row) facts() []chart.Fact {
	var list []chart.Fact
	add := func(name, text string) { list = append(list, chart.Fact{Name: name, Value: text}) }
	for _, f := range told {
		if v := row.figure(f.figure).Value; v.Valid() {
			add(f.name, number(v, f.decimals)+f.unit)
		}
	}
	for _, s := range row.Scores[:min(len(row.Scores), maxScores)] {
		text := number(s.Value, 4)
		if s.Threshold.Valid() {
			text += " of at least " + number(s.Threshold, 4)
		}
		add(s.Name, text)
	}
	if open := row.notJudged(); len(open) > 0 {
		add("not judged", strings.Join(open, ", "))
	}
	if row.Accuracy {
		add("full accuracy run", "yes")
	}
	if row.Spare {
		add("spare", "yes")
	}
	if row.Attempts > 1 {
		add("attempts", fmt.Sprint(row.Attempts))
	}
	return list
}

// maxScores bounds the columns of the drawing's table.
const maxScores = 8

// notJudged are the checks that came to no verdict.
func (row *Row) notJudged() []string {
	var list []string
	for _, c := range row.Checks {
		if c.Held == Unproven || c.Held == NoBounds {
			list = append(list, c.Name)
		}
	}
	return list
}
