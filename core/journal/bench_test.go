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

// BenchmarkRead is reading a run of 10,000 turns, each with its two records.
func BenchmarkRead(b *testing.B) {
	const turns = 10_000
	dir := create(b)
	w := open(b, dir, journal.Options{})
	for i := range uint32(turns) {
		s := typical()
		s.Turn = i
		w.Sent(s.ID, s.Timing.Sent, 40_000)
		w.Sampled(s)
	}
	if err := w.Close(journal.Ending{}); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if run := read(b, dir); len(run.Samples) != turns {
			b.Fatal(len(run.Samples))
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(turns*b.N), "ns/turn")
}
