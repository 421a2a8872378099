package metrics

import (
	"testing"

	"paceline/core/sample"
	"paceline/core/stats"
)

// delegated is the agent of docs/branches.md: three sub-agents of two turns each; the main line goes on 50 ms after the
// slowest. The user has a second, plain conversation.
func delegated() *run {
	r := newRun(Config{Users: 2, Window: All})
	r.Measure = at(0)
	id := r.conv(0, 0, 770, sample.Complete)
	for i, t := range []struct {
		branch     uint32
		sent, done float64
		waits      []uint32
	}{
		{0, 0, 100, nil},
		{1, 110, 210, []uint32{0}}, {2, 120, 220, []uint32{0}}, {3, 130, 230, []uint32{0}},
		{1, 210, 310, nil}, {2, 220, 620, nil}, {3, 230, 330, nil},
		{0, 670, 770, []uint32{0, 4, 5, 6}},
	} {
		s := r.turn(id, sample.OK, t.sent, t.done, 10, content(t.sent+10, t.done-10)...)
		s.Branch, s.Waits = t.branch, t.waits
		if i == 1 || i == 2 {
			s.ForkOf = ptr(uint32(0))
		}
	}
	r.turn(r.conv(1, 0, 1000, sample.Complete), sample.OK, 0, 1000, 10, content(10, 990)...)
	return r
}

func TestBranching(t *testing.T) {
	m := Compute(&delegated().Input)
	b := m.Branching
	if b == nil || b.Completed != 1 || b.Fans != 1 || b.Peak != 4 {
		t.Fatalf("branching %+v", b)
	}
	for name, v := range map[string]struct {
		got  stats.Num
		want string
	}{
		"branches":       {b.Branches.Max, "3"},
		"width":          {b.Width.Max, "3"},
		"fan":            {b.Span.Max, "520"},          // from the end of turn 0, 100, to that of turn 5, 620
		"straggler":      {b.Straggler.Max, "310"},     // turn 4 ends at 310
		"path":           {b.PathTurns.Max, "4"},       // turns 0, 2, 5, 7
		"path engine":    {b.PathEngine.Max, "700"},    // 100 + 100 + 400 + 100
		"parallelism":    {b.Parallel.Max, "1.549296"}, // 1,100 ms of turns in 710 ms
		"in flight":      {b.InFlight.Value, "2.1"},    // 2,100 ms of turns in 1,000 ms
		"latency":        {m.Trajectories.Latency.Min, "770"},
		"engine":         {m.Trajectories.Engine.Min, "710"}, // 0 to 100, 110 to 620, 670 to 770: less two delays
		"users active":   {m.Concurrency.UsersActive.Value, "1.77"},
		"cache eligible": {stats.Of(float64(m.Cache.EligibleTokens)), "600"}, // of 9 turns of 100 prompt tokens, 3 begin a history
	} {
		wantNum(t, name, v.got.String(), v.want)
	}
}

func TestFansOfFirstTurns(t *testing.T) {
	r := newRun(Config{Window: All})
	id := r.conv(0, 0, 500, sample.Complete)
	for _, s := range []struct {
		branch     uint32
		sent, done float64
		waits      []uint32
	}{
		{0, 0, 100, nil}, {1, 100, 200, []uint32{0}}, {2, 0, 300, nil},
		{3, 200, 400, []uint32{1}},    // goes on from one branch: no fan
		{4, 300, 500, []uint32{1, 2}}, // joins two, with a history of its own
	} {
		x := r.turn(id, sample.OK, s.sent, s.done, 1, content(s.done)...)
		x.Branch, x.Waits = s.branch, s.waits
	}
	b := Compute(&r.Input).Branching
	// Branch 2 waits for nothing, so the fan opens with its Due.
	if b.Fans != 1 || b.Width.Max.String() != "2" || b.Span.Max.String() != "300" || b.Straggler.Max.String() != "100" {
		t.Errorf("%d fans, width %v, span %v, straggler %v", b.Fans, b.Width.Max, b.Span.Max, b.Straggler.Max)
	}
	if m := Compute(&windowed().Input); m.Branching != nil {
		t.Errorf("a plain run has %+v", m.Branching)
	}
}
