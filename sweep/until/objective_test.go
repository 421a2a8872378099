package until

import (
	"math"
	"testing"
)

func TestParse(t *testing.T) {
	known := func(path string) bool { return path != "turns.nothing_ms.p50" }
	list, err := Parse("ttft.p90<500ms && failure_rate <= 1%, user_throughput>20,turns.tpot_ms.p99<=40ms", known)
	if err != nil {
		t.Fatal(err)
	}
	want := []Objective{
		{"ttft.p90<500ms", "turns.ttft_ms.p90", false, 500}, {"failure_rate <= 1%", "failures.failure_rate.value", false, 0.01},
		{"user_throughput>20", "per_user.output_tokens_per_second.value", true, 20}, {"turns.tpot_ms.p99<=40ms", "turns.tpot_ms.p99", false, 40},
	}
	for i := range want {
		if list[i] != want[i] {
			t.Errorf("%+v, want %+v", list[i], want[i])
		}
	}
	for _, text := range []string{"", "ttft<500ms", "ttft.p91<500ms", "goodput.p90>1%", "ttft.p90<500", "goodput>=5s", "ttft.p90=5ms", "ttft.p90<0ms", "turns.nothing_ms.p50<1s", "ttft.p90<1ms &&"} {
		if _, err := Parse(text, known); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

func TestLoad(t *testing.T) {
	list := []Objective{{Path: "a", Limit: 100}, {Path: "b", Limit: 20, Least: true}}
	for _, c := range []struct{ a, b, want float64 }{{50, 40, 0.5}, {50, 10, 2}, {200, 40, 2}, {1, 0, math.Inf(1)}} {
		if got := Load(list, func(p string) (float64, bool) { return map[string]float64{"a": c.a, "b": c.b}[p], true }); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
	if got := Load(list, func(string) (float64, bool) { return 0, false }); !math.IsInf(got, 1) {
		t.Errorf("a missing figure: %v", got)
	}
}
