package sched_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
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

func TestInterruptDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(1100*ms, cancel)
		b := bench{list: talks(10, 4), serve: steady(100*ms, 100*ms), ctx: ctx}
		b.Users, b.Grace = users(2), time.Second
		result := b.must(t)
		// Five turns of each user have ended, the sixth is in flight and ends in its grace time.
		if got := b.recorder.outcomes(); got["ok"] != 12 || got["not_sent run_ended"] != 4 || len(got) != 2 {
			t.Errorf("outcomes %v", got)
		}
		if diff := cmp.Diff(map[sample.State]int{sample.Complete: 2, sample.Ended: 2}, b.recorder.states()); diff != "" {
			t.Error(diff)
		}
		if result.Reason != sched.ReasonInterrupted || b.took != 1200*ms {
			t.Errorf("result %+v after %v", result, b.took)
		}
	})
}

func TestInterruptCutsToolDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		b := bench{list: []*trajectory.Trajectory{talk("a", 0, time.Hour)}, serve: steady(100*ms, 100*ms), ctx: ctx}
		b.must(t)
		if got := b.recorder.ended[0]; b.took != time.Second || got.End != at(time.Second) || got.State != sample.Ended {
			t.Errorf("after %v: %+v", b.took, got)
		}
	})
}

func TestAbortCutsOpenTurns(t *testing.T) {
	for _, interrupted := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			abort := make(chan struct{})
			if interrupted {
				time.AfterFunc(time.Second, cancel)
			}
			time.AfterFunc(3*time.Second, func() { close(abort) })
			b := bench{list: talks(4, 2), serve: steady(time.Hour, 0), ctx: ctx, abort: abort}
			b.Users = users(2)
			result := b.must(t)
			if diff := cmp.Diff(map[string]int{"cancelled": 2, "not_sent run_ended": 2}, b.recorder.outcomes()); diff != "" {
				t.Error(diff)
			}
			if result.Reason != sched.ReasonAborted || b.took != 3*time.Second {
				t.Errorf("result %+v after %v", result, b.took)
			}
		})
	}
}

func TestInterruptedWhilePreparing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		b := bench{list: talks(4, 2), serve: steady(0, 0), ctx: ctx, source: &source{delay: time.Hour}}
		result := b.must(t)
		if result.Reason != sched.ReasonInterrupted || b.took != time.Second || len(b.recorder.started) != 0 || result.Start != sample.Unset {
			t.Errorf("result %+v after %v", result, b.took)
		}
	})
}

func TestTurnTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(2, 3), serve: steady(time.Minute, 0)}
		b.TurnTimeout = time.Second
		b.must(t)
		if diff := cmp.Diff(map[string]int{"timeout": 2, "not_sent prior_failure": 4}, b.recorder.outcomes()); diff != "" {
			t.Error(diff)
		}
		if b.took != 2*time.Second || b.recorder.states()[sample.Failed] != 2 {
			t.Errorf("after %v: %v", b.took, b.recorder.states())
		}
	})
}

func TestStopOnFirstIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := []*trajectory.Trajectory{talk("short", 50*ms), talk("long", 0, 0, time.Second, 0), talk("waits", 0, time.Hour)}
		b := bench{list: list, serve: steady(100*ms, 100*ms)}
		b.Users, b.StopOnFirstIdle = users(4), true
		result := b.must(t)
		// At 250 ms the long one's second turn is in flight and ends by itself at 400 ms.
		if diff := cmp.Diff(map[string]int{"ok": 4, "not_sent run_ended": 3}, b.recorder.outcomes()); diff != "" {
			t.Error(diff)
		}
		if result.Reason != sched.ReasonComplete || result.Drain != at(250*ms) || b.took != 400*ms {
			t.Errorf("result %+v after %v", result, b.took)
		}
	})
}

func TestWarmupByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(3, 1), serve: steady(500*ms, 500*ms)}
		b.Users, b.Budget, b.Duration = users(2), load.Endless, 5*time.Second
		b.Warmup.For = 2500 * ms
		result := b.must(t)
		want := []string{"prepare 0s", "warmup 0s", "measure 2.5s", "drain 7.5s"}
		if diff := cmp.Diff(want, b.recorder.phases); diff != "" {
			t.Error(diff)
		}
		warm := 0
		for _, s := range b.recorder.samples {
			if s.Phase == sample.Warmup {
				warm++
			}
		}
		if warm != 6 || len(b.recorder.samples) != 16 || result.Reason != sched.ReasonDuration {
			t.Errorf("%d of %d turns in the warm-up; %+v", warm, len(b.recorder.samples), result)
		}
	})
}

func TestWarmupByTimeIsBesideTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(3, 1), serve: steady(500*ms, 500*ms)}
		b.Users, b.Budget = users(2), 5
		b.Warmup.For = 2500 * ms
		b.must(t)
		if n := len(b.recorder.samples); n != 6+5 {
			t.Errorf("%d conversations, want those of the warm-up and 5", n)
		}
	})
}

func TestHungWarmupIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(3, 1), serve: steady(100*time.Hour, 0)}
		b.Warmup.Conversations, b.Duration, b.Grace = 1, time.Minute, time.Second
		if result := b.must(t); result.Reason != sched.ReasonDuration || b.took != 61*time.Second || result.Measure.Set() {
			t.Errorf("result %+v after %v", result, b.took)
		}
	})
}

func TestRepeatsRouteAndShareTheirPlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ids []string
		b := bench{list: talks(2, 2), serve: func(_ context.Context, c *call) {
			ids = append(ids, c.header("X-Session-Id"))
			c.answer(plainAnswer)
		}}
		b.Budget, b.Info.Fixed = 5, true
		b.must(t)
		want := []string{"t0", "t0", "t1", "t1", "t0__repeat_2", "t0__repeat_2", "t1__repeat_2", "t1__repeat_2", "t0__repeat_3", "t0__repeat_3"}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Error(diff)
		}
		if b.source.calls[0] != 1 || b.source.calls[1] != 1 || len(b.recorder.planned) != 2 {
			t.Errorf("plan was called %v times; recorded %v", b.source.calls, b.recorder.planned)
		}
	})
}

func TestRequestBodies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := []*trajectory.Trajectory{talk("a", 0, 0)}
		list[0].Params = json.RawMessage(`{"top_p":0.5,"top_k":3}`)
		list[0].Turns[1].Params, list[0].Turns[1].MaxTokens = json.RawMessage(`{"top_k":null,"seed":7}`), 64
		b := bench{list: list, serve: steady(0, 0)}
		b.Wire = chat.Wire{Model: "m"}
		b.Info.Params, b.Params, b.Override = json.RawMessage(`{"temperature":1}`), json.RawMessage(`{"top_p":1}`), json.RawMessage(`{"seed":9}`)
		b.Info.Tools, b.MaxTokens = json.RawMessage(`[{"type":"function"}]`), 32
		b.RoutingHeaders = []string{}
		b.must(t)
		want := []string{
			`{"model":"m","messages":[{"role":"user","content":"a q1"}],"temperature":1,"max_completion_tokens":32,"stream":false,` +
				`"seed":9,"top_p":0.5,"top_k":3,"tools":[{"type":"function"}]}`,
			`{"model":"m","messages":[{"role":"user","content":"a q1"},{"role":"assistant","content":"a a1"},{"role":"user","content":"a q2"}],` +
				`"temperature":1,"max_completion_tokens":64,"stream":false,"seed":9,"top_p":0.5,"tools":[{"type":"function"}]}`,
		}
		if diff := cmp.Diff(want, b.issuer.bodies); diff != "" {
			t.Error(diff)
		}
		if n := b.recorder.samples[0].RequestBytes; n != int64(len(want[0])) {
			t.Errorf("%d bytes told, %d sent", n, len(want[0]))
		}
	})
}

func TestSaltOncePerConversation(t *testing.T) {
	scheme, err := chat.SaltSchemeByName("seeded")
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(1, 2), serve: steady(0, 0)}
		b.Salt, b.Seed, b.Budget, b.Info.Fixed = scheme, 5, 2, true
		b.must(t)
		first := func(i int) string {
			head, _, _ := strings.Cut(b.issuer.bodies[i], "t0 q1")
			return head
		}
		if !strings.Contains(first(0), "[salt: ") || first(0) != first(1) || first(2) != first(3) || first(0) == first(2) {
			t.Errorf("bodies begin %q, %q, %q, %q", first(0), first(1), first(2), first(3))
		}
		if n := strings.Count(b.issuer.bodies[1], "[salt: "); n != 2 {
			t.Errorf("%d salts in the second turn, want the two of the first", n)
		}
	})
}

