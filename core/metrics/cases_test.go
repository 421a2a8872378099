package metrics

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paceline/core/chat"
	"paceline/core/sample"
	"paceline/core/stats"
)

// The stream cases, at the level of samples: what each figure is for the
// instants that the case gives.
func TestStreamCases(t *testing.T) {
	told := func(ms float64, n int) event { return event{ms, chat.Content, n} }
	tool := func(ms float64) event { return event{ms, chat.Tool, 0} }
	think := func(ms float64) event { return event{ms, chat.Reasoning, 0} }
	for _, c := range []struct {
		name                    string
		run                     *run
		ttft, answer, tpot, gap string // gap: mean
		itl                     string // mean
		gaps                    int
		output                  string
	}{
		{"04", single(10, 121, content(120, 120, 120, 120, 120, 120, 120, 120, 120, 120)...), "120", "120", "0", "0", "0", 9, "10"},
		{"14", single(3, 251, content(210, 230, 250)...), "210", "210", "20", "20", "20", 2, "3"},
		{"15a", single(7, 321, think(100), think(120), think(140), think(160), think(180), event{300, chat.Content, 0}, event{320, chat.Content, 0}), "100", "300", "36.6666667", "36.6666667", "36.6666667", 6, "7"},
		{"15b", single(4, 161, think(100), think(120), think(140), think(160)), "100", "null", "20", "20", "20", 3, "4"},
		{"16", single(12, 212, tool(150), tool(170), tool(190), tool(210)), "150", "null", "5.45454545", "20", "null", 3, "12"},
		{"18", single(7, 531, content(100, 130)...), "100", "100", "5", "30", "null", 1, "7"},
		{"19", single(5, 141, content(100, 110, 120, 130, 140)...), "100", "100", "10", "10", "10", 4, "5"},
		{"20", single(-1, 151, content(100, 110, 120, 130, 140, 150)...), "100", "100", "null", "10", "null", 5, "null"},
		{"21", single(16, 351, told(200, 1), told(230, 3), told(260, 3), told(290, 3), told(320, 3), told(350, 3)), "200", "200", "10", "30", "10", 5, "16"},
		{"23", single(4, 561, content(500, 520, 540, 560)...), "500", "500", "20", "20", "20", 3, "4"},
		{"25", single(8, 276, content(100, 125, 150, 175, 200, 225, 250, 275)...), "100", "100", "25", "25", "25", 7, "8"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := Compute(&c.run.Input)
			f := m.Turns
			wantNum(t, "ttft", f.TTFT.P50.String(), c.ttft)
			wantNum(t, "ttft answer", f.TTFTAnswer.P50.String(), c.answer)
			wantNum(t, "tpot", f.TPOT.P50.String(), c.tpot)
			wantNum(t, "chunk gap", f.ChunkGap.Mean.String(), c.gap)
			wantNum(t, "itl", f.ITL.Mean.String(), c.itl)
			wantNum(t, "output", f.Output.P50.String(), c.output)
			if f.ChunkGap.Count != c.gaps {
				t.Errorf("%d gaps, want %d", f.ChunkGap.Count, c.gaps)
			}
			strict(t, marshal(t, m))
		})
	}
}

// Ten tokens in no time: TPOT is 0, a rate of it is null.
func TestCase04ZeroSpan(t *testing.T) {
	m := Compute(&single(10, 121, content(120, 120, 120)...).Input)
	wantNum(t, "tpot", m.Turns.TPOT.P50.String(), "0")
	wantNum(t, "interactivity", m.Turns.Interactivity.P50.String(), "null")
	if m.Turns.Interactivity.Reason == "" {
		t.Error("no reason for a missing rate")
	}
}

func TestCase20NamesItsSource(t *testing.T) {
	m := Compute(&single(-1, 151, content(100, 150)...).Input)
	if m.Tokens.None != 1 || m.Tokens.Source != SourceNone || m.Tokens.Output.Reason != NoUsage {
		t.Errorf("tokens %+v", m.Tokens)
	}
	for what, reason := range map[string]string{
		"tpot": m.Turns.TPOT.Reason, "throughput": m.Throughput.System.Reason, "output": m.Turns.Output.Reason,
		"mlperf": m.MLPerf.SystemTPS.Reason, "per user": m.PerUser.Plain.Reason, "trie": m.Trie.SteadySlope.Reason,
	} {
		if reason != NoUsage {
			t.Errorf("%s: reason %q, want %q", what, reason, NoUsage)
		}
	}
	if m.Turns.ChunkGap.Count != 1 || m.Turns.TTFT.Count != 1 {
		t.Error("figures without tokens are missing too")
	}
}

