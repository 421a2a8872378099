package metrics

import (
	"testing"

	"paceline/core/sample"
)

// One pass over the coding data set's shape: 613 conversations of 50 turns,
// 64 chunks each.
func BenchmarkCompute(b *testing.B) {
	r := newRun(Config{Users: 64, Window: Steady})
	ms := make([]float64, 64)
	for i := range 613 {
		start := float64(i/64) * 50_000
		id := r.conv(uint32(i%64), start, start+49_990, sample.Complete)
		for turn := range 50 {
			sent := start + float64(turn)*1000
			for k := range ms {
				ms[k] = sent + 100 + float64(k)*10 + float64((i*turn+k)%7)
			}
			r.turn(id, sample.OK, sent, sent+800, 64, content(ms...)...)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		Compute(&r.Input)
	}
}
