package sched_test

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
)

// TestWarmupHandsOver is case 28: one prefill at a time, so users that start together wait for each other.
func TestWarmupHandsOver(t *testing.T) {
	var model struct {
		Prefill struct{ MS int }
		DecodeM int `json:"decode_ms"`
		Users   int
		Warmup  uint64 `json:"warmup_requests"`
		Measure uint64 `json:"measured_requests"`
	}
	decode(t, "28", "model.json", &model)
	synctest.Test(t, func(t *testing.T) {
		prefill := make(chan struct{}, 1)
		b := bench{list: talks(5, 1), serve: func(ctx context.Context, c *call) {
			prefill <- struct{}{}
			ok := c.sleep(ctx, time.Duration(model.Prefill.MS)*ms)
			<-prefill
			c.x.Timing.FirstToken = c.now()
			if ok && c.sleep(ctx, time.Duration(model.DecodeM)*ms) {
				c.answer(plainAnswer)
			}
		}}
		b.Users, b.Budget = users(model.Users), model.Measure
		b.Warmup.Conversations = model.Warmup
		result := b.must(t)
		if n := len(b.recorder.samples); n != int(model.Warmup+model.Measure) {
			t.Fatalf("%d turns", n)
		}
		slices.SortFunc(b.recorder.samples, func(a, b sample.Sample) int { return int(a.Timing.Sent - b.Timing.Sent) })
		slowest := time.Duration(0)
		for i, s := range b.recorder.samples {
			ttft, _ := s.Timing.FirstToken.Since(s.Timing.Sent)
			if i >= int(model.Warmup) && ttft > 120*ms {
				t.Errorf("turn %d, sent at %v: first token after %v", i, time.Duration(s.Timing.Sent), ttft)
			}
			slowest = max(slowest, ttft)
		}
		if slowest != 800*ms {
			t.Errorf("slowest first token of all is %v, want 800ms in the warm-up", slowest)
		}
		// From its second conversation on each user needs 2.1 s; user 0 ends its last one first.
		want := []string{"prepare 0s", "warmup 0s", "measure 2.8s", "drain 12.6s"}
		if diff := cmp.Diff(want, b.recorder.phases); diff != "" {
			t.Error(diff)
		}
		if result.Measure != at(2800*ms) {
			t.Errorf("measuring began at %v", time.Duration(result.Measure))
		}
	})
}

func TestStartedConversationsAreFinished(t *testing.T) {
	var want struct {
		Success  int
		Complete int            `json:"conversations_complete"`
		Turns    map[string]int `json:"turns_per_conversation"`
	}
	c := decode(t, "49", "expected.json", &want)
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: rows(t, c.File(t, "dataset.jsonl")), serve: steady(100*ms, 21*ms)}
		b.Users = users(2)
		result := b.must(t)
		turns := map[string]int{}
		for _, s := range b.recorder.samples {
			turns[s.Trajectory]++
		}
		if diff := cmp.Diff(want.Turns, turns); diff != "" {
			t.Error(diff)
		}
		if got := b.recorder.outcomes()["ok"]; got != want.Success {
			t.Errorf("%d good turns, want %d", got, want.Success)
		}
		if got := b.recorder.states()[sample.Complete]; got != want.Complete {
			t.Errorf("%d complete conversations, want %d", got, want.Complete)
		}
		// u0 plays d1, d3, d4 (6 turns), u1 d2 and then d5 (9 turns) of 121 ms each.
		if result.Reason != sched.ReasonComplete || result.Drain != at(6*121*ms) || result.End != at(9*121*ms) || b.took != 9*121*ms {
			t.Errorf("result %+v after %v", result, b.took)
		}
	})
}

