package metrics

import (
	"bytes"
	"testing"

	"paceline/core/sample"
)

// blend is a run of two users: red with recorded history and cached prompts, blue with live ones and a failure.
func blend() *run {
	r := newRun(Config{Window: All, Users: 2, Workloads: []Mixed{{Name: "blue", LiveHistory: true}, {Name: "red"}}})
	r.Measure = 0
	play := func(workload string, user uint32, start float64, last sample.Outcome) {
		state := sample.Complete
		if last != sample.OK {
			state = sample.Failed
		}
		id := r.conv(user, start, start+400, state)
		id.Workload, id.Trajectory = workload, "t"
		r.Conversations[len(r.Conversations)-1].ID = id
		for i, outcome := range []sample.Outcome{sample.OK, last} {
			at := start + 200*float64(i)
			s := r.turn(id, outcome, at, at+200, 10, content(at+50, at+100, at+150)...)
			cached := uint64(50)
			s.Answer.Usage.CachedTokens = &cached
			s.Answer.Usage.PromptTokens = uint64(100 * (i + 1))
		}
	}
	play("red", 0, 0, sample.OK)
	play("blue", 1, 0, sample.OK)
	play("red", 0, 400, sample.OK)
	play("blue", 1, 400, sample.Timeout)
	return r
}

func TestWorkloadsOfAMix(t *testing.T) {
	r := blend()
	m := Compute(&r.Input)
	if len(m.Workloads) != 2 || m.Workloads[0].Name != "blue" || m.Workloads[1].Name != "red" {
		t.Fatalf("workloads %+v", m.Workloads)
	}
	blue, red := &m.Workloads[0], &m.Workloads[1]
	if blue.Failures.OK != 3 || blue.Failures.Failed != 1 || red.Failures.OK != 4 || red.Failures.Started != 2 {
		t.Errorf("blue %+v, red %+v", blue.Failures, red.Failures)
	}
	if n := blue.Throughput.TokensInside + red.Throughput.TokensInside; n != m.Throughput.TokensInside || n != 70 {
		t.Errorf("%d tokens in both, %d in all", n, m.Throughput.TokensInside)
	}
	if blue.Turns.Latency.Count+red.Turns.Latency.Count != m.Turns.Latency.Count || red.Trajectories.Completed != 2 || blue.Trajectories.Completed != 1 {
		t.Errorf("blue %d, red %d turns", blue.Turns.Latency.Count, red.Turns.Latency.Count)
	}
	// Users are shared: rates per user add up to that of the whole, and each workload had one user at a time.
	wantNum(t, "jobs per user", red.Trajectories.JobsUser.Value.String(), share(red.Trajectories.JobsHour, 2).Value.String())
	wantNum(t, "users active", red.Concurrency.UsersActive.Value.String(), "0.999999999")
	// Live history sends the answer of ten tokens back, recorded history does not.
	if red.Cache.EligibleTokens != 200 || blue.Cache.EligibleTokens != 110 || m.Cache.EligibleTokens != 310 {
		t.Errorf("eligible: red %d, blue %d, both %d", red.Cache.EligibleTokens, blue.Cache.EligibleTokens, m.Cache.EligibleTokens)
	}
	if red.Cache.History != "recorded" || blue.Cache.History != "live" || m.Cache.History != "mixed" || m.Rules.History != "mixed" {
		t.Errorf("histories %s, %s, %s", red.Cache.History, blue.Cache.History, m.Cache.History)
	}
	if m.Trie.Eligible.Reason == recordedHistory {
		t.Error("the live workload has no eligible hit rate")
	}
}

// TestComputeOf: all workloads together are the run, one of them is what the run has of it, in the same windows.
func TestComputeOf(t *testing.T) {
	r := blend()
	whole := Compute(&r.Input)
	if !bytes.Equal(marshal(t, whole), marshal(t, ComputeOf(&r.Input, []string{"red", "blue"}))) {
		t.Error("all workloads give other metrics than the run")
	}
	red := ComputeOf(&r.Input, []string{"red"})
	if red.Window != whole.Window || red.Failures.Planned != 4 || red.Turns.Latency.Count != 4 || red.Workloads != nil {
		t.Errorf("window %+v, %d planned", red.Window, red.Failures.Planned)
	}
	if a, b := red.Turns.Latency.Mean, whole.Workloads[1].Turns.Latency.Mean; a != b {
		t.Errorf("mean latency %v and %v", a, b)
	}
	if none := ComputeOf(&r.Input, []string{"green"}); none.Failures.Planned != 0 || none.Status != StatusFailed {
		t.Errorf("of no workload: %+v", none.Failures)
	}
	r.Config.Workloads = nil
	if Compute(&r.Input).Workloads != nil {
		t.Error("one workload is split")
	}
}
