package metrics

import (
	"testing"

	"paceline/core/sample"
)

// TestParts: what was played of trajectories in part is in the figures of turns and in no figure of trajectories, and no turn is
// taken for cached that was never sent, or was left out.
func TestParts(t *testing.T) {
	r := newRun(Config{Users: 3, Window: All})
	r.Measure = at(0)
	play := func(user uint32, part *sample.Part, turns int) {
		id := r.conv(user, 0, 1000, sample.Complete)
		for k := range turns {
			r.turn(id, sample.OK, float64(100*k), float64(100*k+50), 10, content(float64(100*k+10), float64(100*k+40))...)
		}
		r.Conversations[len(r.Conversations)-1].Part = part
	}
	play(0, nil, 3)
	play(1, &sample.Part{From: 5, To: 8, Of: 8, Entered: sample.EnteredSpread}, 3)
	play(2, &sample.Part{From: 0, To: 3, Of: 8, Cut: sample.CutContext}, 3)
	r.Samples[8].LeftOut = 1 // the third turn of the last
	m := Compute(&r.Input)
	if x := &m.Trajectories; x.Completed != 1 || x.Parts != 2 || x.Turns.Count != 1 {
		t.Errorf("trajectories %+v", x)
	}
	wantNum(t, "jobs", m.Trajectories.JobsHour.Value.String(), "7199.99999") // the first two of them, in a second and 1 ns
	if m.Failures.Planned != 9 || m.Turns.Latency.Count != 9 {
		t.Errorf("%d planned turns, %d latencies", m.Failures.Planned, m.Turns.Latency.Count)
	}
	// Of nine turns of 100 prompt tokens three begin a history; one shares with those before what the first turn said.
	if m.Cache.EligibleTokens != 600 || m.Cache.EligibleTurns != 9 {
		t.Errorf("cache %+v", m.Cache)
	}
	var bands []string
	for _, g := range m.Groups.Position {
		bands = append(bands, g.Name)
	}
	if len(bands) != 5 || bands[4] != "8-15" { // 1, 2, 3, 4-7, 8-15
		t.Errorf("bands of positions %v", bands)
	}
}

// TestLeftOut: where the first turn was not played, nobody knows what a cut history still shares.
func TestLeftOut(t *testing.T) {
	r := newRun(Config{Window: All})
	id := r.conv(0, 0, 300, sample.Complete)
	for k := range 3 {
		s := r.turn(id, sample.OK, float64(100*k), float64(100*k+50), 10, content(float64(100*k+10), float64(100*k+40))...)
		s.LeftOut = k / 2 * 4
	}
	r.Conversations[0].Part = &sample.Part{From: 5, To: 8, Of: 8}
	if c := Compute(&r.Input).Cache; c.EligibleTokens != 100 || c.EligibleTurns != 2 {
		t.Errorf("cache %+v", c)
	}
}
