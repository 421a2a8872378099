package main

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	o, err := parse([]string{"--rounds", "2", "--turns", "0", "--module", "c=a.wasm", "--module", "rust=b=c.wasm"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := &Options{Rounds: 2, Opens: 3, Modules: []named{{"c", "a.wasm"}, {"rust", "b=c.wasm"}}}
	if d := cmp.Diff(want, o, cmp.AllowUnexported(Options{}, named{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for _, args := range [][]string{{"x"}, {"--rounds", "0"}, {"--turns", "-1"}, {"--opens", "101"}, {"--module", "c"}, {"--module", "=a"}, {"--what"}} {
		if _, err := parse(args, io.Discard); err == nil {
			t.Errorf("%v is taken", args)
		}
	}
}

func TestRatios(t *testing.T) {
	calls := []Call{
		{100, "bare pipe", 10, 1}, {100, "bare wazero", 5, 1}, {100, "our worker", 30, 1},
		{100, "plain go-plugin", 100, 1}, {100, "our native", 110, 1}, {10_000, "our worker", 1, 1},
	}
	got := ratios(calls)
	if got[0].Value != 2 || got[1].Value != 1.1 || got[0].Bytes != 100 {
		t.Errorf("got %+v", got[:2])
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Errorf("median %v", m)
	}
}

// TestMadeRun: every turn of the run that is scored has its plan, and one that the content store holds.
func TestMadeRun(t *testing.T) {
	run, err := madeRun(3)
	if err != nil {
		t.Fatal(err)
	}
	for i := range run.Samples {
		p := run.PlanIndex().Find(run.Samples[i].ID)
		if p == nil {
			t.Fatalf("sample %d has no plan", i)
		}
		if _, ok := run.Content.Get(p.Content); !ok {
			t.Errorf("the plan of sample %d has no content", i)
		}
		if n := len(run.Samples[i].Answer.Message); n < 950 || n > 1100 {
			t.Errorf("an answer has %d bytes", n)
		}
	}
}
