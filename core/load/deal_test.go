package load_test

import (
	"fmt"
	"slices"
	"testing"

	"paceline/core/load"
)

// dealt are the targets of the first n conversations of a workload.
func dealt(d load.Deal, n int) []int {
	c, list := d.Start(), make([]int, n)
	for i := range list {
		list[i] = c.Next()
	}
	return list
}

// TestDeal: each block has every target by its weight, whatever divisor the weights have in common, and blocks differ.
func TestDeal(t *testing.T) {
	for _, tc := range []struct {
		weights []uint32
		block   int
	}{{[]uint32{1}, 1}, {[]uint32{1, 1}, 2}, {[]uint32{500, 500}, 2}, {[]uint32{3, 1}, 4}, {[]uint32{6, 2, 4}, 6}} {
		d := load.Deal{Workload: "w", Weights: tc.weights, Seed: 7}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		const blocks = 50
		list := dealt(d, blocks*tc.block)
		orders := map[string]bool{}
		for block := range slices.Chunk(list, tc.block) {
			orders[fmt.Sprint(block)] = true
			for place, w := range tc.weights {
				n, sum := 0, uint32(0)
				for _, p := range block {
					if p == place {
						n++
					}
				}
				for _, w := range tc.weights {
					sum += w
				}
				if n*int(sum) != int(w)*tc.block {
					t.Fatalf("%v: target %d has %d of a block of %d", tc.weights, place, n, tc.block)
				}
			}
		}
		if len(tc.weights) > 1 && len(orders) < 2 {
			t.Errorf("%v: all blocks are dealt out as %v", tc.weights, orders)
		}
	}
}

// TestDealFollowsItsSeed: same seed, same targets; another seed, or another workload, others.
func TestDealFollowsItsSeed(t *testing.T) {
	d := load.Deal{Workload: "w", Weights: []uint32{1, 1, 1}, Seed: 7}
	one := dealt(d, 60)
	if !slices.Equal(one, dealt(d, 60)) {
		t.Error("one seed deals differently twice")
	}
	other, named := d, d
	other.Seed, named.Workload = 8, "x"
	if slices.Equal(one, dealt(other, 60)) || slices.Equal(one, dealt(named, 60)) {
		t.Error("neither seed nor workload matters")
	}
	for _, fault := range [][]uint32{nil, {0}, {1, load.MaxTargetWeight + 1}, make([]uint32, load.MaxTargets+1)} {
		if (&load.Deal{Weights: fault}).Check() == nil {
			t.Errorf("%v passes", fault)
		}
	}
}

// TestDealDoesNotFallInStep: in a workload whose conversations alternate between two kinds, both targets get both.
func TestDealDoesNotFallInStep(t *testing.T) {
	var even [2]int
	for i, place := range dealt(load.Deal{Workload: "w", Weights: []uint32{1, 1}, Seed: 7}, 400) {
		if i%2 == 0 {
			even[place]++
		}
	}
	if even[0] < 70 || even[1] < 70 {
		t.Errorf("of the even conversations the targets have %v", even)
	}
}
