package load_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"paceline/core/load"
)

func gamma(t *testing.T, shape float64) load.Law {
	t.Helper()
	l, err := load.Gamma(shape)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// gaps lists the first n gaps in seconds.
func gaps(t *testing.T, law load.Law, rate float64, n int) []float64 {
	t.Helper()
	a := load.Drawn(law, []load.Stage{{Level: rate, For: time.Hour}}, 7)
	list, before := make([]float64, n), time.Duration(0)
	for i := range list {
		at, err := a.At(load.Item{Number: uint64(i)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		list[i], before = (at - before).Seconds(), at
	}
	return list
}

// TestLaws holds 10,000 gaps of each law to its distribution by the test of Kolmogorov and Smirnov, at a level of 1 %. Seeds
// are fixed, so it passes always or never.
func TestLaws(t *testing.T) {
	const n, rate = 10_000, 20.0
	for name, c := range map[string]struct {
		law load.Law
		cdf func(x float64) float64 // of a gap with mean 1
	}{
		"poisson":   {load.Poisson(), func(x float64) float64 { return -math.Expm1(-x) }},
		"gamma 0.5": {gamma(t, 0.5), func(x float64) float64 { return lowerGamma(0.5, 0.5*x) }},
		"gamma 1":   {gamma(t, 1), func(x float64) float64 { return -math.Expm1(-x) }},
		"gamma 2.5": {gamma(t, 2.5), func(x float64) float64 { return lowerGamma(2.5, 2.5*x) }},
		"gamma 40":  {gamma(t, 40), func(x float64) float64 { return lowerGamma(40, 40*x) }},
	} {
		list := gaps(t, c.law, rate, n)
		slices.Sort(list)
		distance := 0.0
		for i, gap := range list {
			p := c.cdf(gap * rate)
			distance = max(distance, math.Abs(p-float64(i)/n), math.Abs(p-float64(i+1)/n))
		}
		t.Logf("%s: distance %.4f of at most %.4f", name, distance, 1.63/math.Sqrt(n))
		if distance > 1.63/math.Sqrt(n) {
			t.Errorf("%s: the distance to the law is %.4f", name, distance)
		}
	}
	for i, gap := range gaps(t, load.Equal(), rate, n) {
		if math.Abs(gap-1/rate) > 2e-9 {
			t.Fatalf("equal gaps: gap %d is %v", i, gap)
		}
	}
}

// lowerGamma is the distribution function of the gamma law with a scale of 1, by its power series.
func lowerGamma(shape, x float64) float64 {
	if x <= 0 {
		return 0
	}
	log, _ := math.Lgamma(shape + 1)
	term, sum := 1.0, 1.0
	for k := 1; k < 2000 && term > 1e-17*sum; k++ {
		term *= x / (shape + float64(k))
		sum += term
	}
	return min(sum*math.Exp(shape*math.Log(x)-x-log), 1)
}

// TestRates counts arrivals with equal gaps under rates that change: their numbers are the rate's integral.
func TestRates(t *testing.T) {
	minute := time.Minute
	for name, c := range map[string]struct {
		stages []load.Stage
		counts map[time.Duration]int // until then
	}{
		"constant": {[]load.Stage{{Level: 2, For: minute}}, map[time.Duration]int{time.Second: 2, minute: 120, 10 * minute: 1200}},
		"steps":    {[]load.Stage{{Level: 1, For: minute}, {Level: 10, For: minute}}, map[time.Duration]int{minute: 60, 2 * minute: 660, 3 * minute: 1260}},
		"ramp":     {[]load.Stage{{Level: 6, For: minute, Ramp: true}}, map[time.Duration]int{30 * time.Second: 45, minute: 180, 2 * minute: 540}},
		"down":     {[]load.Stage{{Level: 4, For: minute}, {Level: 0, For: minute, Ramp: true}}, map[time.Duration]int{minute: 240, 2 * minute: 360, 60 * minute: 360}},
		"pause":    {[]load.Stage{{Level: 1, For: minute}, {Level: 0, For: minute}, {Level: 1, For: minute}}, map[time.Duration]int{minute: 60, 2 * minute: 60, 3 * minute: 120}},
	} {
		if err := load.CheckStages(c.stages, load.MaxRate); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a := load.Drawn(load.Equal(), c.stages, 1)
		for until, want := range c.counts {
			n := 0
			for ; ; n++ {
				// The last arrival of a stage that falls to nothing is due at its very end, and may be rounded past it.
				if at, _ := a.At(load.Item{Number: uint64(n)}, nil); at > until+time.Microsecond {
					break
				}
			}
			if n < want-1 || n > want {
				t.Errorf("%s: %d arrivals until %v, want %d", name, n, until, want)
			}
		}
	}
}

// TestDrawnIsPinned holds the arithmetic to values that do not depend on the machine.
func TestDrawnIsPinned(t *testing.T) {
	for name, c := range map[string]struct {
		law  load.Law
		want []time.Duration
	}{
		"poisson":   {load.Poisson(), []time.Duration{386122927950, 5478129927, 5538342443, 64183232594}},
		"gamma 0.5": {gamma(t, 0.5), []time.Duration{358739125178, 5333054381, 9723531941, 75042830865}},
	} {
		a := load.Drawn(c.law, []load.Stage{{Level: 3, For: time.Minute, Ramp: true}}, 42)
		var got []time.Duration
		for _, n := range []uint64{999, 0, 1, 99} { // any order of asking gives the same
			at, _ := a.At(load.Item{Number: n}, nil)
			got = append(got, at)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %d", name, got)
		}
	}
}

func TestStagesRefuse(t *testing.T) {
	for name, stages := range map[string][]load.Stage{
		"nothing":  {},
		"no level": {{Level: 0, For: time.Second}},
		"no time":  {{Level: 1}},
		"negative": {{Level: -1, For: time.Second}},
		"nan":      {{Level: math.NaN(), For: time.Second}},
		"too high": {{Level: 2e6, For: time.Second}},
	} {
		if load.CheckStages(stages, load.MaxRate) == nil {
			t.Errorf("%s: not refused", name)
		}
	}
	for _, shape := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := load.Gamma(shape); err == nil {
			t.Errorf("gamma %v: not refused", shape)
		}
	}
}

func TestStagedUsers(t *testing.T) {
	p := load.Staged([]load.Stage{{Level: 4, For: 40 * time.Second, Ramp: true}, {Level: 2, For: 10 * time.Second}, {Level: 3, For: 10 * time.Second}})
	at := func(s float64) time.Duration { return time.Duration(s * 1e9) }
	for s, want := range map[float64]int{0: 0, 9.999: 0, 10: 1, 20: 2, 39.9: 3, 40: 2, 50: 3, 1000: 3} {
		if got := p.Users(at(s)); got != want {
			t.Errorf("users at %v s: %d, want %d", s, got, want)
		}
	}
	for _, c := range []struct {
		number int
		after  float64
		want   float64 // negative: never again
	}{{0, 0, 10}, {1, 0, 20}, {2, 5, 30}, {2, 31, 31}, {2, 41, 50}, {3, 0, -1}, {0, 55, 55}, {0, 900, 900}, {3, 45, -1}} {
		got, again := p.Wanted(c.number, at(c.after))
		if again != (c.want >= 0) || again && got != at(c.want) {
			t.Errorf("user %d after %v s: %v, %v; want %v s", c.number, c.after, got, again, c.want)
		}
	}
	if p.Max() != 4 || !p.Changes() || load.Constant(3).Changes() {
		t.Error("max or changes")
	}
}
