package chart

import (
	"fmt"
	"testing"
)

func TestFrontier(t *testing.T) {
	point := func(n int, x, y float64) Point { return Point{Concurrency: n, X: ptr(x), Y: ptr(y)} }
	failed := point(9, 50, 900)
	failed.Verdicts = []Verdict{{"gate", false, ""}}
	all := []Point{point(4, 80, 320), failed, point(1, 100, 100), point(2, 90, 90), point(3, 80, 240), {Concurrency: 7}, point(8, 40, 320), point(16, 30, 480)}
	names := func(points []Point) (text string) {
		for _, p := range points {
			text += fmt.Sprint(p.Concurrency, " ")
		}
		return text
	}
	if got := names(frontier(all, notFailed)); got != "1 4 16 " {
		t.Errorf("got %s", got)
	}
	if got := names(frontier(all, every)); got != "1 4 9 " {
		t.Errorf("with failed points: got %s", got)
	}
	x, y := linear{from: 0, to: 100, top: 100, step: 10}, linear{from: 500, to: 0, top: 500, step: 100}
	if got := step(frontier(all, notFailed), x, y); got != "M100 400H80V180H30V20" {
		t.Errorf("path %s", got)
	}
}

func TestStatus(t *testing.T) {
	for want, v := range map[Status][]Verdict{Unknown: nil, Passed: {{Passed: true}}, Failed: {{Passed: true}, {}}} {
		if got := (Point{Verdicts: v}).Status(); got != want {
			t.Errorf("%v: %s", v, got)
		}
	}
}

func TestScales(t *testing.T) {
	for most, want := range map[float64]string{0: "[0 0.2 0.4 0.6 0.8 1]", 219.5: "[0 50 100 150 200 250]", 5538: "[0 1,000 2,000 3,000 4,000 5,000 6,000]",
		0.3: "[0 0.05 0.1 0.15 0.2 0.25 0.3]", 3.2e6: "[0 500,000 1M 1.5M 2M 2.5M 3M 3.5M]", 0.004: "[0 0.001 0.002 0.003 0.004]"} {
		var got []string
		for _, v := range newLinear(0, 1, most, 7).ticks() {
			got = append(got, trimmed(v))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%v: got %v, want %s", most, got, want)
		}
	}
	o := newOctaves(0, 800, 127)
	if a, b := o.at(8)-o.at(4), o.at(64)-o.at(32); a-b > 1e-9 || b-a > 1e-9 {
		t.Errorf("a doubling is %v, and %v", a, b)
	}
	if from, to := o.tile(1, 127); from != 0 || to != 800 {
		t.Errorf("the whole scale is %v to %v", from, to)
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 0.01234567: "0.01235", 1: "1.000", 86.538: "86.54", 173.077: "173.1", 999.96: "1,000.0", 2076.92: "2,077", 1234567: "1,234,567"} {
		if got := number(v); got != want {
			t.Errorf("%v: got %s, want %s", v, got, want)
		}
	}
	for v, want := range map[px]string{-0.01: "0", 1: "1", 1.25: "1.2", 10.06: "10.1"} {
		if got := v.String(); got != want {
			t.Errorf("%v: got %s, want %s", float64(v), got, want)
		}
	}
}
