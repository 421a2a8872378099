package spec

import (
	"math"
	"testing"

	"paceline/workloads/profiles/shape"
)

// drawn draws traces of small with an end and more turns.
func drawn(t *testing.T, end string, n int) []shape.Trace {
	t.Helper()
	p, err := Read([]byte(`{"name":"x","turns":100,"input":100,"assistant":50,"tool":20,"wait":0.5,"final":10,"end":`+end+`}`), "")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]shape.Trace, n)
	for i := range out {
		p.Draw(shape.NewRandom([32]byte{byte(i), byte(i >> 8)}), &out[i])
	}
	return out
}

// TestEndOfContext: the last request is the longest that fits.
func TestEndOfContext(t *testing.T) {
	for end, want := range map[string]int{`{"context":450}`: 5, `{"context":449}`: 4, `{"context":99}`: 0, `{"context":1000000}`: 100} {
		if got := drawn(t, end, 1)[0]; len(got.Turns) != want || got.Final != 10 {
			t.Errorf("%s: %d turns, final %d, want %d turns", end, len(got.Turns), got.Final, want)
		}
	}
}

// TestEndByChance: the number of turns is geometric, and shorter where the chance grows with the context.
func TestEndByChance(t *testing.T) {
	for _, c := range []struct {
		end  string
		mean float64
	}{
		{`{"chance":0.1}`, 9},
		{`{"chance":0.1,"context":1000000,"scaling":1}`, 9},
		{`{"chance":0.1,"context":100,"scaling":5}`, 0},
		{`{"chance":1}`, 0},
		// 100 tokens at first, 70 more each turn: the chance of turn k is 0.05 (1 + 3 (100 + 70 k) / 7100).
		{`{"chance":0.05,"context":7100,"scaling":4}`, 13.53},
	} {
		sum := 0
		for _, trace := range drawn(t, c.end, 4000) {
			sum += len(trace.Turns)
		}
		if got := float64(sum) / 4000; math.Abs(got-c.mean) > 0.05*c.mean {
			t.Errorf("%s: %.2f turns, want %.2f", c.end, got, c.mean)
		}
	}
}
