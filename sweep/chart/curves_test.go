package chart

import (
	"fmt"
	"math"
)

func ptr(v float64) *float64 { return &v }

var (
	interactivity = Axis{"E2E average interactivity", "tokens/s per user"}
	throughput    = Axis{"System throughput", "tokens/s"}
	regions       = []Region{{Name: "Ultra Low", First: 1, Last: 1}, {Name: "Low", First: 2, Last: 5}, {Name: "Medium", First: 6, Last: 17},
		{Name: "High", First: 18, Last: 64}, {Name: "Margin", First: 65, Last: 71, Margin: true}}
)

// small has one of everything: each status, a point that cannot be drawn, an earlier sweep, an empty region, strangers' texts.
func small() Curve {
	duration := Verdict{"duration", true, "2,412 s of at least 2,400 s"}
	return Curve{
		Title: `</script><script>alert("x")</script> & 'Qwen'` + "\x00\u202e\n",
		Notes: []string{"made-up data", `</style><b onclick=alert(1)>`},
		X:     interactivity, Y: throughput,
		Regions: append([]Region{{Name: "nowhere", First: 34, Last: 33}}, regions...),
		Points: []Point{
			{Concurrency: 1, X: ptr(219.511), Y: ptr(219.511), Region: "Ultra Low", Verdicts: []Verdict{duration}, Facts: []Fact{{"TTFT p90", "174 ms"}}},
			{Concurrency: 12, X: ptr(173.077), Y: ptr(2076.92), Region: "Medium", Facts: []Fact{{"TTFT p90", "235 ms"}, {`"turns"`, "4,880"}}},
			{Concurrency: 48, X: ptr(102.273), Y: ptr(4909.1), Region: "High",
				Verdicts: []Verdict{duration, {"inline", false, `55.10 % < 55.86 % ]]> </title>`}}},
			{Concurrency: 70, Y: ptr(5600), Missing: "3 turns failed", Region: "Margin"},
		},
		Overlays: []Overlay{{"sweep of <2026-11-12>", []Point{
			{Concurrency: 1, X: ptr(204.1), Y: ptr(197.6)},
			{Concurrency: 16, X: ptr(150), Y: ptr(2100), Verdicts: []Verdict{{"inline", false, ""}}},
		}}},
	}
}

// example is the made-up curve of seven points of the package that the official checker accepts, and an earlier sweep.
func example() Curve {
	c := Curve{Title: "Qwen3.6-35B-A3B on sample, 8 accelerators", Notes: []string{"made-up data", "cohort 2026-12-C0"},
		X: interactivity, Y: throughput, Regions: regions}
	region := []string{"Ultra Low", "Low", "Medium", "High", "High", "High", "High"}
	x := []float64{219.511, 204.545, 173.077, 140.625, 125, 102.273, 86.538}
	old := Overlay{Name: "sweep of 2026-11-12"}
	for i, n := range []int{1, 4, 12, 24, 32, 48, 64} {
		p := Point{Concurrency: n, X: ptr(x[i]), Y: ptr(x[i] * float64(n)), Region: region[i],
			Verdicts: []Verdict{{"duration", true, "2,412 s of at least 2,400 s"}, {"inline accuracy", n != 48, "of at least 55.86 %"}},
			Facts:    []Fact{{"TTFT p90", "235 ms"}, {"TPOT p90", "7.48 ms"}, {"turns", "4,880"}, {"cache reuse", "0.91"}}}
		c.Points = append(c.Points, p)
		old.Points = append(old.Points, Point{Concurrency: n, X: ptr(x[i] * .93), Y: ptr(x[i] * float64(n) * .9)})
	}
	c.Overlays = []Overlay{old}
	return c
}

// full has as many points as the rules allow, crowded at its upper end.
func full() Curve {
	c := Curve{Title: "32 points", X: interactivity, Y: throughput, Regions: []Region{
		{Name: "Ultra Low", First: 1, Last: 32}, {Name: "Low", First: 2, Last: 11}, {Name: "Medium", First: 12, Last: 103},
		{Name: "High", First: 104, Last: 1024}, {Name: "Margin", First: 1025, Last: 1127, Margin: true}}}
	for i := range 32 {
		n := int(math.Round(math.Pow(1100, float64(i)/31))) + i/3
		x := 210 / (1 + float64(n)/90)
		region := "High"
		switch {
		case n <= 1:
			region = "Ultra Low"
		case n <= 11:
			region = "Low"
		case n <= 103:
			region = "Medium"
		case n > 1024:
			region = "Margin"
		}
		c.Points = append(c.Points, Point{Concurrency: n, X: ptr(x), Y: ptr(x * float64(n) * .93), Region: region,
			Verdicts: []Verdict{{"all gates", i%9 != 4, fmt.Sprint("gate ", i)}}})
	}
	return c
}