func TestFailedTurnEndsItsConversation(t *testing.T) {
	var want struct {
		Requests, Success, Failed int
		Skipped                   int `json:"skipped_turns"`
		Conversations             struct{ Complete, Failed int }
	}
	c := decode(t, "51", "expected.json", &want)
	synctest.Test(t, func(t *testing.T) {
		good := steady(100*ms, 21*ms)
		b := bench{list: rows(t, c.File(t, "dataset.jsonl")), serve: func(ctx context.Context, c *call) {
			if strings.Contains(c.body(), "f2 q2") {
				c.sleep(ctx, 20*ms)
				c.fail(sample.Status)
				return
			}
			good(ctx, c)
		}}
		b.Users = users(2)
		b.must(t)
		wantOutcomes := map[string]int{"ok": want.Success, "status": want.Failed, "not_sent prior_failure": want.Skipped}
		if diff := cmp.Diff(wantOutcomes, b.recorder.outcomes()); diff != "" {
			t.Error(diff)
		}
		wantStates := map[sample.State]int{sample.Complete: want.Conversations.Complete, sample.Failed: want.Conversations.Failed}
		if diff := cmp.Diff(wantStates, b.recorder.states()); diff != "" {
			t.Error(diff)
		}
		if len(b.issuer.bodies) != want.Requests || contains(b.issuer.bodies, "f2 q3") {
			t.Errorf("%d requests", len(b.issuer.bodies))
		}
		// The user goes on with the next conversation at once: 121 + 20 ms.
		if f3 := b.recorder.of("f3")[0].Timing; f3.Due != at(141*ms) || f3.Sent != at(141*ms) {
			t.Errorf("f3 due at %v, sent at %v", time.Duration(f3.Due), time.Duration(f3.Sent))
		}
	})
}

func TestEndsWithinItsLimits(t *testing.T) {
	var want struct{ Success, Cancelled, Failed int }
	decode(t, "52", "expected.json", &want)
	synctest.Test(t, func(t *testing.T) {
		good := steady(100*ms, 21*ms)
		b := bench{list: talks(100, 1), serve: func(ctx context.Context, c *call) {
			if c.number == 3 || c.number == 4 {
				c.sleep(ctx, 1000*time.Hour)
				return
			}
			good(ctx, c)
		}}
		b.Users, b.Duration, b.Grace = users(2), 3*time.Second, time.Second
		result := b.must(t)
		if diff := cmp.Diff(map[string]int{"ok": want.Success, "cancelled": want.Cancelled}, b.recorder.outcomes()); diff != "" {
			t.Error(diff)
		}
		if result.Reason != sched.ReasonDuration || b.took != 4*time.Second || result.Drain != at(3*time.Second) {
			t.Errorf("result %+v after %v", result, b.took)
		}
		if n := result.Counts; n.OutputTokens != 4 || n.TurnsOK != 2 || n.TurnsCancelled != 2 || n.Conversations != 100 {
			t.Errorf("counts %+v", n)
		}
	})
}

