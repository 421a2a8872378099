package measure

import (
	"math"
	"os"
	"testing"

	"paceline/profile/rows"
	"paceline/workloads/profiles/shape"
)

// known is a published row: three requests whose contexts are 6318, 12537 and 13644 tokens.
var known = shape.Trace{Input: 6318, Turns: []shape.Turn{{Assistant: 101, Tool: 6118, Wait: 431_000}, {Assistant: 1084, Tool: 23, Wait: 2_339_000}}, Final: 801}

func find(t *testing.T, s *Summary, name string, kind Kind) *Quantity {
	t.Helper()
	for i := range s.Quantities {
		if q := &s.Quantities[i]; q.Name == name && q.Kind == kind {
			return q
		}
	}
	t.Fatalf("no %s of kind %s", name, kind)
	return nil
}

func TestKnownRow(t *testing.T) {
	var c Collector
	c.Add(&known)
	s := c.Summary()
	for name, want := range map[string]float64{"context": 13644, "prompt_tokens": 32499, "output_tokens": 1986, "tool_tokens": 6141, "wait_ms": 2770} {
		if q := find(t, s, name, Sum); q.Mean != want || q.Quantiles[2] != want || q.Count != 1 {
			t.Errorf("%s: %+v, want %v", name, q, want)
		}
	}
	// 6318 + 101 and 12537 + 1084 tokens are there already when the second and third request come.
	if want := 100 * float64(6419+13621) / 32499; math.Abs(s.HitTokens-want) > 1e-5 || s.HitTokens != s.HitTraces {
		t.Errorf("hit rates %v and %v, want %v", s.HitTokens, s.HitTraces, want)
	}
	if s.Traces != 1 || s.Turns != 2 || find(t, s, "turns", Trace).Mean != 2 {
		t.Errorf("%+v", s)
	}
}

func TestBandsAndQuantiles(t *testing.T) {
	if got := Bands; len(got) != 7 || got[0] != "0" || got[2] != "2-3" || got[6] != "25+" {
		t.Errorf("bands %q", got)
	}
	values := make([]int64, 200)
	for i := range values {
		values[i] = int64(i + 1)
	}
	for p, want := range map[float64]float64{5: 10, 50: 100, 99: 198, 99.9: 200, 0: 1} {
		if got := At(values, p); got != want {
			t.Errorf("p%v is %v, want %v", p, got, want)
		}
	}
}

func TestAutocorrelation(t *testing.T) {
	var c Collector
	up := shape.Trace{Input: 1, Final: 1}
	for i := range 40 { // assistant alternates, tool grows, wait stays
		up.Turns = append(up.Turns, shape.Turn{Assistant: int64(1 + 99*(i%2)), Tool: int64(1) << i, Wait: 5000})
	}
	c.Add(&up)
	s := c.Summary()
	if s.Correlation[0].Lag1 != -1 || s.Correlation[0].Lag2 != 1 || s.Correlation[1].Lag8 != 1 || s.Correlation[2].Lag1 != 0 {
		t.Errorf("%+v", s.Correlation)
	}
}

// TestPublishedRows holds nine rows of the published file against what is known of them.
func TestPublishedRows(t *testing.T) {
	f, err := os.Open("../../../shared/data/applied_compute_agentic_coding_8k.jsonl")
	if err != nil {
		t.Skip("the published file is not there: ", err)
	}
	defer f.Close()
	type row struct{ turns, input, context, prompt, output, wait float64 }
	want := map[int]row{
		1729: {2, 6318, 13644, 32499, 1986, 2770}, 1: {11, 6342, 11589, 110062, 2486, 58308}, 1042: {146, 6701, 79994, 6615581, 44218, 759129},
		1574: {1, 6254, 6359, 12613, 138, 722}, 1983: {1, 6312, 12121, 18433, 829, 176}, 3981: {158, 6327, 134492, 12726042, 68484, 158293},
		4096: {7, 6524, 10045, 62833, 1595, 5963}, 4911: {159, 6514, 85050, 7457733, 37176, 118227}, 8192: {28, 6889, 36610, 737414, 7827, 97380},
	}
	line := 0
	_, err = rows.Read(f, func(trace *shape.Trace) {
		line++
		w, ok := want[line]
		if !ok {
			return
		}
		var c Collector
		c.Add(trace)
		s := c.Summary()
		got := row{find(t, s, "turns", Trace).Mean, find(t, s, "input", Trace).Mean, find(t, s, "context", Sum).Mean,
			find(t, s, "prompt_tokens", Sum).Mean, find(t, s, "output_tokens", Sum).Mean, find(t, s, "wait_ms", Sum).Mean}
		if got != w {
			t.Errorf("line %d: %+v, want %+v", line, got, w)
		}
	})
	if err != nil || line != 8192 {
		t.Errorf("%d rows, %v", line, err)
	}
}
