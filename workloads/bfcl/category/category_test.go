package category

import "testing"

func TestDraw(t *testing.T) {
	whole, edge := 0, 0
	for i := range All {
		whole += Whole.Take(&All[i], All[i].Size)
		edge += MLPerfEdge.Take(&All[i], All[i].Size)
	}
	if whole != 3641 || edge != 995 {
		t.Errorf("%d in all, %d in MLPerf's draw", whole, edge)
	}
}

func TestOfID(t *testing.T) {
	for id, want := range map[string]string{
		"live_simple_3-1-0": "live_simple", "parallel_multiple_12": "parallel_multiple", "irrelevance_0": "irrelevance",
		"multi_turn_base_1": "", "simple_1": "", "": "", "parallel": "",
	} {
		got := ""
		if i := OfID(id); i >= 0 {
			got = All[i].Name
		}
		if got != want {
			t.Errorf("%q is of %q, want %q", id, got, want)
		}
	}
}
