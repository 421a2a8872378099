package sim

import "sync"

// Ways of [Config.ResponseCache].
const (
	CacheInstant = "instant"
	CacheDelayed = "delayed"
)

// repeats counts how often each prompt came, by the hash of the prompt.
type repeats struct {
	mu   sync.Mutex
	seen map[uint64]uint64
}

// see notes that r came and tells whether its answer is a stored one.
func (p *repeats) see(c *Config, r *Request) (stored bool) {
	if !c.Resample && c.ResponseCache == "" {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.seen == nil {
		p.seen = map[uint64]uint64{}
	}
	before := p.seen[r.identity]
	p.seen[r.identity]++
	if c.ResponseCache != "" {
		return before > 0
	}
	r.times = before
	return false
}

// draw is what the answer is drawn by, beside the engine's seed.
func (r *Request) draw() uint64 {
	if r.times == 0 {
		return r.identity
	}
	return mix(r.identity, r.times)
}

// finished makes a sequence that was never computed one whose tokens are all there.
func (s *sequence) finished() {
	s.ready.Store(int64(s.length))
	s.done.Store(true)
	s.tell()
}
