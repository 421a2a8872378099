package sweep

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/stats"
)

func point(users int, x, y float64, checks ...Check) Row {
	return Row{Concurrency: users, Region: "low_concurrency", State: Done, X: metrics.Figure{Value: stats.Of(x)}, Y: metrics.Figure{Value: stats.Of(y)},
		Checks: checks, Figures: []Figure{{"mlperf.ttft_p90_ms", metrics.Figure{Value: stats.Of(174)}}}, Attempts: 1}
}

func drawing() *Report {
	pending := Row{Concurrency: 8, State: Failed, Reason: "the target is gone"}
	pending.X.Reason, pending.Y.Reason = "failed", "failed"
	return &Report{Schema: ReportSchema, Rules: "some/1", Preset: "my/quick", Model: "m", Axes: Axes{"mlperf.e2e_avg_interactivity", "mlperf.system_tps"},
		Regions: []Region{{"low_concurrency", "Low", 2, 5, false}, {"nowhere", "", 9, 8, false}, {"margin", "Margin", 65, 71, true}},
		Notes:   []string{"the data set is another"}, Unofficial: []string{"simulated clock"}, Summary: Summary{Planned: 3, Done: 2, Passed: 1},
		Points: []Row{
			point(2, 50, 100, Check{durationCheck, Passed, ""}, Check{CacheCheck, Unproven, "no effect"}, Check{"my/judge", NotHeld, "score 0"},
				Check{"my/quick my/judge judge", NotHeld, "0"}, Check{"my/quick " + durationFigure, NotHeld, "1 s"}),
			point(4, 40, 160, Check{durationCheck, Passed, ""}), pending,
		}}
}

// TestCurve tells what is drawn of a report: no check twice, what is unproven as a fact, empty regions left out.
func TestCurve(t *testing.T) {
	c, err := drawing().Curve(&Earlier{"last-week", drawing()})
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%s|%v|%v|%v", c.Title, c.X, c.Y, c.Regions); got !=
		"m, my/quick|{E2E average interactivity tokens/s per user}|{System throughput tokens/s}|[{Low 2 5 false} {Margin 65 71 true}]" {
		t.Error(got)
	}
	if got := strings.Join(c.Notes, "|"); got !=
		"2 of 3 points done, 1 passed|rules some/1|a rehearsal, no result: the rules refuse 1 things, see report.txt|unofficial: simulated clock" {
		t.Error(got)
	}
	first, last := c.Points[0], c.Points[2]
	if got := fmt.Sprint(first.Region, first.Verdicts, first.Facts); got !=
		"Low[{duration true } {my/judge false score 0} {mlperf.duration_seconds false 1 s}] [{TTFT p90 174.0 ms} {not judged cache_carried_over}]" {
		t.Error(got)
	}
	if last.X != nil || last.Missing != "failed, the target is gone" {
		t.Errorf("%+v", last)
	}
	if len(c.Overlays) != 1 || c.Overlays[0].Name != "last-week" || len(c.Overlays[0].Points) != 3 {
		t.Errorf("%+v", c.Overlays)
	}
	other := drawing()
	other.Axes = PlainAxes
	if _, err := other.Curve(&Earlier{"last-week", drawing()}); err == nil || !strings.Contains(err.Error(), "last-week has the axes") {
		t.Error(err)
	}
}

// TestEarlier draws a sweep that was read from its folder, twice with the same bytes.
func TestEarlier(t *testing.T) {
	old, dir, plan := t.TempDir(), t.TempDir(), planOf(1, 4)
	for _, d := range []string{old, dir} {
		s := NewState(journal.Build{}, plan, oneRun, nil)
		if err := run(t, d, s, &player{}, &emptier{}); err != nil {
			t.Fatal(err)
		}
		if _, err := WriteReport(d, s); err != nil {
			t.Fatal(err)
		}
	}
	e, err := ReadEarlier(old)
	if err != nil {
		t.Fatal(err)
	}
	e.Name = "the one before"
	var pages [2][]byte
	for i := range pages {
		s, err := ReadState(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := WriteReport(dir, s, e); err != nil {
			t.Fatal(err)
		}
		if pages[i], err = os.ReadFile(filepath.Join(dir, PageFile)); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(pages[0], pages[1]) || !bytes.Contains(pages[0], []byte("<h2>the one before</h2>")) {
		t.Error("the page is another one, or lacks the earlier sweep")
	}
	for _, file := range []string{"c1", "nowhere"} {
		if _, err := ReadEarlier(filepath.Join(dir, file)); err == nil {
			t.Errorf("%s was read as a sweep", file)
		}
	}
}
