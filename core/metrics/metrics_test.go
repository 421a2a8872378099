package metrics

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/trajectory"
	"paceline/core/verdict"
)

func ptr[T any](v T) *T { return &v }

// Two users, three conversations: the second to end finds nothing left.
func windowed() *run {
	r := newRun(Config{Users: 2})
	r.Measure, r.Drain = at(100), sample.Unset
	for _, c := range []struct {
		user       uint32
		start, end float64
	}{{0, 0, 400}, {1, 0, 900}, {0, 401, 1400}} {
		id := r.conv(c.user, c.start, c.end, sample.Complete)
		r.turn(id, sample.OK, c.start, c.end, 10, content(c.start+100, c.end-10)...)
	}
	return r
}

func TestWindows(t *testing.T) {
	want := map[string][2]float64{FirstIdle: {100, 900}, Steady: {100, 900}, Trim: {360.0000002, 1400.000001}, All: {100, 1400.000001}}
	all, chosen := Windows(&windowed().Input)
	if len(all) != 4 || chosen.Name != All {
		t.Fatalf("%d windows, chosen %s", len(all), chosen.Name)
	}
	for _, w := range all {
		if b := want[w.Name]; w.Open != at(b[0]) || w.Close != at(b[1]) {
			t.Errorf("%s: %d to %d, want %v ms", w.Name, w.Open, w.Close, b)
		}
	}
	// A time limit closes all but the widest.
	r := windowed()
	r.Drain, r.Stopped = at(700), true
	all, _ = Windows(&r.Input)
	for _, w := range all {
		if want := map[bool]sample.Offset{true: at(700), false: at(1400) + 1}[w.Name != All]; w.Close != want {
			t.Errorf("%s closes at %d, want %d", w.Name, w.Close, want)
		}
	}
	// One conversation fails at once while none is left to start: that closes
	// MLPerf's window, and the report shows it beside the others.
	r = newRun(Config{Users: 2, Window: FirstIdle})
	r.turn(r.conv(0, 0, 5, sample.Failed), sample.Status, 0, 5, -1)
	r.turn(r.conv(1, 0, 900, sample.Complete), sample.OK, 0, 900, 10, content(100, 890)...)
	m := Compute(&r.Input)
	wantNum(t, "close", m.Window.CloseMS.String(), "5")
	if m.Turns.Latency.Count != 0 || m.Windows[3].Latency.Count != 1 || m.MLPerf.Issued != 2 || m.MLPerf.Failed != 1 {
		t.Errorf("latencies %d and %d, mlperf %+v", m.Turns.Latency.Count, m.Windows[3].Latency.Count, m.MLPerf)
	}
}

// A user that never got a conversation does not count.
func TestSteadyWithoutSpareUsers(t *testing.T) {
	r := windowed()
	r.Users = 50
	all, _ := Windows(&r.Input)
	if all[1].Span() != int64(at(800)) {
		t.Errorf("steady window of %d ns", all[1].Span())
	}
}

func TestTrajectories(t *testing.T) {
	r := newRun(Config{Users: 1})
	id := r.conv(0, 0, 2000, sample.Complete)
	r.turn(id, sample.OK, 100, 400, 4, content(200, 230, 260, 290)...)
	r.turn(id, sample.OK, 900, 1500, 3, event{1000, chat.Reasoning, 0}, event{1100, chat.Content, 0}, event{1200, chat.Content, 0})
	failed := r.conv(0, 2000, 2300, sample.Failed)
	r.turn(failed, sample.OK, 2000, 2100, 2, content(2050, 2060)...)
	r.turn(failed, sample.Reset, 2100, 2300, -1)
	m := Compute(&r.Input)
	tr := m.Trajectories
	if tr.Completed != 1 {
		t.Errorf("%d completed", tr.Completed)
	}
	for what, c := range map[string][2]string{
		"latency": {tr.Latency.P50.String(), "1400"}, "engine": {tr.Engine.P50.String(), "900"},
		"ttfat": {tr.TTFAT.P50.String(), "1000"}, "trie.ttfat": {m.Trie.TTFAT.P50.String(), "900"},
		"first ttft": {tr.FirstTTFT.P50.String(), "100"},
		// 3 / 0.2 s and 2 / 0.5 s.
		"decode rate": {tr.DecodeRate.P50.String(), "9.5"},
		"jobs":        {tr.JobsHour.Value.String(), "1565.21739"},
	} {
		wantNum(t, what, c[0], c[1])
	}
	// Open loop: from Due.
	r.OpenLoop = true
	r.Samples[0].Timing.Due = at(40)
	wantNum(t, "ttfat", Compute(&r.Input).Trajectories.TTFAT.P50.String(), "1060")
}

