package sched_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/chat"
	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// add puts a workload of n trajectories t0, t1, ... into the mix of a bench; their texts begin with its name.
func (b *bench) add(name string, n, turns int, weight uint32) *source {
	s := &source{}
	for i := range n {
		t := talk(fmt.Sprintf("%s-t%d", name, i), make([]time.Duration, turns)...)
		t.ID, t.Index = fmt.Sprintf("t%d", i), uint64(i)
		s.list = append(s.list, t)
	}
	b.Mix = append(b.Mix, sched.Member{Workload: name, Weight: weight, Info: trajectory.Info{Trajectories: uint64(n)}})
	if b.supply == nil {
		b.supply = map[string]sched.Supply{}
	}
	b.supply[name] = sched.Supply{Source: s}
	return s
}

// order is what was started, in the order of starting.
func (b *bench) order() string {
	var list []string
	for _, c := range b.recorder.started {
		list = append(list, fmt.Sprintf("%s%d.%d", c.Workload, c.Index, c.Repeat))
	}
	return strings.Join(list, " ")
}

func TestMixOrder(t *testing.T) {
	tests := []struct {
		name string
		edit func(*bench)
		want string
	}{
		{"one pass over each", func(*bench) {}, "a0.0 a1.0 b0.0 a2.0 a3.0 b1.0"},
		{"a number of conversations", func(b *bench) { b.Budget = 7 }, "a0.0 a1.0 b0.0 a2.0 a3.0 a0.1 b1.0"},
		{"two passes over each", func(b *bench) { b.Passes = 2 }, "a0.0 a1.0 b0.0 a2.0 a3.0 a0.1 b1.0 a1.1 a2.1 a3.1 b0.1 b1.1"},
		{"a warm-up", func(b *bench) { b.Warmup.Conversations = 2 }, "a0.0 a1.0 a2.0 a3.0 b0.0 a0.1 a1.1 b1.0"},
		{"a time limit", func(b *bench) { b.Budget, b.Duration = load.Endless, 450*ms }, "a0.0 a1.0 b0.0 a2.0 a3.0"},
		{"arrivals", func(b *bench) { b.Arrivals, _ = load.Fixed([]time.Duration{0, ms, 2 * ms}) }, "a0.0 a1.0 b0.0"},
		{"passes of arrivals", func(b *bench) {
			b.Arrivals, _ = load.Fixed(make([]time.Duration, 9))
			b.Passes = 1
		}, "a0.0 a1.0 b0.0 a2.0 a3.0 b1.0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bench{serve: steady(100*ms, 0)}
				b.add("a", 4, 1, 3)
				b.add("b", 2, 1, 1)
				tt.edit(&b)
				if b.must(t); b.order() != tt.want {
					t.Errorf("order\n%s, want\n%s", b.order(), tt.want)
				}
			})
		})
	}
}

func TestMixDependsOnTheSeedAlone(t *testing.T) {
	order := func(seed uint64, users int) (list string) {
		synctest.Test(t, func(t *testing.T) {
			b := bench{serve: steady(ms, 0)}
			b.add("a", 9, 1, 1)
			b.add("b", 9, 1, 1)
			b.Shuffle, b.Seed, b.Users = true, seed, load.Constant(users)
			b.must(t)
			started := slices.Clone(b.recorder.started)
			if users > 1 { // several start at one instant
				slices.SortFunc(started, func(x, y sample.Conversation) int {
					return strings.Compare(x.Workload+x.Trajectory, y.Workload+y.Trajectory)
				})
			}
			for _, c := range started {
				list += fmt.Sprintf("%s%d.%d ", c.Workload, c.Index, c.Repeat)
			}
		})
		return list
	}
	if one := order(1, 1); order(1, 1) != one || order(2, 1) == one {
		t.Error("the order does not follow the seed")
	}
	if order(1, 3) != order(2, 5) {
		t.Error("one pass has other conversations with another number of users")
	}
}