func TestCase24(t *testing.T) {
	r := newRun(Config{Window: All})
	id := r.conv(0, 0, 1000, sample.Complete)
	r.turn(id, sample.OK, 0, 101, 1, content(100)...)
	empty := r.turn(id, sample.OK, 200, 311, 0)
	empty.Notes = []string{sample.NoteEmptyAnswer}
	r.turn(id, sample.OK, 400, 541, 3, content(500, 520, 540)...)
	m := Compute(&r.Input)
	var want struct {
		Summary struct {
			Output int `json:"output_tokens_success"`
			TPOT   int `json:"tpot_samples"`
			TTFT   int `json:"ttft_samples"`
			Empty  int `json:"empty_answers"`
		}
	}
	expected(t, "24", &want)
	if m.Turns.TPOT.Count != want.Summary.TPOT || m.Turns.TTFT.Count != want.Summary.TTFT || m.Answers.Empty != want.Summary.Empty {
		t.Errorf("tpot %d ttft %d empty %d, want %+v", m.Turns.TPOT.Count, m.Turns.TTFT.Count, m.Answers.Empty, want.Summary)
	}
	wantNum(t, "output", m.Tokens.Output.Value.String(), strconv.Itoa(want.Summary.Output))
	wantNum(t, "tpot", m.Turns.TPOT.P50.String(), "20")
	wantNum(t, "no visible answer", m.Answers.InvisibleShare.Value.String(), "0.333333333")
	strict(t, marshal(t, m))
}

func TestCase27(t *testing.T) {
	all := requests(t, "27")
	r := newRun(Config{Window: All})
	r.Measure, r.Drain = at(1000), at(3000)
	for i, q := range all {
		id := r.conv(uint32(i), q.SentMS, q.DoneMS, sample.Complete)
		r.turn(id, sample.OK, q.SentMS, q.DoneMS, len(q.TokenMS), content(q.TokenMS...)...)
	}
	var want struct {
		Tokens  int64    `json:"tokens_in_window"`
		Rate    float64  `json:"output_tokens_per_s"`
		TTFT    []string `json:"ttft_ids"`
		Latency []string `json:"latency_ids"`
	}
	expected(t, "27", &want)
	d := join(&r.Input)
	w := Window{"test", at(1000), at(3000)}
	in, out := d.tokenSums(w)
	if in != want.Tokens || d.rate(w, in).Value.Or(0) != want.Rate {
		t.Errorf("%d tokens, %v per second, want %d, %v", in, d.rate(w, in), want.Tokens, want.Rate)
	}
	if in+out != 55 {
		t.Errorf("%d inside and %d outside of 55 tokens", in, out)
	}
	if got := ids(all, r, func(g *sample.Timing) sample.Offset { return g.FirstToken }, w); !slices.Equal(got, want.TTFT) {
		t.Errorf("ttft of %v, want %v", got, want.TTFT)
	}
	if got := ids(all, r, func(g *sample.Timing) sample.Offset { return g.Done }, w); !slices.Equal(got, want.Latency) {
		t.Errorf("latency of %v, want %v", got, want.Latency)
	}
	f := d.turnFigures(w)
	if f.TTFT.Count != len(want.TTFT) || f.Latency.Count != len(want.Latency) {
		t.Errorf("%d ttft, %d latencies, want %d, %d", f.TTFT.Count, f.Latency.Count, len(want.TTFT), len(want.Latency))
	}
}

