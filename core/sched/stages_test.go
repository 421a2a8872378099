package sched_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/load"
	"paceline/core/sample"
)

// TestUsersChange plays a load that begins with one user, has three from 10 s on, and one again from 20 s on: users that are no
// longer asked for finish their conversation first.
func TestUsersChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(50, 2), serve: steady(500*ms, 0)}
		b.Users = load.Staged([]load.Stage{{Level: 1, For: 10 * time.Second}, {Level: 3, For: 10 * time.Second}, {Level: 1, For: 10 * time.Second}})
		b.Duration, b.Budget = 30*time.Second, load.Endless
		b.must(t)
		busy := map[uint32]int{}
		for _, s := range b.recorder.samples {
			if s.Timing.Sent == sample.Unset {
				continue
			}
			busy[s.ID.User]++
			if from, to := at(10*time.Second), at(20500*ms); s.ID.User > 0 && (s.Timing.Sent < from || s.Timing.Done > to) {
				t.Errorf("user %d: a turn from %v to %v", s.ID.User, time.Duration(s.Timing.Sent), time.Duration(s.Timing.Done))
			}
		}
		if busy[0] < 59 || busy[1] != 20 || busy[2] != 20 || len(busy) != 3 {
			t.Errorf("turns of users: %v", busy)
		}
	})
}

// TestRampOfUsers begins with nobody.
func TestRampOfUsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(200, 1), serve: steady(time.Second, 0)}
		b.Users = load.Staged([]load.Stage{{Level: 4, For: 40 * time.Second, Ramp: true}})
		b.Duration, b.Budget = 60*time.Second, load.Endless
		b.must(t)
		first := map[uint32]time.Duration{}
		for _, s := range b.recorder.samples {
			if _, seen := first[s.ID.User]; !seen && s.Timing.Sent != sample.Unset {
				first[s.ID.User] = time.Duration(s.Timing.Sent)
			}
		}
		for u := range uint32(4) {
			if want := time.Duration(u+1) * 10 * time.Second; first[u] != want {
				t.Errorf("user %d began at %v, want %v", u, first[u], want)
			}
		}
	})
}

// TestDrawnArrivals plays an open load without end until its time is over.
func TestDrawnArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bench{list: talks(3, 1), serve: steady(100*ms, 0)}
		b.Users, b.Arrivals = users(20), load.Drawn(load.Poisson(), []load.Stage{{Level: 5, For: time.Minute}}, 3)
		b.Duration, b.Budget = time.Minute, load.Endless
		b.must(t)
		if n := len(b.recorder.samples); n < 260 || n > 340 {
			t.Errorf("%d arrivals at 5 a second in a minute", n)
		}
		for _, s := range b.recorder.samples {
			if s.Timing.Sent != s.Timing.Due && s.Timing.Sent != sample.Unset {
				t.Errorf("due at %v, sent at %v", s.Timing.Due, s.Timing.Sent)
			}
		}
	})
}

// TestStallShowsInResponseTimes stops a target for two seconds under an open load with one slot: who came meanwhile waited, and
// few requests were sent into the stall.
func TestStallShowsInResponseTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stall, over := at(5*time.Second), at(7*time.Second)
		b := bench{list: talks(1, 1), serve: func(ctx context.Context, c *call) {
			wait := time.Millisecond
			if now := c.now(); now >= stall && now < over {
				wait += time.Duration(over - now)
			}
			c.sleep(ctx, wait)
			c.answer(`{"role":"assistant","content":"x"}`)
		}}
		b.Users, b.Arrivals = users(1), load.Drawn(load.Equal(), []load.Stage{{Level: 100, For: time.Second}}, 1)
		b.Budget = 1000
		b.must(t)
		var service, response []time.Duration
		for _, s := range b.recorder.samples {
			service = append(service, time.Duration(s.Timing.Done-s.Timing.Sent))
			response = append(response, time.Duration(s.Timing.Done-s.Timing.Due))
		}
		slices.Sort(service)
		slices.Sort(response)
		if len(service) != 1000 || service[989] > 2*time.Millisecond || service[999] < 1900*time.Millisecond || response[989] < 1800*time.Millisecond {
			t.Errorf("p99 of service %v, of response %v; longest service %v", service[989], response[989], service[999])
		}
	})
}
