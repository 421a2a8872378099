package sched_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

func TestPlanFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(4, 2), serve: steady(100*ms, 0), source: &source{fail: func(index uint64, _ int) error {
			if index == 2 {
				return errBroken
			}
			return nil
		}}}
		result := b.must(t)
		if diff := cmp.Diff(map[uint64]int{0: 1, 1: 1, 2: 1, 3: 1}, b.source.calls); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[sample.State]int{sample.Complete: 3, sample.Broken: 1}, b.recorder.states()); diff != "" {
			t.Error(diff)
		}
		var failed *sched.PlanError
		if result.Valid() || len(result.Invalid) != 1 || !errors.As(result.Invalid[0], &failed) || failed.Index != 2 || !errors.Is(failed, errBroken) {
			t.Errorf("invalid: %v", result.Invalid)
		}
		if result.Reason != sched.ReasonComplete || result.Counts.Broken != 1 {
			t.Errorf("result %+v", result)
		}
	})
}

func TestGivesUpWhenNothingCanBePlanned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(1, 1), serve: steady(0, 0), source: &source{fail: func(uint64, int) error { return errBroken }}}
		b.Users, b.Budget, b.Duration = users(3), load.Endless, time.Hour
		result := b.must(t)
		if result.Reason != sched.ReasonFailed || result.Cause == "" || result.Faults < 100 || len(result.Invalid) != 20 {
			t.Errorf("%d faults, %d listed, reason %s: %s", result.Faults, len(result.Invalid), result.Reason, result.Cause)
		}
	})
}

func TestRefusedBeforeTheLoad(t *testing.T) {
	tests := []struct {
		name string
		edit func(*trajectory.Trajectory)
	}{
		{"an answer in an answer", func(t *trajectory.Trajectory) { recordsAnswer(&t.Turns[1]) }},
		{"parameter of the runner", func(t *trajectory.Trajectory) { t.Turns[0].Params = json.RawMessage(`{"stream":true}`) }},
		{"no turns", func(t *trajectory.Trajectory) { t.Turns = nil }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := bench{list: talks(3, 2), serve: steady(0, 0)}
				tt.edit(b.list[2])
				_, err := b.run(t)
				var refused *sched.RefusedError
				if !errors.As(err, &refused) || refused.Trajectory != "t2" || len(b.issuer.bodies) != 0 {
					t.Errorf("%d requests, error %v", len(b.issuer.bodies), err)
				}
				var features *trajectory.UnplayableError
				if tt.name == "an answer in an answer" && (!errors.As(err, &features) || features.Features[0] != trajectory.Feature{Name: "answer_of_turn", Turn: 1}) {
					t.Errorf("error %v", err)
				}
			})
		})
	}
}

// recordsAnswer makes a turn's recorded answer hold that of turn 0, which is refused.
func recordsAnswer(t *trajectory.Turn) {
	t.Recorded = &trajectory.Message{Composed: &trajectory.Composed{Role: "assistant", Pieces: []trajectory.Piece{{AnswerOfTurn: new(uint32)}}}}
}

func TestRefusedLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(12, 2), serve: steady(100*ms, 0)}
		recordsAnswer(&b.list[10].Turns[1])
		result := b.must(t)
		if got := b.recorder.outcomes(); got["ok"] != 22 || got["not_sent plugin_error"] != 2 {
			t.Errorf("outcomes %v", got)
		}
		if b.recorder.states()[sample.Broken] != 1 || result.Faults != 1 {
			t.Errorf("states %v, %d faults", b.recorder.states(), result.Faults)
		}
	})
}

func TestPreparationIsReportedApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(20, 1), serve: steady(100*ms, 0), source: &source{delay: time.Second}}
		b.Users = users(2)
		result := b.must(t)
		// Eight plans ahead, two at a time.
		if result.Prepared != 4*time.Second || result.Start != at(4*time.Second) || b.recorder.samples[0].Timing.Due != result.Start {
			t.Errorf("prepared in %v, started at %v", result.Prepared, time.Duration(result.Start))
		}
	})
}

func TestPlanWaitsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(10, 1), serve: steady(100*ms, 0), source: &source{delay: time.Second}}
		b.Prefetch.Depth, b.Prefetch.Planners = 1, 1
		result := b.must(t)
		// Every plan but the first is begun when the one before it is taken, and takes 900 ms more than its turn.
		if n := result.Counts; n.PlanWaits != 9 || n.PlanWaitNanos != int64(9*900*ms) || n.ClientNanos != int64(9*900*ms) {
			t.Errorf("counts %+v", n)
		}
	})
}

func TestPrefetchIsBoundInBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(30, 1), source: &source{}}
		size := b.list[0].Size()
		most := 0
		b.serve = func(ctx context.Context, c *call) {
			c.sleep(ctx, 50*ms) // until the planners have done what they may
			b.source.mu.Lock()
			ahead := -int(b.progress.Counts().Started)
			for _, n := range b.source.calls {
				ahead += n
			}
			most = max(most, ahead)
			b.source.mu.Unlock()
			steady(50*ms, 0)(ctx, c)
		}
		b.Users, b.Prefetch.Bytes = users(2), 3*size
		b.Prefetch.Depth, b.Prefetch.Planners = 20, 1
		b.must(t)
		if len(b.recorder.samples) != 30 || most > 3 {
			t.Errorf("%d turns, %d plans ahead", len(b.recorder.samples), most)
		}
	})
}

func TestShuffleDependsOnTheSeedAlone(t *testing.T) {
	order := func(seed uint64) (list []string) {
		synctest.Test(t, func(t *testing.T) {
			b := bench{list: talks(20, 1), serve: steady(ms, 0)}
			b.Shuffle, b.Seed, b.Budget = true, seed, 40
			b.must(t)
			for _, c := range b.recorder.started {
				list = append(list, c.Trajectory)
			}
		})
		return list
	}
	one, again, other := order(1), order(1), order(2)
	if !slices.Equal(one, again) || slices.Equal(one, other) || slices.Equal(one[:20], one[20:]) {
		t.Errorf("orders %v, %v, %v", one, again, other)
	}
}
