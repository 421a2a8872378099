package until

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSearch looks for known optima of loads of many shapes, with noise of 3 %, over 1 to 1,024 users in at most 8 points.
func TestSearch(t *testing.T) {
	for name, load := range map[string]func(users float64) float64{
		"in proportion":       func(u float64) float64 { return u / 97 },
		"square":              func(u float64) float64 { return u * u / (40 * 40) },
		"a wall":              func(u float64) float64 { return 0.2 + 0.1*u/300 + math.Exp((u-300)/12) },
		"queue":               func(u float64) float64 { return 0.3 / max(1-u/520, 1e-3) },
		"flat, then steep":    func(u float64) float64 { return 0.5 + math.Pow(u/18, 6) },
		"low":                 func(u float64) float64 { return u / 2.4 },
		"everything is kept":  func(u float64) float64 { return u / 5000 },
		"nothing is kept":     func(u float64) float64 { return 3 + u },
		"with a part of root": func(u float64) float64 { return math.Sqrt(u / 700) },
	} {
		list := grid(1, 1024)
		optimum := 0
		for _, n := range list {
			if load(float64(n)) <= 1 {
				optimum = n
			}
		}
		for seed := range uint64(20) {
			r := rand.New(rand.NewPCG(seed, 1))
			s := Search{Low: 1, High: 1024, Points: 8}
			var results []Result
			a := s.Next(nil)
			for a.Next > 0 {
				results = append(results, Result{a.Next, load(float64(a.Next)) * (1 + 0.03*r.NormFloat64())})
				a = s.Next(results)
			}
			if len(results) > 8 {
				t.Fatalf("%s: %d points", name, len(results))
			}
			if d := at(list, max(a.Best, 1)) - at(list, max(optimum, 1)); d < -1 || d > 1 || (a.Best == 0) != (optimum == 0) {
				t.Errorf("%s, seed %d: %d in %d points, the optimum is %d; %+v", name, seed, a.Best, len(results), optimum, results)
			}
		}
	}
}

func TestPointsWithoutFigures(t *testing.T) {
	s := Search{Low: 1, High: 64, Points: 8}
	a := s.Next(nil)
	var results []Result
	for a.Next > 0 {
		load := 0.5
		if a.Next > 11 {
			load = math.Inf(1)
		}
		results = append(results, Result{a.Next, load})
		a = s.Next(results)
	}
	if a.Best != 11 || !a.Exact {
		t.Errorf("%+v of %+v", a, results)
	}
}

func TestSmooth(t *testing.T) {
	got := smooth([]Result{{4, 0.9}, {2, 1.1}, {8, 2}, {4, 0.7}})
	want := []Result{{2, 0.9}, {4, 0.9}, {8, 2}} // 1.1, 0.9, 0.7 are one level
	for i := range want {
		if got[i].Concurrency != want[i].Concurrency || math.Abs(got[i].Load-want[i].Load) > 1e-12 {
			t.Fatalf("%+v", got)
		}
	}
}

func TestKnee(t *testing.T) {
	var curve []Spot
	for u := 1; u <= 256; u *= 2 {
		curve = append(curve, Spot{u, min(float64(u), 32) * 10})
	}
	if got := Knee(curve); got != 32 {
		t.Errorf("the knee is at %d", got)
	}
	if Knee(curve[:2]) != 0 || Knee([]Spot{{1, 10}, {2, 10}, {4, 10}}) != 0 {
		t.Error("a knee where there is none")
	}
}
