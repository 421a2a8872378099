package journal_test

import (
	"strings"
	"testing"
	"time"

	"paceline/core/chat"
	"paceline/core/journal"
	"paceline/core/sample"
)

// typical is a turn of 64 chunks and 250 words.
func typical() *sample.Sample {
	s := answered(1, strings.Repeat("a word ", 250))
	for range 64 {
		s.Chunks = s.Chunks.Add(sample.Chunk{GapMicros: 12_345, Channel: chat.Content, Bytes: 27})
	}
	return s
}

// BenchmarkSampled is what recording costs its caller, the writer's work on other cores excepted.
func BenchmarkSampled(b *testing.B) {
	w := open(b, create(b), journal.Options{QueueBytes: 1 << 50, FlushEvery: time.Hour})
	s := typical()
	b.ReportAllocs()
	for b.Loop() {
		w.Sampled(s)
	}
	b.StopTimer()
	_ = w.Lost()
}

// BenchmarkSent is the same for the record that a request went out.
func BenchmarkSent(b *testing.B) {
	w := open(b, create(b), journal.Options{QueueBytes: 1 << 50, FlushEvery: time.Hour})
	at := id(1)
	b.ReportAllocs()
	for b.Loop() {
		w.Sent(at, 5, 100)
	}
}

// BenchmarkWrite is the writer's own work for one turn: encode, compress, write.
func BenchmarkWrite(b *testing.B) {
	w := open(b, create(b), journal.Options{QueueBytes: 1 << 50})
	s := typical()
	b.ReportAllocs()
	for b.Loop() {
		for range 1000 {
			w.Sampled(s)
		}
		if err := w.Flush(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(1000*b.N), "ns/turn")
}