// Slots pass from warm-up to measuring one by one. The case's server prefills
// one request at a time, 100 ms each, and decodes for 2 s.
func TestCase28(t *testing.T) {
	for _, handover := range []bool{true, false} {
		r := newRun(Config{})
		busy, free := 0.0, make([]float64, 8) // of the prefill, of the users
		for n := range 48 {
			user := n % 8
			if n == 8 {
				r.Measure = at(slices.Min(free))
				for i := range free {
					if !handover {
						r.Measure = at(slices.Max(free))
						free[i] = slices.Max(free)
					}
				}
			}
			sent := free[user]
			first := max(sent, busy) + 100
			busy, free[user] = first, first+2000
			id := r.conv(uint32(user), sent, free[user], sample.Complete)
			r.turn(id, sample.OK, sent, free[user], 21, content(first, free[user])...)
		}
		f := join(&r.Input).turnFigures(Window{All, r.Measure, at(1e9)})
		if got := f.TTFT.Max.Or(0); handover != (got <= 120) || f.TTFT.Min.Or(0) != 100 && handover {
			t.Errorf("handover %v: TTFT from %v to %v", handover, f.TTFT.Min, f.TTFT.Max)
		}
	}
}

func TestCase29(t *testing.T) {
	r := newRun(Config{Window: Steady, Users: 4})
	for _, q := range requests(t, "29") {
		id := r.conv(q.Slot, q.SentMS, q.DoneMS, sample.Complete)
		r.turn(id, sample.OK, q.SentMS, q.DoneMS, len(q.TokenMS), content(q.TokenMS...)...)
	}
	type view struct {
		MS       [2]float64
		Tokens   int64
		Rate     float64 `json:"tokens_per_s"`
		InFlight float64 `json:"mean_in_flight"`
	}
	var want struct {
		Full   view `json:"full_run"`
		Steady view `json:"steady_window"`
	}
	expected(t, "29", &want)
	m := Compute(&r.Input)
	if m.Window.Name != Steady {
		t.Errorf("chosen %q", m.Window.Name)
	}
	for name, v := range map[string]view{All: want.Full, Steady: want.Steady} {
		i := slices.IndexFunc(m.Windows, func(w WindowView) bool { return w.Name == name })
		got := m.Windows[i]
		wantNum(t, name+" open", got.OpenMS.String(), stats.Of(v.MS[0]).String())
		wantNum(t, name+" close", got.CloseMS.String(), stats.Of(v.MS[1]).String())
		wantNum(t, name+" rate", got.System.Value.String(), stats.Of(v.Rate).String())
		if got.TokensInside != v.Tokens || got.TokensInside+got.TokensOutside != 113 {
			t.Errorf("%s: %d tokens inside, %d outside, want %d", name, got.TokensInside, got.TokensOutside, v.Tokens)
		}
		if v.InFlight > 0 {
			wantNum(t, name+" in flight", got.InFlight.Value.String(), stats.Of(v.InFlight).String())
		}
	}
	wantNum(t, "first idle closes", m.Windows[0].CloseMS.String(), "2400")
}

func TestCase35And51(t *testing.T) {
	r := newRun(Config{Window: All})
	id := r.conv(0, 0, 1200, sample.Failed)
	for i := range 6 {
		r.turn(id, sample.OK, float64(i)*200, float64(i)*200+120, 2, content(float64(i)*200+20, float64(i)*200+119)...)
	}
	for i := range 4 {
		s := r.turn(r.conv(0, 1200+float64(i), 1200+float64(i), sample.Failed), sample.ConnectRefused, 0, 0, -1)
		s.Timing, s.Answer = sample.NoTiming(), nil
		s.Timing.Due = at(1200 + float64(i))
		rest := r.turn(s.Conversation(), sample.NotSent, 0, 0, -1)
		rest.Timing, rest.Answer, rest.Cause = sample.NoTiming(), nil, sample.CausePriorFailure
	}
	m := Compute(&r.Input)
	f := m.Failures
	if f.Planned != 14 || f.OK != 6 || f.Failed != 4 || f.NotSent != 4 || f.Sent != 6 || m.Turns.Latency.Count != 6 {
		t.Errorf("failures %+v, %d latencies", f, m.Turns.Latency.Count)
	}
	if f.Outcomes[0].Name != "connect_refused" || f.Outcomes[0].Count != 4 || f.NotSentBy[0].Name != "prior_failure" {
		t.Errorf("classes %+v, %+v", f.Outcomes, f.NotSentBy)
	}
	wantNum(t, "smallest latency", m.Turns.Latency.Min.String(), "120")
	wantNum(t, "failure rate", f.FailRate.Value.String(), stats.Of(4.0/14).String())
	if a := m.Turns.LatencyAdjusted; a.Failed != 8 || a.P50.Valid() || a.Reason != TurnsFailed {
		t.Errorf("adjusted %+v", a)
	}
	if m.MLPerf.E2EAverage.Value.Valid() && m.MLPerf.Failed > 0 {
		t.Error("e2e_avg_interactivity in spite of failures")
	}
}

