package wasmworker

import (
	"crypto/sha256"
	"math/rand/v2"
	"time"

	"paceline/core/seed"
)

// Clocks of WASI that are shown.
const (
	realtime  = 0
	monotonic = 1
	numClocks = 2
)

// clocks are the clocks of one instance: the realtime clock starts at 2000-01-01, the monotonic one at 0, and each steps
// 1 ms when it is read. A clock that stands still would hang guests that wait by looking at it.
type clocks [numClocks]uint64 // nanoseconds

const clockStep = uint64(time.Millisecond)

func newClocks() clocks {
	return clocks{realtime: uint64(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixNano()), monotonic: 0}
}

// read gives a clock's time and steps that clock on.
func (c *clocks) read(id uint32) uint64 {
	t := c[id]
	c[id] += clockStep
	return t
}

// random is a guest's stream of random bytes for one call, made when it is first asked for. Before the first call it has
// the seed of 32 zero bytes.
type random struct {
	component seed.Seed
	method    uint32
	request   []byte
	stream    *rand.ChaCha8
}

// reset starts the stream of a call. The request's bytes must stay as they are until the next reset.
func (r *random) reset(method uint32, request []byte) {
	r.method, r.request, r.stream = method, request, nil
}

// fill fills p from the stream.
func (r *random) fill(p []byte) {
	if r.stream == nil {
		var s seed.Seed
		if r.method != 0 {
			request := sha256.Sum256(r.request)
			s = seed.Derive(0, seed.Random, r.component[:], seed.Uint(uint64(r.method)), request[:])
		}
		r.stream = rand.NewChaCha8(s)
	}
	_, _ = r.stream.Read(p) // it never fails
}
