package load_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/load"
)

func items(o load.Order, budget uint64, most int) []load.Item {
	c := o.Start(budget)
	var list []load.Item
	for len(list) < most {
		item, ok := c.Next()
		if !ok {
			break
		}
		list = append(list, item)
	}
	return list
}

func TestOrder(t *testing.T) {
	tests := []struct {
		name   string
		order  load.Order
		budget uint64
		want   []load.Item
	}{
		{"file order over more than one pass", load.Order{Trajectories: 2}, 5,
			[]load.Item{{0, 0, 0}, {1, 1, 0}, {2, 0, 1}, {3, 1, 1}, {4, 0, 2}}},
		{"less than one pass", load.Order{Trajectories: 9}, 2, []load.Item{{0, 0, 0}, {1, 1, 0}}},
		{"as many as asked for", load.Order{}, 3, []load.Item{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}},
		{"some are left out", load.Order{Trajectories: 4, Without: []uint64{1, 3}}, 5,
			[]load.Item{{0, 0, 0}, {1, 2, 0}, {2, 0, 1}, {3, 2, 1}, {4, 0, 2}}},
		{"nothing", load.Order{Trajectories: 3}, 0, nil},
		{"endless", load.Order{Trajectories: 1}, load.Endless,
			[]load.Item{{0, 0, 0}, {1, 0, 1}, {2, 0, 2}, {3, 0, 3}, {4, 0, 4}, {5, 0, 5}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, items(tt.order, tt.budget, 6)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPermutation pins the algorithm: the values were computed by a second program from the description alone.
func TestPermutation(t *testing.T) {
	for _, tt := range permutations {
		if got := load.Permutation(tt.root, tt.workload, tt.repeat, uint32(len(tt.want))); !slices.Equal(got, tt.want) {
			t.Errorf("Permutation(%d, %q, %d) = %v, want %v", tt.root, tt.workload, tt.repeat, got, tt.want)
		}
	}
}

func TestShuffledPassesCoverTheWorkload(t *testing.T) {
	order := load.Order{Workload: "std/mlperf/agentic", Trajectories: 50, Shuffle: true, Seed: 42}
	list := items(order, 150, 1000)
	if len(list) != 150 {
		t.Fatalf("%d items, want 150", len(list))
	}
	var passes [3][]uint64
	for k, item := range list {
		if item.Number != uint64(k) || item.Repeat != uint32(k/50) {
			t.Fatalf("item %d is %+v", k, item)
		}
		passes[item.Repeat] = append(passes[item.Repeat], item.Index)
	}
	if slices.Equal(passes[0], passes[1]) {
		t.Error("two passes have the same order")
	}
	for _, pass := range passes {
		slices.Sort(pass)
		for i, index := range pass {
			if index != uint64(i) {
				t.Fatalf("a pass plays %v", pass)
			}
		}
	}
}

func TestOrderCheck(t *testing.T) {
	if err := (load.Order{Shuffle: true}).Check(); err == nil {
		t.Error("a shuffle of a workload without end is accepted")
	}
	if err := (load.Order{Shuffle: true, Trajectories: 7}).Check(); err != nil {
		t.Error(err)
	}
}

func TestArrivals(t *testing.T) {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	list, err := load.Fixed([]time.Duration{0, ms(10), ms(10), ms(40)})
	if err != nil {
		t.Fatal(err)
	}
	start, early := ms(7), -ms(1)
	tests := []struct {
		name     string
		arrivals load.Arrivals
		item     load.Item
		start    *time.Duration
		want     time.Duration
		bad      bool
	}{
		{"fixed", list, load.Item{Number: 3, Index: 0, Repeat: 1}, nil, ms(40), false},
		{"behind the end", list, load.Item{Number: 4}, nil, 0, true},
		{"recorded", load.Recorded(), load.Item{Number: 1, Index: 1}, &start, ms(7), false},
		{"recorded, later pass", load.Recorded(), load.Item{Number: 1, Repeat: 1}, &start, 0, true},
		{"not recorded", load.Recorded(), load.Item{}, nil, 0, true},
		{"recorded before the start", load.Recorded(), load.Item{}, &early, 0, true},
		{"closed loop", load.Arrivals{}, load.Item{Number: 9}, nil, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.arrivals.At(tt.item, tt.start)
			if got != tt.want || (err != nil) != tt.bad {
				t.Errorf("At = %v, %v", got, err)
			}
		})
	}
}

func TestFixedRefuses(t *testing.T) {
	for _, times := range [][]time.Duration{{-1}, {5, 4}} {
		if _, err := load.Fixed(times); err == nil {
			t.Errorf("Fixed(%v) is accepted", times)
		}
	}
}

func TestPattern(t *testing.T) {
	if n := (load.Pattern{}).Users(0); n != 1 {
		t.Errorf("the zero pattern asks for %d users", n)
	}
	if p := load.Constant(8); p.Users(time.Hour) != 8 || p.Max() != 8 {
		t.Errorf("Constant(8) asks for %d users, at most %d", p.Users(time.Hour), p.Max())
	}
}

// TestLeftOutOfAShuffle: the others keep their order.
func TestLeftOutOfAShuffle(t *testing.T) {
	whole := load.Order{Workload: "w", Trajectories: 20, Shuffle: true, Seed: 3}
	some := whole
	some.Without = []uint64{4, 7, 19}
	var want []uint64
	for _, x := range items(whole, 40, 40) {
		if !slices.Contains(some.Without, x.Index) {
			want = append(want, x.Index)
		}
	}
	var got []uint64
	for i, x := range items(some, 34, 40) {
		if got = append(got, x.Index); x.Number != uint64(i) || x.Repeat != uint32(i/17) {
			t.Errorf("item %d is %+v", i, x)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
