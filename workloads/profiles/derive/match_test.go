package main

import (
	"slices"
	"testing"

	"paceline/workloads/profiles/fixed"
)

// TestHistogram: a rank is that of the least value that so many do not exceed, as package measure has it.
func TestHistogram(t *testing.T) {
	h := new(histogram)
	for _, v := range []uint64{8, 2, 4, 4} {
		h.add(fixed.Log2(v))
	}
	for rank, want := range map[int64]uint64{0: 2, 25_000: 2, 25_001: 4, 75_000: 4, 75_001: 8, 100_000: 8} {
		if got := h.at(rank); got != knot(fixed.Log2(want)) {
			t.Errorf("at %d lies %d, want %d", rank, got, knot(fixed.Log2(want)))
		}
	}
}

// TestRanks: the quantiles that are held are knots.
func TestRanks(t *testing.T) {
	if !slices.IsSorted(ranks) || len(slices.Compact(slices.Clone(ranks))) != len(ranks) {
		t.Errorf("ranks %v", ranks)
	}
	for _, r := range []int64{0, 5000, 25_000, 50_000, 75_000, 90_000, 95_000, 99_000, 100_000} {
		if !slices.Contains(ranks, r) {
			t.Errorf("%d is no rank", r)
		}
	}
}
