package sched_test

import (
	"context"
	"fmt"
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

// sized are trajectories of turns that append so many hundred bytes, an answer of a few bytes after each.
func sized(hundreds ...[]int) (list []*trajectory.Trajectory) {
	for i, turns := range hundreds {
		t := &trajectory.Trajectory{ID: fmt.Sprintf("t%d", i), Index: uint64(i)}
		for k, n := range turns {
			t.Turns = append(t.Turns, trajectory.Turn{
				Index: uint32(k), MaxTokens: 25,
				Append:   []trajectory.Message{{JSON: fmt.Appendf(nil, `{"role":"user","content":"t%d q%d %s"}`, i, k, strings.Repeat("x", 100*n))}},
				Recorded: &trajectory.Message{JSON: fmt.Appendf(nil, `{"role":"assistant","content":"t%d a%d"}`, i, k)},
			})
		}
		list = append(list, t)
	}
	return list
}

func startedIDs(r *recorder) (ids []string) {
	for _, c := range r.started {
		ids = append(ids, c.Trajectory)
	}
	return ids
}

// TestOverContext plays a short trajectory and one with a third turn that is too long, by each rule.
func TestOverContext(t *testing.T) {
	for over, want := range map[sched.Over]struct {
		started string
		samples int
		state   map[sample.State]int
		last    string // what the last request of the long one holds
	}{
		sched.Skip:     {"t0 t2", 4, map[sample.State]int{sample.Complete: 2}, ""},
		sched.End:      {"t0 t1 t2", 6, map[sample.State]int{sample.Complete: 3}, "q0 q1"},
		sched.Truncate: {"t0 t1 t2", 8, map[sample.State]int{sample.Complete: 3}, "q0 q2 q3"},
	} {
		t.Run(string(over), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bench{list: sized([]int{1, 1}, []int{4, 4, 4, 1}, []int{1, 1}), serve: steady(100*ms, 0)}
				b.Reach = sched.Reach{MaxContext: 300, Over: over}
				result := b.must(t)
				if got := strings.Join(startedIDs(b.recorder), " "); got != want.started || len(b.recorder.samples) != want.samples || !result.Valid() {
					t.Errorf("started %s, %d samples, %v", got, len(b.recorder.samples), result.Invalid)
				}
				if diff := cmp.Diff(want.state, b.recorder.states()); diff != "" {
					t.Error(diff)
				}
				if got := asked(b.issuer.bodies, "t1"); got != want.last {
					t.Errorf("the last request holds %s, want %s", got, want.last)
				}
			})
		})
	}
}

// asked lists the questions that the last request of a trajectory holds.
func asked(bodies []string, id string) string {
	for _, body := range slices.Backward(bodies) {
		if !strings.Contains(body, id+" q0") {
			continue
		}
		var list []string
		for k := range 10 {
			if strings.Contains(body, fmt.Sprintf("%s q%d", id, k)) {
				list = append(list, fmt.Sprintf("q%d", k))
			}
		}
		return strings.Join(list, " ")
	}
	return ""
}

// TestSkippedOnes: the next trajectory takes the place of one that is skipped, also in a warm-up, of a workload with and without
// an end; and where none fits the run gives up.
func TestSkippedOnes(t *testing.T) {
	long, short := []int{20}, []int{1}
	for name, tt := range map[string]struct {
		list    []*trajectory.Trajectory
		edit    func(*sched.Config)
		started string
		fails   bool
	}{
		"a pass":       {sized(short, long, short), func(*sched.Config) {}, "t0 t2", false},
		"the first":    {sized(long, short, long, short), func(c *sched.Config) { c.Users = users(2) }, "t1 t3", false},
		"two passes":   {sized(short, long), func(c *sched.Config) { c.Budget = 4 }, "t0 t0", false},
		"known":        {sized(short, long), func(c *sched.Config) { c.Budget, c.Reach.Without = 2, map[string][]uint64{"test/list": {1}} }, "t0 t0", false},
		"the warm-up":  {sized(long, short, short), func(c *sched.Config) { c.Warmup.Conversations, c.Budget = 1, 2 }, "t1 t2", false},
		"none is left": {sized(long, long), func(*sched.Config) {}, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bench{list: tt.list, serve: steady(100*ms, 0)}
				b.Info.Fixed = true
				b.Reach = sched.Reach{MaxContext: 300, Over: sched.Skip}
				tt.edit(&b.Config)
				result, err := b.run(t)
				if got := strings.Join(startedIDs(b.recorder), " "); err != nil || got != tt.started {
					t.Errorf("started %q, want %q; %v", got, tt.started, err)
				}
				if !tt.fails && (!result.Measure.Set() || result.Reason != sched.ReasonComplete) {
					t.Errorf("it measured at %v and ended: %s", result.Measure, result.Reason)
				}
			})
		})
	}
}

