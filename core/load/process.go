package load

import (
	"math/rand/v2"
	"sync"
	"time"

	"paceline/core/seed"
)

// process draws arrivals one after the other and keeps them; several planners ask it. The first arrival comes one gap after
// the start of the load.
type process struct {
	mu     sync.Mutex
	law    Law
	flow   flow
	random *rand.Rand
	times  []time.Duration
}

func newProcess(law Law, rate []Stage, root uint64) *process {
	return &process{law: law, flow: flow{stages: rate}, random: seed.Derive(root, seed.Arrivals).Rand()}
}

func (p *process) at(number uint64) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	for uint64(len(p.times)) <= number {
		p.times = append(p.times, p.flow.advance(p.law.gap(p.random)))
	}
	return p.times[number]
}