func TestContextOverflowEndsAsOverflow(t *testing.T) {
	var want struct {
		Success, Failed, Attempts int
		Skipped                   int `json:"skipped_turns"`
		Sessions                  map[sample.State]int
	}
	c := decode(t, "54", "expected.json", &want)
	synctest.Test(t, func(t *testing.T) {
		good := steady(100*ms, 21*ms)
		b := bench{list: rows(t, c.File(t, "dataset.jsonl")), serve: func(ctx context.Context, c *call) {
			if contentLength(c.body()) > 900 {
				c.sleep(ctx, 20*ms)
				c.fail(sample.ContextOverflow)
				return
			}
			good(ctx, c)
		}}
		b.must(t)
		wantOutcomes := map[string]int{"ok": want.Success, "context_overflow": want.Failed, "not_sent prior_failure": want.Skipped}
		if diff := cmp.Diff(wantOutcomes, b.recorder.outcomes()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(want.Sessions, b.recorder.states()); diff != "" {
			t.Error(diff)
		}
		if len(b.issuer.bodies) != want.Attempts {
			t.Errorf("%d requests, want %d", len(b.issuer.bodies), want.Attempts)
		}
	})
}

func contentLength(body string) (n int) {
	var request struct{ Messages []struct{ Content string } }
	if json.Unmarshal([]byte(body), &request) != nil {
		return math.MaxInt
	}
	for _, m := range request.Messages {
		n += len(m.Content)
	}
	return n
}

func TestToolDelays(t *testing.T) {
	var want struct {
		Gaps      []int `json:"gap_after_answer_ms"`
		Cut       int64 `json:"delays_cut"`
		RunMillis int   `json:"run_ms"`
	}
	c := decode(t, "56", "expected.json", &want)
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: rows(t, c.File(t, "dataset.jsonl")), serve: steady(100*ms, 100*ms)}
		b.MaxDelay = time.Second
		result := b.must(t)
		s := b.recorder.samples
		for i, gap := range want.Gaps {
			if got := time.Duration(s[i+1].Timing.Sent - s[i].Timing.Done); got != time.Duration(gap)*ms {
				t.Errorf("gap %d is %v, want %d ms", i, got, gap)
			}
			if s[i+1].Timing.Due != s[i+1].Timing.Sent {
				t.Errorf("turn %d: due %v, sent %v", i+1, s[i+1].Timing.Due, s[i+1].Timing.Sent)
			}
		}
		if b.took != time.Duration(want.RunMillis)*ms || result.Counts.DelaysCut != want.Cut || s[2].DelayCut != 19*time.Second {
			t.Errorf("took %v, %d delays cut, the last one by %v", b.took, result.Counts.DelaysCut, s[2].DelayCut)
		}
	})
}

func TestCoordinatedOmission(t *testing.T) {
	var plan struct {
		Sends   int
		Gap     int   `json:"planned_gap_ms"`
		Service int   `json:"service_ms"`
		Stall   []int `json:"stall_ms"`
	}
	decode(t, "57", "plan.json", &plan)
	type figures struct{ P50, P90, P99, Max float64 }
	var want struct {
		Service  figures `json:"service_ms"`
		Response figures `json:"response_ms"`
		Late     int     `json:"late_sends_over_0.5ms"`
	}
	decode(t, "57", "expected.json", &want)
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(1, 1), serve: func(ctx context.Context, c *call) {
			start, end := at(time.Duration(plan.Stall[0])*ms), at(time.Duration(plan.Stall[1])*ms)
			if now := c.now(); now >= start && now < end {
				c.sleep(ctx, time.Duration(end-now))
			}
			c.sleep(ctx, time.Duration(plan.Service)*ms)
			c.answer(plainAnswer)
		}}
		var times []time.Duration
		for k := range plan.Sends {
			times = append(times, time.Duration(k*plan.Gap)*ms)
		}
		var err error
		if b.Arrivals, err = load.Fixed(times); err != nil {
			t.Fatal(err)
		}
		b.must(t)
		var service, response []float64
		late := 0
		for _, s := range b.recorder.samples {
			service = append(service, float64(s.Timing.Done-s.Timing.Sent)/1e6)
			response = append(response, float64(s.Timing.Done-s.Timing.Due)/1e6)
			if s.Timing.Sent-s.Timing.Due > at(ms/2) {
				late++
			}
		}
		ranks := func(list []float64) figures {
			slices.Sort(list)
			q := func(p float64) float64 { return list[int(math.Ceil(p*float64(len(list))))-1] }
			return figures{q(0.5), q(0.9), q(0.99), q(1)}
		}
		if diff := cmp.Diff(want.Service, ranks(service)); diff != "" {
			t.Error("service:", diff)
		}
		if diff := cmp.Diff(want.Response, ranks(response)); diff != "" {
			t.Error("response:", diff)
		}
		if late != want.Late {
			t.Errorf("%d late sends, want %d", late, want.Late)
		}
		if c := b.recorder.started[3]; c.Arrival != at(30*ms) || c.Start != at(30*ms) {
			t.Errorf("conversation 3: %+v", c)
		}
	})
}
