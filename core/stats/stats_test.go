package stats

import (
	"encoding/json"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestQuantilesRiseAndStayInside(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		values := make([]int64, 1+r.IntN(300))
		for i := range values {
			values[i] = r.Int64N(1 << (1 + r.IntN(60)))
		}
		s := NewSeries(values, 1000)
		last := s.Quantile(0)
		for q := Quantile(1); q <= 1000; q++ {
			v := s.Quantile(q)
			if v.Or(-1) < last.Or(0) {
				t.Fatalf("q %d of %d values: %v after %v", q, len(values), v, last)
			}
			last = v
		}
		if m := s.Summary(); m.Max != last || m.Min != s.Quantile(0) {
			t.Fatalf("quantiles %v to %v outside %v to %v", s.Quantile(0), last, m.Min, m.Max)
		}
	}
}

// Extreme values would overflow 64 and 128 bits; big integers tell the truth.
func TestExactSums(t *testing.T) {
	values := []int64{math.MaxInt64, math.MaxInt64, math.MinInt64, math.MinInt64, -1, 5}
	var s sums
	total, squares := new(big.Int), new(big.Int)
	for _, v := range values {
		s.add(v)
		b := big.NewInt(v)
		total.Add(total, b)
		squares.Add(squares, b.Mul(b, b))
	}
	if s.total().Cmp(total) != 0 || s.squares().Cmp(squares) != 0 {
		t.Errorf("sums %v, %v, want %v, %v", s.total(), s.squares(), total, squares)
	}
}

func TestQuantileWithInfinite(t *testing.T) {
	s := NewSeries([]int64{10, 20, 30, 40}, 1)
	for _, c := range []struct {
		q        Quantile
		infinite int
		want     string
	}{{P50, 0, "25"}, {P50, 1, "30"}, {P50, 4, "null"}, {P90, 1, "null"}, {250, 5, "30"}, {P50, 3, "40"}} {
		if got := s.QuantileWith(c.q, c.infinite).String(); got != c.want {
			t.Errorf("quantile %d with %d infinite: %s, want %s", c.q, c.infinite, got, c.want)
		}
	}
}

func TestNum(t *testing.T) {
	for _, c := range []struct {
		in   Num
		want string
	}{
		{None(), "null"}, {Of(math.NaN()), "null"}, {Of(math.Inf(-1)), "null"}, {Of(math.Copysign(0, -1)), "0"},
		{Of(1.0 / 3), "0.333333333"}, {Of(2.0 / 3), "0.666666667"}, {Of(1234567891234), "1234567890000"},
		{Of(-14.5), "-14.5"}, {Of(1e-9), "1e-09"}, {Of(1e21), "1e+21"}, {Of(999999999.9), "1000000000"},
	} {
		b, err := json.Marshal(c.in)
		if err != nil || string(b) != c.want || c.in.String() != c.want {
			t.Errorf("%v: %s (%v), want %s", c.in.v, b, err, c.want)
		}
		var back Num
		if err := json.Unmarshal(b, &back); err != nil || back.String() != c.want {
			t.Errorf("%s read back as %v (%v)", b, back, err)
		}
	}
}

func TestEmptyIsNull(t *testing.T) {
	b, err := json.Marshal(NewSeries(nil, 1).Summary())
	want := `{"count":0,"mean":null,"stddev":null,"min":null,"p50":null,"p90":null,"p95":null,"p99":null,"p99_9":null,"max":null,"too_few":[]}`
	if err != nil || string(b) != want {
		t.Errorf("%s (%v)", b, err)
	}
	if Ratio(1, 0).Valid() || Ratio3(1, 1, 0).Valid() || NewSeries([]int64{3}, 1).StdDev().Valid() {
		t.Error("a division by zero has a value")
	}
}

func TestMarks(t *testing.T) {
	s := NewSeries(make([]int64, 130), 1).Summary()
	if s.Few("p95") || !s.Few("p99") || !s.Few("p99_9") || s.Few("p50") {
		t.Errorf("marks %v for 130 values", s.TooFew)
	}
}

func TestBootstrap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var clusters []Cluster
	for range 100 {
		n := 1 + r.Int64N(20)
		clusters = append(clusters, Cluster{Sum: n * (1000 + r.Int64N(200)), Count: n}, Cluster{})
	}
	a, b := Bootstrap(clusters, 1000, 7, Resamples), Bootstrap(clusters, 1000, 7, Resamples)
	if a != b {
		t.Errorf("same arguments, other bits: %v, %v", a, b)
	}
	low, high := a.Low.Or(0), a.High.Or(0)
	if low < 1.05 || high > 1.15 || low >= high {
		t.Errorf("interval %v", a)
	}
	if got := Bootstrap(clusters[:2], 1000, 7, Resamples); got.Low.Valid() || got.High.Valid() {
		t.Errorf("interval %v from one cluster", got)
	}
}

func FuzzNum(f *testing.F) {
	f.Add("1e5")
	f.Add("null")
	f.Fuzz(func(t *testing.T, s string) {
		var n Num
		if n.UnmarshalJSON([]byte(s)) != nil {
			return
		}
		b, err := json.Marshal(n)
		if err != nil || !json.Valid(b) {
			t.Errorf("%q: %s, %v", s, b, err)
		}
	})
}

func BenchmarkEarlyStopping(b *testing.B) {
	for b.Loop() {
		EarlyStopping(270336, P90)
	}
}
