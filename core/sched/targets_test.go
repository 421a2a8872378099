package sched_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/load"
	"paceline/core/sample"
	"paceline/core/sched"
	"paceline/core/trajectory"
)

// several plays twelve conversations of four turns, every third of them with two parallel branches, at several targets.
func several(t *testing.T, seed uint64, users int, targets []sched.Target, serve ...func(context.Context, *call)) (*recorder, []*issuer) {
	t.Helper()
	list := talks(12, 4)
	for i := 0; i < len(list); i += 3 {
		zero := []uint32{0}
		list[i].Turns[1].After, list[i].Turns[1].Branch = &zero, 1
		list[i].Turns[2].After, list[i].Turns[2].Branch = &zero, 2
		list[i].Turns[3].After = &[]uint32{1, 2}
	}
	epoch := time.Now()
	rec := &recorder{}
	var issuers []*issuer
	need := sched.Needs{Source: &source{list: list}, Recorder: rec}
	for _, s := range serve {
		i := &issuer{epoch: epoch, serve: s}
		issuers, need.Targets = append(issuers, i), append(need.Targets, sched.Asked{Issuer: i})
	}
	_, err := sched.Run(t.Context(), need, sched.Config{
		Workload: "w", Info: trajectory.Info{Trajectories: 12}, Users: load.Constant(users), Seed: seed, Targets: targets,
	}, epoch)
	if err != nil {
		t.Fatal(err)
	}
	return rec, issuers
}

// bound maps each conversation to its target, from the records of its start.
func (r *recorder) bound() map[string]string {
	m := map[string]string{}
	for _, c := range r.started {
		m[c.Trajectory] = c.Target
	}
	return m
}

// TestTargetsAreSticky: every turn of a conversation, branches too, asks the target that its record names, and the targets have
// their shares.
func TestTargetsAreSticky(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		targets := []sched.Target{{Name: "a", Weight: 2}, {Name: "b", Weight: 1}}
		rec, issuers := several(t, 7, 3, targets, steady(10*ms, 0), steady(25*ms, 0))
		bound, asked := rec.bound(), 0
		for i, is := range issuers {
			for _, body := range is.bodies {
				id, _, _ := strings.Cut(strings.SplitN(body, `"content":"`, 2)[1], " ")
				if asked++; bound[id] != targets[i].Name {
					t.Errorf("%s is of target %s and asked %s", id, bound[id], targets[i].Name)
				}
			}
		}
		shares := map[string]int{}
		for _, c := range rec.ended {
			if shares[c.Target]++; c.State != sample.Complete || c.Target != bound[c.Trajectory] {
				t.Errorf("%s ends %s at %s", c.Trajectory, c.State, c.Target)
			}
		}
		if asked != 48 || shares["a"] != 8 || shares["b"] != 4 {
			t.Errorf("%d requests; conversations by target %v", asked, shares)
		}
	})
}

// TestTargetsFollowTheSeed: neither the number of users nor who is faster changes which conversation is whose.
func TestTargetsFollowTheSeed(t *testing.T) {
	dealt := func(seed uint64, users int, waits ...time.Duration) (text string) {
		synctest.Test(t, func(t *testing.T) {
			rec, _ := several(t, seed, users, []sched.Target{{Name: "a"}, {Name: "b"}}, steady(waits[0], 0), steady(waits[1], 0))
			text = fmt.Sprint(rec.bound())
		})
		return text
	}
	one := dealt(7, 1, 10*ms, 10*ms)
	if dealt(7, 5, 10*ms, 10*ms) != one || dealt(7, 3, ms, 90*ms) != one {
		t.Error("one seed deals differently under another load")
	}
	if dealt(8, 1, 10*ms, 10*ms) == one {
		t.Error("the seed does not matter")
	}
}

// TestDeadTarget: its own conversations fail there, and no other target gets them.
func TestDeadTarget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dead := func(_ context.Context, c *call) { c.fail(sample.ConnectRefused) }
		rec, issuers := several(t, 7, 3, []sched.Target{{Name: "a"}, {Name: "b"}}, steady(10*ms, 0), dead)
		if len(issuers[0].bodies) != 24 || len(issuers[1].bodies) != 6 {
			t.Errorf("%d and %d requests", len(issuers[0].bodies), len(issuers[1].bodies))
		}
		for _, c := range rec.ended {
			if want := map[string]sample.State{"a": sample.Complete, "b": sample.Failed}[c.Target]; c.State != want {
				t.Errorf("%s at %s: %s", c.Trajectory, c.Target, c.State)
			}
		}
	})
}

func TestTargetsAreChecked(t *testing.T) {
	c := sched.Config{Workload: "w", Info: trajectory.Info{Trajectories: 1}, Users: load.Constant(1)}
	for _, list := range [][]sched.Target{{{Name: "a"}, {Name: "a"}}, {{Name: ""}}, {{Name: "a", Weight: load.MaxTargetWeight + 1}}} {
		c.Targets = list
		if c.Check() == nil {
			t.Errorf("%+v pass", list)
		}
	}
	c.Targets = []sched.Target{{Name: "a"}, {Name: "b"}}
	if _, err := sched.Run(t.Context(), sched.Needs{Source: &source{}, Issuer: &issuer{}, Recorder: &recorder{}}, c, time.Now()); err == nil {
		t.Error("two targets share one issuer")
	}
}
