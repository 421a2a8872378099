package sched_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// nothing answers at once and records nothing.
type nothing struct{ epoch time.Time }

var answered = &chat.Answer{Message: []byte(plainAnswer)}

func (n nothing) Issue(_ context.Context, _ *chat.Request, x *sample.Exchange) {
	x.Timing.Sent = sample.At(n.epoch, time.Now())
	x.Outcome, x.Answer, x.Timing.Done = sample.OK, answered, x.Timing.Sent
}
func (nothing) PlannedIn(string, *trajectory.Trajectory, uint32)                  {}
func (nothing) Started(*sample.Conversation)                                      {}
func (nothing) Sent(sample.ID, sample.Offset, int64)                              {}
func (nothing) Sampled(*sample.Sample)                                            {}
func (nothing) Stepped(sample.ID, *trajectory.Step, sample.Offset, sample.Offset) {}
func (nothing) Ended(*sample.Conversation)                                        {}
func (nothing) Phase(sample.Phase, sample.Offset)                                 {}
func (n nothing) run(t testing.TB, list []*trajectory.Trajectory, c sched.Config) sched.Result {
	t.Helper()
	c.Workload = "test/list"
	c.Info.Trajectories = uint64(len(list))
	result, err := sched.Run(t.Context(), sched.Needs{Source: &source{list: list}, Issuer: n, Recorder: n}, c, n.epoch)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestTurnAllocates holds the ceiling for one turn of the hot path: its sample, its request with the list of fragments,
// its context with timer, and the growth of the history.
func TestTurnAllocates(t *testing.T) {
	const turns = 400
	runOf := func(n int) float64 {
		list := []*trajectory.Trajectory{talk("a", make([]time.Duration, n)...)}
		b := nothing{time.Now()}
		return testing.AllocsPerRun(5, func() { b.run(t, list, sched.Config{}) })
	}
	const ceiling = 10
	if n := (runOf(2*turns) - runOf(turns)) / turns; n > ceiling {
		t.Errorf("%.1f allocations for a turn, ceiling %d", n, ceiling)
	} else {
		t.Logf("%.1f allocations for a turn", n)
	}
}

// BenchmarkTurn is a turn of a conversation of 50, without target and journal.
func BenchmarkTurn(b *testing.B) {
	const turns = 50
	list := talks(1, turns)
	b.ReportAllocs()
	nothing{time.Now()}.run(b, list, sched.Config{Budget: uint64(b.N/turns) + 1, Info: trajectory.Info{Fixed: true}})
}

// BenchmarkBranchedTurn is a turn of a conversation of 50 in which eight branches of six turns each join again.
func BenchmarkBranchedTurn(b *testing.B) {
	const turns = 50
	list := talks(1, turns)
	waits := []uint32{0}
	for i := 1; i < turns-1; i++ {
		list[0].Turns[i].Branch = uint32(1 + i%8)
		if i > turns-10 {
			waits = append(waits, uint32(i))
		}
	}
	list[0].Turns[turns-1].After = &waits
	b.ReportAllocs()
	nothing{time.Now()}.run(b, list, sched.Config{Budget: uint64(b.N/turns) + 1, Info: trajectory.Info{Fixed: true}})
}

// BenchmarkLateness tells how late turns are sent after tool delays on an otherwise idle machine.
func BenchmarkLateness(b *testing.B) {
	epoch := time.Now()
	target := &issuer{epoch: epoch, serve: func(_ context.Context, c *call) { c.answer(plainAnswer) }}
	rec := &recorder{}
	list := []*trajectory.Trajectory{talk("a", slices.Repeat([]time.Duration{5300 * time.Microsecond}, 100)...)}
	_, err := sched.Run(b.Context(), sched.Needs{Source: &source{list: list}, Issuer: target, Recorder: rec},
		sched.Config{Workload: "w", Budget: uint64(b.N/100) + 1}, epoch)
	if err != nil {
		b.Fatal(err)
	}
	var late []float64
	for _, s := range rec.samples {
		late = append(late, float64(s.Timing.Sent-s.Timing.Due)/1e3)
	}
	slices.Sort(late)
	b.ReportMetric(late[len(late)/2], "p50-us")
	b.ReportMetric(late[len(late)*99/100], "p99-us")
}

// TestManyUsers shows that a thousand users start at one instant and keep in step.
func TestManyUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(1000, 3), serve: steady(100*ms, 100*ms)}
		for _, tr := range b.list {
			tr.Turns[1].Delay = 50 * ms
		}
		b.Users, b.Info.Fixed, b.Budget = users(1000), true, 2000
		result := b.must(t)
		if b.took != 1300*ms || result.Counts.TurnsOK != 6000 || result.Counts.ClientNanos != 0 || result.Counts.PlanWaits != 0 {
			t.Errorf("after %v: %+v", b.took, result.Counts)
		}
	})
}
