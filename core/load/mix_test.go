package load_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"paceline/core/load"
)

// mixed lists the first conversations of a mix, each as the letter of its workload with its index and repeat.
func mixed(m load.Mix, budget uint64, most int) string {
	c := m.Start(budget)
	var list []string
	for len(list) < most {
		member, item, ok := c.Next()
		if !ok {
			break
		}
		if item.Number != uint64(len(list)) {
			return fmt.Sprintf("number %d at place %d", item.Number, len(list))
		}
		list = append(list, fmt.Sprintf("%c%d.%d", 'a'+rune(member), item.Index, item.Repeat))
	}
	return strings.Join(list, " ")
}

func member(name string, trajectories uint64, weight uint32, limit uint64) load.Member {
	return load.Member{Order: load.Order{Workload: name, Trajectories: trajectories}, Weight: weight, Limit: limit}
}

func TestMix(t *testing.T) {
	tests := []struct {
		name   string
		mix    load.Mix
		budget uint64
		want   string
	}{
		{"one workload is its order", load.Mix{Members: []load.Member{member("x", 2, 7, 0)}}, 5, "a0.0 a1.0 a0.1 a1.1 a0.2"},
		{"one pass over one", load.Mix{Members: []load.Member{member("x", 2, 1, 2)}}, load.Endless, "a0.0 a1.0"},
		{"three to one", load.Mix{Members: []load.Member{member("x", 9, 3, 0), member("y", 9, 1, 0)}}, 8,
			"a0.0 a1.0 b0.0 a2.0 a3.0 a4.0 b1.0 a5.0"},
		{"equal weights take turns", load.Mix{Members: []load.Member{member("x", 9, 5, 0), member("y", 9, 5, 0), member("z", 9, 5, 0)}}, 7,
			"a0.0 b0.0 c0.0 a1.0 b1.0 c1.0 a2.0"},
		{"each repeats by itself", load.Mix{Members: []load.Member{member("x", 1, 2, 0), member("y", 2, 1, 0)}}, 6,
			"a0.0 b0.0 a0.1 a0.2 b1.0 a0.3"},
		{"one leaves, the others go on", load.Mix{Members: []load.Member{member("x", 1, 1, 1), member("y", 3, 1, 3), member("z", 3, 2, 3)}}, load.Endless,
			"c0.0 a0.0 c1.0 b0.0 c2.0 b1.0 b2.0"},
		{"limits of several passes", load.Mix{Members: []load.Member{member("x", 1, 1, 2), member("y", 2, 1, 4)}}, load.Endless,
			"a0.0 b0.0 a0.1 b1.0 b0.1 b1.1"},
		{"warm-up beside the limits", load.Mix{Members: []load.Member{member("x", 2, 1, 2), member("y", 2, 1, 2)}, Warmup: 3}, load.Endless,
			"a0.0 b0.0 a1.0 a0.1 b1.0 a1.1 b0.1"},
		{"the budget ends it", load.Mix{Members: []load.Member{member("x", 5, 1, 5), member("y", 5, 1, 5)}}, 3, "a0.0 b0.0 a1.0"},
		{"nothing", load.Mix{Members: []load.Member{member("x", 5, 1, 0)}}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.mix.Check(); err != nil {
				t.Fatal(err)
			}
			if got := mixed(tt.mix, tt.budget, 20); got != tt.want {
				t.Errorf("order\n%s, want\n%s", got, tt.want)
			}
		})
	}
}

// TestMixIsSmooth holds every prefix to the weights: no workload is ever a whole conversation ahead or behind, whatever the
// weights and whether ties are drawn or not, and after sum(weights) conversations each has had exactly its share.
func TestMixIsSmooth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 400 {
		m := load.Mix{Shuffle: n%2 == 1, Seed: uint64(n)}
		var sum, most int64 = 0, int64(1 + random.IntN(1<<(1+n%9)))
		for i := range 2 + random.IntN(7) {
			w := 1 + random.Int64N(most)
			sum += w
			m.Members = append(m.Members, member(fmt.Sprint("w", i), 0, uint32(w), 0))
		}
		k := int64(len(m.Members))
		had := make([]int64, k)
		c := m.Start(load.Endless)
		for step := int64(1); step <= 2*sum; step++ {
			i, _, _ := c.Next()
			had[i]++
			for j := range m.Members {
				off := int64(m.Members[j].Weight)*step - sum*had[j] // in parts of 1/sum
				if bound := sum - sum/(2*k-2); off > bound || -off > bound {
					t.Fatalf("run %d: after %d conversations workload %d of %d has %d, weight %d of %d", n, step, j, k, had[j], m.Members[j].Weight, sum)
				}
				if step%sum == 0 && off != 0 {
					t.Fatalf("run %d: workload %d has %d of %d at the end of a round", n, j, had[j], step)
				}
			}
		}
	}
}