func TestConcurrency(t *testing.T) {
	// Case 56: one user, answers of 200 ms, delays of 500 and 1,000 ms.
	r := newRun(Config{Users: 1})
	id := r.conv(0, 0, 2100, sample.Complete)
	for _, sent := range []float64{0, 700, 1900} {
		r.turn(id, sample.OK, sent, sent+200, 2, content(sent+100, sent+199)...)
	}
	r.Samples[2].DelayCut = 19 * time.Second
	m := Compute(&r.Input)
	wantNum(t, "in flight", m.Concurrency.InFlight.Value.String(), "0.285714286")
	wantNum(t, "active", m.Concurrency.UsersActive.Value.String(), "1")
	wantNum(t, "waiting", m.Concurrency.Waiting.Value.String(), "0.714285714")
	if m.Answers.DelaysCut != 1 || m.Answers.DelayCutMS.String() != "19000" {
		t.Errorf("%d delays cut by %v ms", m.Answers.DelaysCut, m.Answers.DelayCutMS)
	}
}

func TestCache(t *testing.T) {
	r := newRun(Config{CacheBlock: 16})
	id := r.conv(0, 0, 1000, sample.Complete)
	for i, c := range []struct{ prompt, cached uint64 }{{100, 0}, {300, 96}, {500, 304}} {
		s := r.turn(id, sample.OK, float64(i)*100, float64(i)*100+50, 20, content(float64(i)*100+10, float64(i)*100+40)...)
		s.Answer.Usage.PromptTokens, s.Answer.Usage.CachedTokens = c.prompt, ptr(c.cached)
	}
	m := Compute(&r.Input)
	wantNum(t, "measured", m.Cache.Measured.Value.String(), "0.444444444") // 400 of 900
	wantNum(t, "ideal", m.Cache.Ideal.Value.String(), "0.426666667")       // 96 + 288 of 900
	wantNum(t, "eligible", m.Cache.Eligible.Value.String(), "1.04166667")
	if m.Cache.FirstTurn != 0 || m.Trie.Eligible.Reason == "" {
		t.Errorf("cache %+v, trie %+v", m.Cache, m.Trie.Eligible)
	}
	r.LiveHistory = true
	m = Compute(&r.Input)
	wantNum(t, "trie", m.Trie.Eligible.Value.String(), "0.909090909") // 400 of 120 + 320
	wantNum(t, "live ideal", m.Cache.Ideal.Value.String(), "0.48")    // 112 + 320
	r.Samples[1].Answer.Usage.ReasoningTokens, r.StripThinking = ptr(uint64(5)), true
	wantNum(t, "stripped", Compute(&r.Input).Cache.Ideal.Value.String(), "0.444444444") // 112 + 288
	r.Samples[0].Answer.Usage.CachedTokens = ptr(uint64(64))
	if got := Compute(&r.Input).Cache.FirstTurn; got != 1 {
		t.Errorf("%d first turns with cached tokens", got)
	}
}

