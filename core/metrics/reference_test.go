package metrics

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"paceline/core/sample"
	"paceline/core/stats"
	"paceline/core/verdict"
)

// referenceTurn is one turn of the reference client.
type referenceTurn struct {
	Conversation string  `json:"conversation_id"`
	Issued       int64   `json:"issued_ns"`
	RecvFirst    *int64  `json:"recv_first_ns"`
	Complete     int64   `json:"complete_ns"`
	Tracked      bool    `json:"tracked"`
	OSL          *uint64 `json:"osl"`
	ISL          *uint64 `json:"isl"`
	After        *uint64 `json:"tokens_after_first_chunk"`
}

// referenceSeries is what it reported of one figure, in nanoseconds.
type referenceSeries struct {
	Percentiles map[string]float64
	Estimates   map[string]*float64 `json:"early_stopping_percentiles"`
}

// referenceRun is a run of the reference client with its report.
type referenceRun struct {
	StartNS int64 `json:"start_ns"`
	Samples []referenceTurn
	Summary struct {
		Issued              int   `json:"n_samples_issued"`
		DurationNS          int64 `json:"duration_ns"`
		QPS, TPS            float64
		TTFT, TPOT, Latency referenceSeries
	}
}

// input turns it into ours. A conversation ends with its last answer.
func (g *referenceRun) input() *Input {
	r := newRun(Config{Users: 2, Window: FirstIdle})
	r.Measure = 0
	offset := func(ns int64) float64 { return float64(ns-g.StartNS) / 1e6 }
	conv := map[string]sample.ID{}
	slices.SortStableFunc(g.Samples, func(a, b referenceTurn) int { return int(a.Issued - b.Issued) })
	for _, s := range g.Samples {
		if _, ok := conv[s.Conversation]; !ok {
			conv[s.Conversation] = r.conv(uint32(len(conv)), offset(s.Issued), -1, sample.Complete)
		}
		id := conv[s.Conversation]
		t := r.turn(id, sample.OK, 0, 0, -1)
		t.Timing.Due, t.Timing.Sent = sample.Offset(s.Issued-g.StartNS), sample.Offset(s.Issued-g.StartNS)
		t.Timing.Done = sample.Offset(s.Complete - g.StartNS)
		if s.RecvFirst != nil {
			t.Timing.FirstToken = sample.Offset(*s.RecvFirst - g.StartNS)
			t.Timing.LastToken = t.Timing.Done
		}
		r.Conversations[id.Index].End = t.Timing.Done
		r.Counts = append(r.Counts, verdict.Count{Output: s.OSL, Input: s.ISL, AfterFirstChunk: s.After})
	}
	// Its two slots each take the next conversation when one ends; the delay
	// before a first turn runs inside the conversation.
	var ends []sample.Offset
	for _, c := range r.Conversations {
		ends = append(ends, c.End)
	}
	slices.Sort(ends)
	for i := range r.Conversations {
		r.Conversations[i].Start = 0
		if i >= 2 {
			r.Conversations[i].Start = ends[i-2]
		}
	}
	return &r.Input
}

// tracked holds the lists of the turns that MLPerf's files are made of to the recorded turns.
func (g *referenceRun) tracked(t *testing.T, got *Tracked) {
	t.Helper()
	want := &Tracked{}
	for _, s := range g.Samples {
		if !s.Tracked {
			continue
		}
		want.OK++
		want.TTFT = append(want.TTFT, *s.RecvFirst-s.Issued)
		want.Latency = append(want.Latency, s.Complete-s.Issued)
		want.Output, want.Input = append(want.Output, int64(*s.OSL)), append(want.Input, int64(*s.ISL))
		want.OutputTime += s.Complete - s.Issued
	}
	for _, l := range [][2][]int64{{got.TTFT, want.TTFT}, {got.Latency, want.Latency}, {got.Output, want.Output}, {got.Input, want.Input}} {
		slices.Sort(l[0])
		slices.Sort(l[1])
		if !slices.Equal(l[0], l[1]) {
			t.Errorf("tracked %v, want %v", l[0], l[1])
		}
	}
	if got.OK != want.OK || got.OutputTime != want.OutputTime || len(got.TPOT) != want.OK || got.Usage != 0 || got.Uncounted != 0 || got.FullRunOK != len(g.Samples) {
		t.Errorf("%+v", got)
	}
}

// Our figures by MLPerf's rules are what the reference client reported of the
// same instants and counts.
func TestReferenceRuns(t *testing.T) {
	for _, name := range []string{"tool_call_only", "reasoning_then_content"} {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile("testdata/mlperf_" + name + ".json")
			if err != nil {
				t.Fatal(err)
			}
			var g referenceRun
			if err := json.Unmarshal(b, &g); err != nil {
				t.Fatal(err)
			}
			m := Compute(g.input()).MLPerf
			g.tracked(t, TrackedOf(g.input()))
			if m.Issued != g.Summary.Issued {
				t.Errorf("%d issued, want %d", m.Issued, g.Summary.Issued)
			}
			wantNum(t, "duration", m.DurationS.Value.String(), stats.Ratio(g.Summary.DurationNS, 1e9).String())
			wantNum(t, "qps", m.QPS.Value.String(), stats.Of(g.Summary.QPS).String())
			wantNum(t, "tps", m.SystemTPS.Value.String(), stats.Of(g.Summary.TPS).String())
			wantNum(t, "tpot p90", m.TPOTP90.Value.String(), stats.Of(math.Round(g.Summary.TPOT.Percentiles["90.0"]*1000)/1e9).String())
			for what, c := range map[string]struct {
				got  []Lower
				want referenceSeries
			}{"ttft": {m.TTFT, g.Summary.TTFT}, "latency": {m.Latency, g.Summary.Latency}} {
				if len(c.got) != len(c.want.Percentiles) {
					t.Errorf("%s: %d percentiles", what, len(c.got))
				}
				for _, row := range c.got {
					key := strconv.FormatFloat(row.Percentile.Or(0), 'f', 1, 64)
					wantNum(t, what+" p"+key, row.Value.String(), stats.Of(c.want.Percentiles[key]/1e6).String())
					if e := c.want.Estimates[key]; e != nil {
						wantNum(t, what+" estimate p"+key, row.Estimate.String(), stats.Of(*e/1e6).String())
					} else if row.Estimate.Valid() {
						t.Errorf("%s: an estimate of p%s", what, key)
					}
				}
			}
		})
	}
}