// TestMixKeepsWorkloadsApart: two workloads use the same ids; what one says of tools, parameters and truth is in its own
// requests and in no other's, and salts and routing headers tell their conversations apart.
func TestMixKeepsWorkloadsApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{}
		scheme, err := chat.SaltSchemeByName("seeded")
		if err != nil {
			t.Fatal(err)
		}
		b.Salt, b.Seed, b.Users = scheme, 7, users(4)
		b.Params, b.MaxTokens = json.RawMessage(`{"run_wide":1}`), 50
		for i, name := range []string{"red", "blue", "green"} {
			s := b.add(name, 3, 2, uint32(1+i))
			m := &b.Mix[i]
			m.Info.Tools = fmt.Appendf(nil, `[{"type":"function","function":{"name":"%s_tool"}}]`, name)
			m.Info.Params = fmt.Appendf(nil, `{"%s_default":1,"run_wide":2}`, name)
			m.Params = fmt.Appendf(nil, `{"%s_own":1}`, name)
			m.MaxTokens = uint32(10 * i) // red: the run's
			for _, tr := range s.list {
				tr.Truth = json.RawMessage(`"TRUTH-` + name + `"`)
				tr.Turns[1].Truth = tr.Truth
			}
		}
		var mu sync.Mutex
		ids, salts := map[string]string{}, map[string]bool{}
		b.serve = func(ctx context.Context, c *call) {
			body, id := c.body(), c.header("X-Session-Id")
			own, _, _ := strings.Cut(id, "/")
			mu.Lock()
			if other, ok := ids[id]; ok && other != own {
				t.Errorf("id %s is of %s and %s", id, other, own)
			}
			ids[id] = own
			_, salt, _ := strings.Cut(body, "[salt: ")
			_, salt, _ = strings.Cut(salt, "[salt: ")
			salt, _, _ = strings.Cut(salt, "]")
			salts[id+" "+salt] = true
			mu.Unlock()
			for i, name := range []string{"red", "blue", "green"} {
				for _, part := range []string{name + "_tool", name + "_default", name + "_own", name + "-t"} {
					if strings.Contains(body, part) != (name == own) {
						t.Errorf("a request of %s: %s is there: %v\n%s", own, part, name != own, body)
					}
				}
				if limit := fmt.Sprintf(`"max_tokens":%d`, []int{50, 10, 20}[i]); name == own && !strings.Contains(body, limit) {
					t.Errorf("a request of %s lacks %s: %s", own, limit, body)
				}
			}
			if strings.Contains(body, "TRUTH") || !strings.Contains(body, `"run_wide":1`) {
				t.Errorf("body %s", body)
			}
			steady(10*ms, 0)(ctx, c)
		}
		b.Wire.MaxTokensKey = "max_tokens"
		b.must(t)
		if len(ids) != 9 || len(salts) != 9 {
			t.Errorf("%d ids, %d salts of conversations: %v", len(ids), len(salts), salts)
		}
		if !slices.Contains(b.recorder.plannedIn, "blue/t0/0") || len(b.recorder.plannedIn) != 9 {
			t.Errorf("planned %v", b.recorder.plannedIn)
		}
	})
}

func TestMixOfPlannedAndLive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{serve: steady(100*ms, 0)}
		b.add("planned", 3, 2, 1)
		b.add("said", 3, 2, 1) // planned, and its history is what the target says
		b.Mix[1].History = chat.Live
		live := &source{}
		for i := range 3 {
			live.list = append(live.list, liveTalk(fmt.Sprintf("t%d", i)))
		}
		b.supply["live"] = sched.Supply{Source: live, Folder: &agent{turns: 3}}
		b.Mix = append(b.Mix, sched.Member{Workload: "live", Weight: 1, Info: trajectory.Info{Trajectories: 3, Live: true}})
		b.History, b.Users = chat.Recorded, users(1)
		b.must(t)
		turns := map[string]int{}
		for _, s := range b.recorder.samples {
			turns[s.Workload]++
		}
		if diff := cmp.Diff(map[string]int{"planned": 6, "said": 6, "live": 9}, turns); diff != "" {
			t.Error(diff)
		}
		if len(b.recorder.stepped) != 9 || slices.ContainsFunc(b.recorder.stepped, func(id sample.ID) bool { return id.Workload != "live" }) {
			t.Errorf("stepped %v", b.recorder.stepped)
		}
		recorded, answered := 0, 0
		for _, body := range b.issuer.bodies {
			if strings.Contains(body, `"content":"planned-t`) && strings.Contains(body, "a1") {
				recorded++
			}
			if strings.Contains(body, `{"role":"assistant","content":"ok"}`) {
				answered++
			}
		}
		if recorded != 3 || answered != 3+6 {
			t.Errorf("%d requests have a recorded answer, %d a live one", recorded, answered)
		}
	})
}

// TestSlowPlannerHoldsUpItsOwn: a workload whose plans take long makes the users wait that took one of them, which is
// counted, and nobody else.
func TestSlowPlannerHoldsUpItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{serve: steady(100*ms, 0)}
		b.add("fast", 60, 1, 3)
		b.add("slow", 20, 1, 1).delay = 10 * time.Second
		b.Users = users(8)
		b.Prefetch.Depth, b.Prefetch.Planners = 16, 1
		result := b.must(t)
		var waited sample.Offset
		for _, s := range b.recorder.samples {
			if s.Workload == "fast" {
				waited = max(waited, s.Timing.Sent-s.Timing.Due)
			}
		}
		// Four slow plans are ahead at the start. The other 16 take 160 s; users that took one of them wait for it.
		if waited != 0 {
			t.Errorf("a conversation of the fast workload waited %v", time.Duration(waited))
		}
		if n := result.Counts; n.PlanWaits == 0 || n.PlanWaits > 16 || n.PlanWaitNanos == 0 {
			t.Errorf("%d waits of %v are counted", n.PlanWaits, time.Duration(n.PlanWaitNanos))
		}
		if end := time.Duration(result.End - result.Start); end < 160*time.Second || end > 161*time.Second {
			t.Errorf("it took %v", end)
		}
	})
}

