package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"paceline/workloads/profiles/strata"
)

func TestScores(t *testing.T) {
	got := scores([]float64{5, 1, 5, 9})
	if got[0] != 0 || got[2] != 0 || got[1] != -got[3] || math.Abs(got[3]-1.1503) > 1e-3 {
		t.Errorf("scores %v", got)
	}
}

func TestRegress(t *testing.T) {
	var x [][]float64
	var y []float64
	for i := range 10_000 {
		a, b := float64(i%7), float64(i%11)
		x, y = append(x, []float64{a, b, 1}), append(y, 2*a-b+3)
	}
	l := regress(x, y)
	for i, want := range []float64{2, -1, 3} {
		if math.Abs(l.slopes[i]-want) > 0.01 {
			t.Errorf("slopes %v", l.slopes)
		}
	}
	if l.noise > 0.01 {
		t.Errorf("noise %v", l.noise)
	}
}

// TestUrn: kinds that come as often as their balls say have equal weights, and one that waits for the end has a small one.
func TestUrn(t *testing.T) {
	even, late := &turn{left: [strata.Kinds]int{1, 1}}, &turn{left: [strata.Kinds]int{1, 1}}
	late.kind = strata.Edit
	if w := urn([]*turn{even, late}); math.Abs(w[strata.Edit]-1) > 1e-9 {
		t.Errorf("weights %v", w)
	}
	turns := []*turn{late}
	for range 99 {
		turns = append(turns, even)
	}
	if w := urn(turns); w[strata.Edit] > 0.03 {
		t.Errorf("weights %v", w)
	}
}

func TestKinds(t *testing.T) {
	r, err := read(strings.NewReader(strings.Repeat(`{"num_turns":5,"input_prompt_length":1,"assistant_response_length":[1,1,1,1,1],"tool_call_output_length":[3700,3700,20,3700,9],`+
		`"tool_call_latency":[20,20,2.2,1,60],"final_assistant_response_length":1}`+"\n", 800)))
	if err != nil {
		t.Fatal(err)
	}
	r.classify()
	var kinds []int
	for _, turn := range r.of(3) {
		kinds = append(kinds, turn.kind)
	}
	if want := []int{strata.Explore, strata.Long, strata.Edit, strata.Reading, strata.Long}; !slices.Equal(kinds, want) {
		t.Errorf("kinds %v, want %v", kinds, want)
	}
	if last := r.of(3)[4]; !last.done[strata.Edit] || last.done[strata.Plain] || last.left != [strata.Kinds]int{strata.Long: 1} || last.prev != strata.Reading {
		t.Errorf("%+v", last)
	}
}

func TestQuantiles(t *testing.T) {
	got := quantiles([]int64{400, 100, 200, 300})
	if got[0] != 100 || got[len(got)-1] != 400 || got[slices.Index(levels, 50_000)] != 245 {
		t.Errorf("quantiles %v", got)
	}
}