func TestCase57(t *testing.T) {
	r := newRun(Config{Window: All, OpenLoop: true})
	free := 0.0
	for i := range 1000 {
		due := float64(i) * 10
		sent := max(due, free)
		done := sent + 1
		if sent >= 5000 && sent < 7000 {
			done = 7001
		}
		free = done
		s := r.turn(r.conv(uint32(i), sent, done, sample.Complete), sample.OK, sent, done, 1, content(done)...)
		s.Timing.Due = at(due)
	}
	var want struct {
		Service, Response map[string]float64
		Late              int `json:"late_sends_over_0.5ms"`
	}
	var raw map[string]json.RawMessage
	expected(t, "57", &raw)
	for k, into := range map[string]any{"service_ms": &want.Service, "response_ms": &want.Response, "late_sends_over_0.5ms": &want.Late} {
		if err := json.Unmarshal(raw[k], into); err != nil {
			t.Fatal(err)
		}
	}
	m := Compute(&r.Input)
	if m.Turns.Late != want.Late {
		t.Errorf("%d late sends, want %d", m.Turns.Late, want.Late)
	}
	l := newTurnLists()
	d := join(&r.Input)
	for _, turn := range d.turns {
		l.take(turn, Window{All, 0, d.end + 1})
	}
	for what, c := range map[string]struct {
		l    list
		want map[string]float64
	}{"service": {l.latency, want.Service}, "response": {l.response, want.Response}} {
		s := stats.NewSeries(c.l.values, perMilli)
		for name, v := range c.want {
			q := map[string]stats.Quantile{"p50": stats.P50, "p90": stats.P90, "p99": stats.P99, "max": 1000}[name]
			if got := stats.Ratio(s.NearestRank(q), perMilli).Or(-1); got != v {
				t.Errorf("%s %s: %v, want %v", what, name, got, v)
			}
		}
	}
	if m.Turns.Response.P99.Or(0) < 1000 || m.Turns.Service.P99.Or(9) > 1 {
		t.Errorf("response p99 %v, service p99 %v", m.Turns.Response.P99, m.Turns.Service.P99)
	}
	r.OpenLoop = false
	if got := Compute(&r.Input).Turns.Response; got.Count != 0 || got.Reason != ClosedLoop {
		t.Errorf("closed loop tells response time: %+v", got)
	}
	// The sender was late, so the client is not honest.
	if m.Honesty.State != Disturbed || len(m.Honesty.Reasons) != 1 {
		t.Errorf("honesty %+v", m.Honesty)
	}
}

func TestCase60(t *testing.T) {
	r := newRun(Config{Window: All})
	for i := range 5 {
		s := r.turn(r.conv(0, float64(i), float64(i)+1, sample.Failed), sample.Status, float64(i), float64(i)+1, -1)
		s.Answer, s.Status = nil, 500
	}
	m := Compute(&r.Input)
	if m.Status != StatusFailed || m.Turns.TTFT.Count != 0 || m.Turns.TTFT.P50.Valid() || m.Turns.Latency.Count != 0 {
		t.Errorf("status %s, ttft %+v", m.Status, m.Turns.TTFT)
	}
	strict(t, marshal(t, m))
	m = Compute(&single(1, 101, content(100)...).Input)
	if m.Status != StatusOK || m.Turns.TPOT.Count != 0 || m.Turns.TPOT.P50.Valid() {
		t.Errorf("status %s, tpot %+v", m.Status, m.Turns.TPOT)
	}
	strict(t, marshal(t, m))
	strict(t, marshal(t, Compute(&newRun(Config{}).Input)))
}

// strict reads the document as strict JSON and looks for words that are no numbers.
func strict(t *testing.T, b []byte) {
	t.Helper()
	if !json.Valid(b) {
		t.Error("not valid JSON")
	}
	for _, word := range []string{"NaN", "Infinity", "-Inf", "+Inf"} {
		if bytes.Contains(b, []byte(word)) {
			t.Errorf("the document has %q", word)
		}
	}
	if i := strings.Index(string(b), ":-1,"); i >= 0 {
		t.Errorf("-1 stands for a missing figure: %s", b[max(0, i-60):i+4])
	}
}