func TestGoodput(t *testing.T) {
	r := newRun(Config{Objectives: []Objective{
		{ObjTTFT, 50 * time.Millisecond}, {ObjTPOT, 20 * time.Millisecond}, {ObjTrajectoryLatency, time.Second},
	}})
	good, bad := r.conv(0, 0, 400, sample.Complete), r.conv(1, 0, 500, sample.Failed)
	r.turn(good, sample.OK, 0, 100, 2, content(50, 70)...)
	r.turn(good, sample.OK, 200, 300, 1, content(250)...)
	r.turn(bad, sample.OK, 0, 100, 2, content(51, 60)...)
	r.turn(bad, sample.Timeout, 200, 500, -1)
	never := r.turn(bad, sample.NotSent, 0, 0, -1)
	never.Timing, never.Cause = sample.NoTiming(), sample.CausePriorFailure
	g := Compute(&r.Input).Goodput
	if g.Turns.Met != 2 || g.Turns.Of != 5 || g.Trajectories.Met != 1 || g.Trajectories.Of != 2 {
		t.Errorf("goodput %+v", g)
	}
	wantNum(t, "share", g.Turns.Share.Value.String(), "0.4")
	if none := Compute(&newRun(Config{}).Input).Goodput; none.Turns.Share.Reason != NoObjectives {
		t.Errorf("goodput without objectives %+v", none)
	}
}

func TestGroups(t *testing.T) {
	r := newRun(Config{InputBands: []int64{100, 1000}})
	for i, prompt := range []uint64{50, 100, 999, 1000} {
		id := r.conv(uint32(i), 0, 100, sample.Complete)
		c := &r.Conversations[i]
		c.Domain, c.Labels = []string{"coding", ""}[i%2], []trajectory.Label{{Key: "k", Value: "v"}}
		r.turn(id, sample.OK, 0, 100, 2, content(50, 60)...).Answer.Usage.PromptTokens = prompt
	}
	g := Compute(&r.Input).Groups
	names := func(list []Group) (out []string) {
		for _, x := range list {
			out = append(out, x.Name)
		}
		return out
	}
	if got := names(g.Input); !slices.Equal(got, []string{"<100", "100-999", ">=1000"}) || g.Input[1].OK != 2 {
		t.Errorf("input bands %v", got)
	}
	if got := names(g.Domain); !slices.Equal(got, []string{"coding", "none"}) {
		t.Errorf("domains %v", got)
	}
	if len(g.Label) != 1 || g.Label[0].Name != "k=v" || g.Label[0].Latency.Count != 4 || len(g.Position) != 1 {
		t.Errorf("labels %v, positions %v", g.Label, names(g.Position))
	}
	for n, want := range map[int]string{1: "1", 3: "3", 4: "4-7", 7: "4-7", 8: "8-15", 100: "64-127"} {
		if got, _ := positionBand(n); got != want {
			t.Errorf("position %d in band %s, want %s", n, got, want)
		}
	}
}

func TestHonesty(t *testing.T) {
	r := single(2, 201, content(100, 200)...)
	r.Samples[0].Timing.Due = at(0)
	r.Samples[0].Timing.Sent = at(30)
	r.Samples[0].Timing.ConnectStart, r.Samples[0].Timing.ConnectDone = at(0), at(29.5)
	h := Compute(&r.Input).Honesty
	wantNum(t, "schedule error", h.ScheduleError.P99.String(), "0.5")
	wantNum(t, "connecting", h.Connecting.Max.String(), "29.5")
	wantNum(t, "bound", h.BoundMS.String(), "1")
	if h.State != Honest || h.Self.ClientMSPerTurn.Reason == "" {
		t.Errorf("honesty %+v", h)
	}
	r.Samples[0].Timing.ConnectDone = at(20)
	if h := Compute(&r.Input).Honesty; h.State != Disturbed || len(h.Reasons) != 1 {
		t.Errorf("honesty %+v", h)
	}
	r.Honesty.Refuse = true
	if h := Compute(&r.Input).Honesty; h.State != Invalid {
		t.Errorf("honesty %+v", h)
	}
	r.Honesty.Least, r.Lost = 20*time.Millisecond, 3
	r.SelfChecks = []sample.SelfCheck{
		{At: 0, CPUNanos: 1e6}, {At: at(100), CPUNanos: 11e6, Turns: 4, ClientNanos: 8e6, GCPauseMaxNanos: 5e5, Users: 1, Asked: 2},
	}
	h = Compute(&r.Input).Honesty
	if h.State != Invalid || len(h.Reasons) != 1 || h.Lost != 3 {
		t.Errorf("honesty %+v", h)
	}
	wantNum(t, "client per turn", h.Self.ClientMSPerTurn.Value.String(), "2")
	wantNum(t, "cpu share", h.Self.CPUShare.Value.String(), "0.1")
	wantNum(t, "gc", h.Self.GCPauseMaxMS.Value.String(), "0.5")
}