// endless plans as many trajectories as asked for.
type endless struct {
	plan func(i uint64) *trajectory.Trajectory
}

func (e endless) Plan(_ context.Context, i uint64, _ uint32) (*trajectory.Trajectory, error) {
	t := e.plan(i)
	t.ID, t.Index = fmt.Sprintf("e%d", i), i
	return t, nil
}

func (b *bench) endless(t *testing.T, plan func(i uint64) *trajectory.Trajectory) (sched.Result, error) {
	t.Helper()
	b.Mix = []sched.Member{{Workload: "test/endless"}}
	b.supply = map[string]sched.Supply{"test/endless": {Source: endless{plan}}}
	return b.run(t)
}

func TestSkippedOfAWorkloadWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{serve: steady(100*ms, 0)}
		b.Budget, b.Users, b.Reach = 6, users(2), sched.Reach{MaxContext: 300, Over: sched.Skip}
		if _, err := b.endless(t, func(i uint64) *trajectory.Trajectory {
			return sized([]int{1 + int(i%2)*20})[0]
		}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(startedIDs(b.recorder), " "); got != "e0 e2 e4 e6 e8 e10" {
			t.Errorf("started %s", got)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := bench{serve: steady(100*ms, 0)}
		b.Budget, b.Reach = 6, sched.Reach{MaxContext: 300, Over: sched.Skip}
		_, err := b.endless(t, func(uint64) *trajectory.Trajectory { return sized([]int{20})[0] })
		if err == nil || !strings.Contains(err.Error(), "1000 trajectories in a row exceed the longest context of 300 tokens") {
			t.Errorf("nothing fits: %v", err)
		}
	})
}

