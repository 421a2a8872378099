// Package shape is what every profile draws: the lengths and waits of one agent run, and nothing of its text.
package shape

import (
	"math/rand/v2"

	"paceline/workloads/profiles/fixed"
)

// Turn is one tool turn: the answer that calls the tool, what the tool gives, and how long it takes.
type Turn struct {
	Assistant int64 // tokens
	Tool      int64 // tokens
	Wait      int64 // microseconds
}

// Trace is one agent run. It makes one request more than it has tool turns.
type Trace struct {
	Input  int64    // tokens of the first request, prefixes included
	Shared []Prefix // the parts of the input that other traces have too, first to last
	Turns  []Turn
	Final  int64 // tokens of the last answer
}

// Prefix is a piece of the input that all traces with the same key begin alike.
type Prefix struct {
	Key    string
	Tokens int64
}

// Source draws traces. A source is not changed by drawing, so it may be used by several goroutines with one Random each.
type Source interface {
	// Draw replaces t by a new trace.
	Draw(r *Random, t *Trace)
}

// Random is the stream of numbers of one trace.
type Random struct{ stream *rand.ChaCha8 }

// NewRandom starts the stream of a seed.
func NewRandom(seed [32]byte) *Random { return &Random{rand.NewChaCha8(seed)} }

// Chance gives a number of 2^-32, each as likely as the others.
func (r *Random) Chance() uint32 { return uint32(r.stream.Uint64() >> 32) }

// Normal gives a normally distributed number with 16 binary places.
func (r *Random) Normal() int64 { return fixed.Normal(r.Chance()) }

// Reset empties a trace and keeps its memory.
func (t *Trace) Reset() {
	t.Input, t.Final, t.Shared, t.Turns = 0, 0, t.Shared[:0], t.Turns[:0]
}