func TestCounter(t *testing.T) {
	r := single(-1, 201, content(100, 150, 200)...)
	r.Counts = []verdict.Count{{Output: ptr(uint64(5)), Input: ptr(uint64(7)), FirstChunk: ptr(uint64(2)), AfterFirstChunk: ptr(uint64(4))}}
	m := Compute(&r.Input)
	if m.Tokens.Source != SourceCounter || m.Tokens.Counter != 1 {
		t.Errorf("tokens %+v", m.Tokens)
	}
	wantNum(t, "tpot", m.Turns.TPOT.P50.String(), "33.3333333") // 100 ms over 5 - 2
	wantNum(t, "mlperf.tpot", m.MLPerf.TPOT.P50.String(), "25.25")
	r.Samples[0].Answer.Usage = chat.Usage{Reported: true, PromptTokens: 9, CompletionTokens: 3}
	m = Compute(&r.Input)
	wantNum(t, "usage wins", m.Tokens.Output.Value.String(), "3")
	wantNum(t, "mlperf.tpot by usage alone", m.MLPerf.TPOT.P50.String(), "50.5") // 101 ms over 3 - 1
	r.CounterFirst = true
	m = Compute(&r.Input)
	wantNum(t, "counter wins", m.Tokens.Output.Value.String(), "5")
	wantNum(t, "mlperf.tpot by the counter", m.MLPerf.TPOT.P50.String(), "25.25")
}

// Whatever the borders, every token is in exactly one of adjoining windows, and
// in the one that a walk over all instants gives.
func TestTokensOfWindowsAddUp(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 3000 {
		n := 1 + r.IntN(40)
		first := sample.Offset(r.Int64N(1000))
		last := first + sample.Offset(r.Int64N(1000)*r.Int64N(2))
		mid := sample.Offset(r.Int64N(2100))
		in := spread(Window{"", 0, mid}, first, last, int64(n))
		if out := spread(Window{"", mid, 5000}, first, last, int64(n)); in+out != int64(n) {
			t.Fatalf("%d and %d of %d", in, out, n)
		}
		walked := int64(0)
		for i := range n {
			if n == 1 || int64(first)*int64(n-1)+int64(i)*int64(last-first) < int64(mid)*int64(n-1) {
				if n > 1 || first < mid {
					walked++
				}
			}
		}
		if in != walked {
			t.Fatalf("%d tokens from %d to %d before %d: %d, want %d", n, first, last, mid, in, walked)
		}
	}
}

// The server's tokens per chunk place them exactly; what its total has beyond
// them comes last.
func TestToldTokensArriveWithTheirChunk(t *testing.T) {
	r := single(10, 301, event{100, chat.Content, 1}, event{200, chat.Content, 6}, event{300, chat.Content, 2})
	turn := join(&r.Input).turns[0]
	for _, c := range []struct {
		open, close float64
		want        int64
	}{{0, 100, 0}, {0, 101, 1}, {101, 300, 6}, {200, 301, 9}, {0, 1000, 10}} {
		if got := turn.tokensIn(Window{"", at(c.open), at(c.close)}); got != c.want {
			t.Errorf("%d tokens in [%v, %v), want %d", got, c.open, c.close, c.want)
		}
	}
	// Not streamed: all at once, when the answer was there.
	s := single(10, 301)
	s.Samples[0].Answer.Message = []byte(`{"content":"x"}`)
	m := Compute(&s.Input)
	if m.Windows[3].TokensInside != 10 || m.Turns.TTFT.Reason != NotStreamed || m.Turns.TPOT.Reason != NotStreamed {
		t.Errorf("inside %d, ttft %+v", m.Windows[3].TokensInside, m.Turns.TTFT)
	}
}

func TestSameInputSameBytes(t *testing.T) {
	r := windowed()
	first := marshal(t, Compute(&r.Input))
	for range 20 {
		if !bytes.Equal(first, marshal(t, Compute(&r.Input))) {
			t.Fatal("equal input, other bytes")
		}
	}
}