// TestSpread: users begin at drawn positions, the same ones each time; what they have not played stands in the first request,
// and their second conversations begin at the beginning.
func TestSpread(t *testing.T) {
	play := func(history chat.HistoryRule) *bench {
		b := &bench{list: talks(12, 10), serve: steady(100*ms, 0)}
		for _, x := range b.list {
			for i := range x.Turns {
				x.Turns[i].Delay = time.Second
			}
		}
		b.Users, b.History, b.Seed, b.Reach = users(6), history, 5, sched.Reach{Spread: true}
		synctest.Test(t, func(t *testing.T) { b.must(t) })
		return b
	}
	b := play(chat.Recorded)
	inside, waited := 0, 0
	for i, c := range b.recorder.started {
		if i >= 6 {
			if c.Part != nil {
				t.Errorf("a second conversation plays %+v", c.Part)
			}
			continue
		}
		first := b.recorder.of(c.Trajectory)[0]
		if c.Part == nil || c.Part.Entered != sample.EnteredSpread || int(first.Turn) != c.Part.From || c.Planned != 10-c.Part.From {
			t.Errorf("%s plays %+v from turn %d", c.Trajectory, c.Part, first.Turn)
		}
		if c.Part.From > 0 {
			inside++
			if due := c.Start + at(c.Part.Wait); first.Timing.Due != due || !slices.Contains(first.Notes, sample.NoteEntered) {
				t.Errorf("%s was due at %v, want %v; notes %v", c.Trajectory, first.Timing.Due, due, first.Notes)
			}
		}
		if c.Part.Wait > 0 {
			waited++
		}
		want := fmt.Sprintf(`%s a%d"},{"role":"user","content":"%s q%d"}]`, c.Trajectory, c.Part.From, c.Trajectory, c.Part.From+1)
		if c.Part.From > 0 && !contains(b.issuer.bodies, want) {
			t.Errorf("no request holds %s", want)
		}
	}
	if inside < 4 || waited < 3 {
		t.Errorf("%d of 6 users began inside, %d within a wait", inside, waited)
	}
	for _, again := range []*bench{play(chat.Recorded), play(chat.Live)} {
		parts := func(b *bench) (list []*sample.Part) {
			for _, c := range b.recorder.started {
				list = append(list, c.Part)
			}
			return list
		}
		if diff := cmp.Diff(parts(b), parts(again)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestSpreadStays: where nothing stands for the answers before a turn, or an agent makes the turns, users begin at the
// beginning and it is said.
func TestSpreadStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(6, 10), serve: steady(100*ms, 0)}
		for _, x := range b.list {
			for i := range x.Turns {
				x.Turns[i].Recorded = nil
			}
		}
		b.Users, b.History, b.Reach = users(6), chat.Live, sched.Reach{Spread: true}
		b.must(t)
		stayed := 0
		for _, c := range b.recorder.started {
			if c.Part.From != 0 {
				t.Errorf("it began at %d", c.Part.From)
			}
			if c.Part.Stayed == sample.StayedAnswers {
				stayed++
			}
		}
		if stayed < 3 {
			t.Errorf("%d say that they stayed", stayed)
		}
	})
}

// TestSpreadDrawsLongOnes: of a workload without an end the users begin in long trajectories more often, and in the end as many
// conversations were played as were asked for.
func TestSpreadDrawsLongOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{serve: steady(10*ms, 0)}
		b.Budget, b.Users, b.Reach = 60, users(20), sched.Reach{Spread: true}
		if _, err := b.endless(t, func(i uint64) *trajectory.Trajectory {
			return talk("", make([]time.Duration, 1+int(i%10/9)*80)...) // one in ten is long: nine tenths of all turns
		}); err != nil {
			t.Fatal(err)
		}
		long := 0
		for _, c := range b.recorder.started[:20] {
			if c.Part.Of > 1 {
				long++
			}
		}
		if long < 13 || len(b.recorder.started) != 60 {
			t.Errorf("%d of 20 users began in a long one, %d conversations", long, len(b.recorder.started))
		}
	})
}

// TestLast plays last turns, of an agent with sub-agents too.
func TestLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: append(talks(2, 3), delegating("d")), serve: steady(100*ms, 0)}
		b.Reach = sched.Reach{Last: true}
		b.must(t)
		if len(b.recorder.samples) != 3 {
			t.Fatalf("%d turns", len(b.recorder.samples))
		}
		for i, want := range []string{`t0 a2"},{"role":"user","content":"t0 q3"}`, `t1 a2"},{"role":"user","content":"t1 q3"}`, `one: d a4, two: d a5, three: d a6`} {
			if !strings.Contains(b.issuer.bodies[i], want) {
				t.Errorf("request %d lacks %s: %s", i, want, b.issuer.bodies[i])
			}
		}
	})
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(1, 3), serve: steady(100*ms, 0)}
		b.list[0].Turns[1].Recorded = nil
		b.History, b.Reach = chat.Live, sched.Reach{Last: true}
		if _, err := b.run(t); err == nil || !strings.Contains(err.Error(), "turn 1 has no recorded answer") || len(b.issuer.bodies) > 0 {
			t.Errorf("%v, %d requests", err, len(b.issuer.bodies))
		}
	})
}

