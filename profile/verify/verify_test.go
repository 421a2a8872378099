package verify

import (
	"os"
	"slices"
	"strings"
	"testing"

	"paceline/profile/measure"
	"paceline/profile/reference"
	"paceline/profile/rows"
	"paceline/workloads/profiles/builtin"
)

func drawn(t *testing.T, name string, draws int, mean bool) *Drawn {
	t.Helper()
	p, err := builtin.Get(name)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Draw(t.Context(), p, draws, 0, mean, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func expected(t *testing.T) *measure.Summary {
	t.Helper()
	s, err := reference.Of("coding")
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	return s
}

// TestCoding holds a seeded part of what .ci/profiles draws against the measured file, and shows that other traces fail.
func TestCoding(t *testing.T) {
	list := Against(expected(t), drawn(t, "coding", 8000, false).Summary)
	if failed, held := Failed(list); failed > 0 || held < 80 {
		var b strings.Builder
		Write(&b, list)
		t.Errorf("%d of %d bounds do not hold\n%s", failed, held, b.String())
	}
	if !slices.ContainsFunc(list, func(r Row) bool { return r.Name == "wait_ms" && r.Measure == "p5" && !r.Held() }) {
		t.Error("p5 is not shown")
	}
	if failed, _ := Failed(Against(expected(t), drawn(t, "coding", 1000, true).Summary)); failed < 40 {
		t.Errorf("of the mean trace only %d bounds do not hold", failed)
	}
}

func TestTables(t *testing.T) {
	for _, name := range builtin.Names[1:] {
		list := drawn(t, name, 2000, false).Tables
		if failed, held := Failed(list); failed > 0 || held < 12 {
			var b strings.Builder
			Write(&b, list)
			t.Errorf("%s: %d of %d bounds do not hold\n%s", name, failed, held, b.String())
		}
	}
}

// TestShape: what is not held is told too.
func TestShape(t *testing.T) {
	var b strings.Builder
	WriteShape(&b, drawn(t, "deep-research", 100, false).Summary)
	for _, want := range []string{"turns ", "context ", "wait_ms ", "lag1 ", "ideal_hit_rate ", " p99 "} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestReference: the summary that is kept is that of the file.
func TestReference(t *testing.T) {
	f, err := os.Open("../../../shared/data/applied_compute_agentic_coding_8k.jsonl")
	if err != nil {
		t.Skip("the published file is not there: ", err)
	}
	defer f.Close()
	var c measure.Collector
	if _, err := rows.Read(f, c.Add); err != nil {
		t.Fatal(err)
	}
	for _, r := range Against(c.Summary(), expected(t)) {
		if r.Off != 0 {
			t.Errorf("%+v", r)
		}
	}
}

func TestBounds(t *testing.T) {
	want := &measure.Summary{Percents: measure.Percents, Quantities: []measure.Quantity{
		{Name: "assistant", Kind: measure.Turn, Position: "0", Count: 5000, Quantiles: []float64{10, 20, 1000, 70, 90, 100, 1000}},
		{Name: "wait_ms", Kind: measure.Sum, Count: 5000, Quantiles: []float64{100, 100, 100, 100, 100, 100, 100}},
		{Name: "tool", Kind: measure.Turn, Position: "0", Count: 500, Quantiles: []float64{1, 1, 1, 1, 1, 1, 1000}},
		{Name: "wait_ms", Kind: measure.Turn, Position: "1", Count: 500, Quantiles: []float64{1, 1, 1000}, Low: []float64{1, 1, 970}, High: []float64{1, 1, 1050}},
	}, Correlation: []measure.Correlation{{Name: "tool", Lag1: 0.1}}, HitTokens: 95, HitTraces: 90}
	have := &measure.Summary{Traces: FullDraws, Percents: measure.Percents, Quantities: []measure.Quantity{
		{Name: "assistant", Kind: measure.Turn, Position: "0", Count: 5000, Quantiles: []float64{20, 40, 1021, 1, 1, 1, 1049}},
		{Name: "wait_ms", Kind: measure.Sum, Count: 5000, Quantiles: []float64{1, 89, 107, 111, 100, 100, 113}},
		{Name: "tool", Kind: measure.Turn, Position: "0", Count: 500, Quantiles: []float64{1, 1, 2, 1, 1, 1, 2000}},
		{Name: "wait_ms", Kind: measure.Turn, Position: "1", Count: 5000, Quantiles: []float64{1, 1, 1050}},
	}, Correlation: []measure.Correlation{{Name: "tool", Lag1: 0.131}}, HitTokens: 95.29, HitTraces: 89.6}
	var bad []string
	list := Against(want, have)
	for _, r := range list {
		if !r.OK {
			bad = append(bad, r.Name+" "+r.Measure)
		}
	}
	if want := []string{"assistant p50", "wait_ms p50", "wait_ms p99", "tool lag1", "ideal_hit_rate traces"}; !slices.Equal(bad, want) {
		t.Errorf("out of bounds: %q, want %q", bad, want)
	}
	if n := Scattered(list); n != 1 {
		t.Errorf("%d hold by the scatter of what is expected, want 1", n)
	}
	have.Traces = FullDraws / 100 // ten times as wide
	if failed, _ := Failed(Against(want, have)); failed != 0 {
		t.Errorf("%d are out of bounds for few draws", failed)
	}
}
