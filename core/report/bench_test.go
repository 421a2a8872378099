package report

import "testing"

func BenchmarkBuild(b *testing.B) {
	in := small()
	for b.Loop() {
		if _, err := Build(in); err != nil {
			b.Fatal(err)
		}
	}
}