// TestEntersBranching: an agent with sub-agents is entered where it alone is at work.
func TestEntersBranching(t *testing.T) {
	joints := trajectory.NewGraph(delegating("d").Turns).Joints()
	if diff := cmp.Diff([]bool{true, false, false, false, false, false, false, true}, joints); diff != "" {
		t.Error(diff)
	}
	synctest.Test(t, func(t *testing.T) {
		var list []*trajectory.Trajectory
		for i := range 8 {
			list = append(list, delegating(fmt.Sprintf("d%d", i)))
		}
		b := bench{list: list, serve: steady(100*ms, 0)}
		b.Users, b.Reach = users(8), sched.Reach{Spread: true}
		b.must(t)
		for _, c := range b.recorder.started {
			if c.Part.From != 0 && c.Part.From != 7 {
				t.Errorf("%s was entered at %d", c.Trajectory, c.Part.From)
			}
		}
	})
}

func TestReachIsChecked(t *testing.T) {
	for want, edit := range map[string]func(*sched.Config){
		"spread is for a closed loop":   func(c *sched.Config) { c.Reach.Spread = true; c.Arrivals, _ = load.Fixed([]time.Duration{0}) },
		"exclude each other":            func(c *sched.Config) { c.Reach.Spread, c.Reach.Last = true, true },
		"the last turn of a live agent": func(c *sched.Config) { c.Reach.Last, c.Info.Live, c.History = true, true, chat.Live },
		"only skip and fail are possible": func(c *sched.Config) {
			c.Reach, c.Info.Live, c.History = sched.Reach{MaxContext: 1, Over: sched.End}, true, chat.Live
		},
		`"cut" is none of skip`:              func(c *sched.Config) { c.Reach = sched.Reach{MaxContext: 1, Over: "cut"} },
		"longest context: it is negative":    func(c *sched.Config) { c.Reach = sched.Reach{MaxContext: -1} },
		"all trajectories are left out":      func(c *sched.Config) { c.Reach.Without = map[string][]uint64{"w": {0, 1, 2}} },
		"some that the workload does not ha": func(c *sched.Config) { c.Reach.Without = map[string][]uint64{"w": {7}} },
	} {
		c := sched.Config{Workload: "w", Info: trajectory.Info{Trajectories: 3}, Users: users(1), History: chat.Recorded}
		edit(&c)
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

func TestCensus(t *testing.T) {
	list := sized([]int{1}, []int{1, 20}, []int{30}, []int{1}, []int{1, 1, 25})
	c := sched.Config{Workload: "w", Info: trajectory.Info{Trajectories: 5, Fixed: true}, Users: users(1)}
	need := sched.Needs{Source: &source{list: list}}
	for over, without := range map[sched.Over][]uint64{
		sched.Skip: {1, 2, 4}, sched.Fail: {1, 2, 4}, sched.End: {2}, sched.Truncate: {1, 2, 4},
	} {
		c.Reach = sched.Reach{MaxContext: 300, Over: over}
		var mu sync.Mutex
		told := 0
		found, err := sched.TakeCensus(t.Context(), need, c, sched.Look{OnProgress: func(done, of uint64) {
			mu.Lock()
			defer mu.Unlock()
			told = int(done)
		}})
		if err != nil {
			t.Fatal(err)
		}
		x := found[0]
		if x.Counted != 5 || x.Over != 3 || x.Unfit != len(without) || x.Sample || x.By != sched.ByEstimate || x.At != "t2" || told != 5 {
			t.Errorf("%s: %+v, %d told", over, x, told)
		}
		if diff := cmp.Diff(without, x.Without); diff != "" {
			t.Error(diff)
		}
		if len(x.Examples) != 3 || x.Examples[0].Trajectory != "t1" || x.Examples[0].Turn != 1 {
			t.Errorf("%s: %+v", over, x.Examples)
		}
	}
	c.Info.Trajectories, c.Budget = 0, 3
	found, err := sched.TakeCensus(t.Context(), need, c, sched.Look{Trajectories: 3})
	if err != nil || !found[0].Sample || found[0].Counted != 3 || found[0].Without != nil {
		t.Errorf("without an end: %+v %v", found, err)
	}
}
