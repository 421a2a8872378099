package wasmworker

import (
	"crypto/sha256"
	"math/rand/v2"
	"time"

	"paceline/core/seed"
)

// clock is the clock of one instance: it starts at 2000-01-01 and steps 1 ms for each read. A clock that stands still
// would hang guests that wait by looking at it.
type clock struct {
	now uint64 // nanoseconds since 1970
}

const clockStep = uint64(time.Millisecond)

func newClock() clock {
	return clock{now: uint64(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano())}
}

// read gives the time and steps on.
func (c *clock) read() uint64 {
	t := c.now
	c.now += clockStep
	return t
}

// sleepUntil moves the clock forward to t; a time that has passed changes nothing.
func (c *clock) sleepUntil(t uint64) { c.now = max(c.now, t) }

// fill fills p from the stream of the running call.
func (r *random) fill(p []byte) {
	if r.read == nil {
		request := sha256.Sum256(r.request)
		s := seed.Derive(0, seed.Random, r.component[:], seed.Uint(uint64(r.method)), request[:])
		stream := rand.NewChaCha8(s)
		r.read = func(p []byte) { _, _ = stream.Read(p) }
	}
	r.read(p)
}