func TestMixAtItsBounds(t *testing.T) {
	m := load.Mix{}
	for i := range load.MaxMembers {
		m.Members = append(m.Members, member(fmt.Sprint("w", i), 0, load.MaxWeight-uint32(i*i), 0))
	}
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	had := map[int]int{}
	c := m.Start(load.Endless)
	for range 10 * load.MaxMembers {
		i, _, _ := c.Next()
		had[i]++
	}
	for i, n := range had {
		if n < 9 || n > 11 {
			t.Errorf("workload %d has %d of about 10", i, n)
		}
	}
}

// TestMixOfASeed: the seed alone decides where two workloads are equally due, and without a shuffle nothing is drawn.
func TestMixOfASeed(t *testing.T) {
	order := func(shuffle bool, seed uint64) string {
		m := load.Mix{Shuffle: shuffle, Seed: seed, Members: []load.Member{member("x", 0, 1, 0), member("y", 0, 1, 0)}}
		var b strings.Builder
		c := m.Start(load.Endless)
		for range 40 {
			i, _, _ := c.Next()
			b.WriteByte('a' + byte(i))
		}
		return b.String()
	}
	if order(false, 1) != order(false, 2) || order(false, 1) != strings.Repeat("ab", 20) {
		t.Error("file order depends on the seed")
	}
	// Computed by a second program from the description alone: pairs drawn by the seeds of purpose mix.
	if got := order(true, 42); got != seed42 {
		t.Errorf("seed 42 gives %s", got)
	}
	if one := order(true, 1); order(true, 1) != one || order(true, 2) == one {
		t.Error("a shuffle does not follow the seed")
	}
}

const seed42 = "ababbaabababababababababababbaababababab"

func TestShuffledMixCoversEachWorkload(t *testing.T) {
	m := load.Mix{Shuffle: true, Seed: 9}
	for i, n := range []uint64{5, 17, 40} {
		x := member(fmt.Sprint("w", i), n, uint32(1+i), n)
		x.Order.Shuffle, x.Order.Seed = true, 9
		m.Members = append(m.Members, x)
	}
	seen := make([][]uint64, 3)
	c := m.Start(load.Endless)
	for {
		i, item, ok := c.Next()
		if !ok {
			break
		}
		if item.Repeat != 0 {
			t.Fatalf("workload %d repeats: %+v", i, item)
		}
		seen[i] = append(seen[i], item.Index)
	}
	for i, list := range seen {
		alone := m.Members[i].Order.Start(load.Endless)
		for k, index := range list {
			if item, _ := alone.Next(); item.Index != index {
				t.Errorf("workload %d: its conversation %d plays %d, alone it plays %d", i, k, index, item.Index)
			}
		}
		slices.Sort(list)
		if len(slices.Compact(list)) != len(list) || uint64(len(list)) != m.Members[i].Limit {
			t.Errorf("workload %d plays %v", i, list)
		}
	}
}

func TestMixCheck(t *testing.T) {
	shuffled := member("x", 0, 1, 0)
	shuffled.Order.Shuffle = true
	for name, c := range map[string]struct {
		mix  load.Mix
		want string
	}{
		"none":        {load.Mix{}, "0 workloads"},
		"too many":    {load.Mix{Members: make([]load.Member, load.MaxMembers+1)}, "65 workloads"},
		"twice":       {load.Mix{Members: []load.Member{member("x", 1, 1, 0), member("x", 1, 1, 0)}}, "workload x is there twice"},
		"no weight":   {load.Mix{Members: []load.Member{member("x", 1, 1, 0), member("y", 1, 0, 0)}}, "workload y: weight 0"},
		"heavy":       {load.Mix{Members: []load.Member{member("x", 1, load.MaxWeight+1, 0)}}, "weight 1000001"},
		"no number":   {load.Mix{Members: []load.Member{member("y", 1, 1, 0), shuffled}}, "workload x: shuffle"},
		"alone named": {load.Mix{Members: []load.Member{shuffled}}, "shuffle: the workload"},
	} {
		if err := c.mix.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestMixTotal(t *testing.T) {
	m := load.Mix{Members: []load.Member{member("x", 3, 1, 3), member("y", 4, 1, 8)}}
	if m.Total() != 11 {
		t.Errorf("total %d", m.Total())
	}
	m.Members[1].Limit = 0
	if m.Total() != load.Endless {
		t.Errorf("total %d where one repeats", m.Total())
	}
}

// TestGrow: conversations that are not started make room for others, as far as there is an end.
func TestGrow(t *testing.T) {
	m := load.Mix{Members: []load.Member{member("x", 0, 1, 0)}}
	for _, c := range []struct {
		budget uint64
		by     int
		want   int
	}{{2, 1, 3}, {2, -1, 1}, {2, -9, 0}, {load.Endless, -1, 5}, {load.Endless - 1, 9, 5}} {
		cursor := m.Start(c.budget)
		cursor.Grow(c.by)
		n := 0
		for n < 5 && !cursor.Done() {
			cursor.Next()
			n++
		}
		if n != c.want {
			t.Errorf("%d and %d more: %d conversations, want %d", c.budget, c.by, n, c.want)
		}
	}
}