func TestLiveHistoryRewritesToolIDs(t *testing.T) {
	c := decode(t, "46", "expected.json", new(any))
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: rows(t, c.File(t, "live.jsonl")), serve: func(_ context.Context, c *call) {
			c.answer(`{"role":"assistant","content":null,"tool_calls":[{"id":"call_x1","type":"function","function":{"name":"f","arguments":"{}"}},` +
				`{"id":"call_x2","type":"function","function":{"name":"f","arguments":"{}"}}]}`)
		}}
		b.History = chat.Live
		result := b.must(t)
		second := b.issuer.bodies[1]
		i, j := strings.Index(second, `"tool_call_id":"call_x1"`), strings.Index(second, `"tool_call_id":"call_x2"`)
		if i < 0 || j < i {
			t.Errorf("second body %s", second)
		}
		if b.recorder.samples[1].Rewrites != 2 || result.Counts.Rewrites != 2 {
			t.Errorf("%d rewrites in the sample, %d in all", b.recorder.samples[1].Rewrites, result.Counts.Rewrites)
		}
	})
}

func TestLiveHistoryKeepsEmptyAnswers(t *testing.T) {
	c := decode(t, "53", "expected.json", new(any))
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: rows(t, c.File(t, "live.jsonl")), serve: func(_ context.Context, c *call) {
			c.answer(`{"role":"assistant","content":""}`)
		}}
		b.History = chat.Live
		b.must(t)
		want := `"messages":[{"role":"user","content":"say nothing"},{"role":"assistant","content":""},{"role":"user","content":"still there?"}]`
		if !strings.Contains(b.issuer.bodies[1], want) {
			t.Errorf("second body %s", b.issuer.bodies[1])
		}
	})
}

func TestNoDelays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: []*trajectory.Trajectory{talk("a", time.Second, time.Hour)}, serve: steady(100*ms, 0)}
		b.NoDelays = true
		if b.must(t); b.took != 200*ms || b.recorder.samples[1].DelayCut != 0 {
			t.Errorf("took %v, cut %v", b.took, b.recorder.samples[1].DelayCut)
		}
	})
}

func TestRecordedArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := talks(3, 1)
		for i, d := range []time.Duration{100 * ms, 150 * ms, 2 * time.Second} {
			list[i].StartOffset = &d
		}
		b := bench{list: list, serve: steady(200*ms, 0)}
		b.Users, b.Arrivals = users(2), load.Recorded()
		result := b.must(t)
		for i, want := range []time.Duration{100 * ms, 150 * ms, 2 * time.Second} {
			if s := b.recorder.of(fmt.Sprintf("t%d", i))[0]; s.Timing.Due != at(want) || s.Timing.Sent != at(want) {
				t.Errorf("t%d due %v, sent %v", i, s.Timing.Due, s.Timing.Sent)
			}
		}
		// What has arrived and not started is still to be started: draining begins when the last one ends.
		if result.Drain != at(2200*ms) {
			t.Errorf("drain at %v", time.Duration(result.Drain))
		}
	})
}

func TestConfigCheckListsEveryFault(t *testing.T) {
	c := sched.Config{
		Users: load.Constant(0), MaxDelay: -1, Duration: -1, History: "both", Thinking: "x", Budget: 1,
		Params: json.RawMessage(`{"model":"x"}`), Override: json.RawMessage(`[]`), Shuffle: true,
		Salt: chat.SaltScheme{Name: "s", Template: "x"},
	}
	err := c.Check()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{"workload", "users: 0", "max delay", "duration", "history", "thinking", "model", "override", "shuffle", "salt"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("nothing about %q in:\n%v", want, err)
		}
	}
	tests := []struct {
		name string
		c    sched.Config
	}{
		{"endless without a limit", sched.Config{Workload: "w", Budget: load.Endless}},
		{"two warm-ups", sched.Config{Workload: "w", Budget: 1, Warmup: sched.Warmup{Conversations: 1, For: 1}}},
		{"live with recorded history", sched.Config{Workload: "w", Budget: 1, History: chat.Recorded, Info: trajectory.Info{Live: true}}},
		{"more than arrive", sched.Config{Workload: "w", Budget: 3, Info: trajectory.Info{Trajectories: 2}, Arrivals: load.Recorded()}},
	}
	for _, tt := range tests {
		if err := tt.c.Check(); err == nil {
			t.Errorf("%s: accepted", tt.name)
		}
	}
	_, err = sched.Run(t.Context(), sched.Needs{}, sched.Config{Workload: "w", Budget: 1, Info: trajectory.Info{Live: true}}, time.Now())
	if err == nil || !strings.Contains(err.Error(), "source") || !strings.Contains(err.Error(), "folder") {
		t.Errorf("a run without needs: %v", err)
	}
}

var errBroken = errors.New("guest trapped")