func TestMixGivesUpOnOneWorkload(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{serve: steady(ms, 0)}
		b.add("good", 5, 1, 1)
		b.add("bad", 5, 1, 1).fail = func(uint64, int) error { return errBroken }
		b.Budget, b.Duration = load.Endless, time.Hour
		result := b.must(t)
		if result.Reason != sched.ReasonFailed || !strings.Contains(result.Cause, "workload bad") {
			t.Errorf("%s: %s", result.Reason, result.Cause)
		}
	})
}

func TestMixConfig(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(*bench)
		want string
	}{
		"beside a workload":  {func(b *bench) { b.Workload = "c" }, "workload: c stands beside a mix of 2"},
		"twice":              {func(b *bench) { b.Mix[1].Workload = "a" }, "workload a is there twice"},
		"no name":            {func(b *bench) { b.Mix[1].Workload = "" }, "workload: no name"},
		"live and recorded":  {func(b *bench) { b.Mix[1].Info.Live, b.Mix[1].History = true, chat.Recorded }, "workload b: history: a live"},
		"unknown history":    {func(b *bench) { b.Mix[0].History = "new" }, `workload a: history: "new"`},
		"owned parameter":    {func(b *bench) { b.Mix[0].Params = json.RawMessage(`{"model":"x"}`) }, "workload a"},
		"endless":            {func(b *bench) { b.Mix[1].Info.Trajectories = 0 }, "needs a duration"},
		"recorded arrivals":  {func(b *bench) { b.Arrivals = load.Recorded() }, "arrivals: recorded ones are of one workload"},
		"heavy":              {func(b *bench) { b.Mix[1].Weight = 2_000_000 }, "weight 2000000"},
		"no source":          {func(b *bench) { delete(b.supply, "b") }, "workload b: a source is needed"},
		"no folder":          {func(b *bench) { b.Mix[1].Info.Live = true }, "workload b: a live workload needs a folder"},
		"shuffle of endless": {func(b *bench) { b.Mix[1].Info.Trajectories, b.Shuffle = 0, true }, "workload b: shuffle"},
		"too few arrivals": {func(b *bench) {
			b.Arrivals, _ = load.Fixed(make([]time.Duration, 3))
			b.Passes = 1
		}, "4 conversations are asked for"},
	} {
		t.Run(name, func(t *testing.T) {
			b := bench{serve: steady(0, 0)}
			b.add("a", 2, 1, 1)
			b.add("b", 2, 1, 1)
			c.edit(&b)
			if _, err := b.run(t); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestMixProperties plays random mixes; bench.audit checks every conversation's accounts.
func TestMixProperties(t *testing.T) {
	seeds := 200
	if testing.Short() {
		seeds = 40
	}
	for seed := range seeds {
		t.Logf("seed %d", seed)
		synctest.Test(t, func(t *testing.T) { mixProperty(t, rand.New(rand.NewPCG(uint64(seed), 2))) })
	}
}

func mixProperty(t *testing.T, r *rand.Rand) {
	b := bench{}
	want := map[string]int{}
	for i := range 2 + r.IntN(4) {
		name := fmt.Sprint("w", i)
		s := b.add(name, 1+r.IntN(8), 1+r.IntN(3), uint32(1+r.IntN(9)))
		s.delay = millis(r, 400)
		b.Mix[i].Info.Fixed = r.IntN(2) == 0
		want[name] = len(s.list)
	}
	n := 1 + r.IntN(6)
	b.Users, b.Shuffle, b.Seed = users(n), r.IntN(2) == 0, r.Uint64()
	b.Prefetch = sched.Prefetch{Depth: r.IntN(9), Planners: r.IntN(3), Bytes: int64(r.IntN(3000))}
	b.TurnTimeout = 400 * ms
	if b.Passes = uint32(r.IntN(3)); b.Passes > 1 {
		for name := range want {
			want[name] *= int(b.Passes)
		}
	}
	exact := true
	switch r.IntN(4) {
	case 0:
		b.Warmup.Conversations, exact = uint64(r.IntN(8)), false
	case 1:
		b.Duration, exact = ms+millis(r, 3000), false
	}
	w := watcher{most: n, open: map[string]bool{}, random: r}
	b.serve = w.serve
	b.must(t)
	for _, fault := range w.faults {
		t.Error(fault)
	}
	got := map[string]int{}
	total := 0
	for _, c := range b.recorder.started {
		if total++; uint64(total) > b.Warmup.Conversations {
			got[c.Workload]++
		}
	}
	if diff := cmp.Diff(want, got); exact && diff != "" {
		t.Error(diff)
	}
}
