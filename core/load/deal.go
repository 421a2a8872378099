package load

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"paceline/core/seed"
)

// Bounds of several targets. A block of a Deal has at most MaxTargets * MaxTargetWeight places.
const (
	MaxTargets      = 64
	MaxTargetWeight = 1000
)

// Deal says which of several targets the conversations of one workload are bound to. It deals them out in blocks: a block has
// as many conversations as the weights have in sum, each target has exactly its weight of them, and who is when in the block
// is drawn anew for each one. So the shares hold from the first block on, and nothing that repeats in the workload, or in the
// mix around it, falls on the same target each time. The n-th conversation's target follows from workload, weights and seed.
type Deal struct {
	Workload string   // its name in the run
	Weights  []uint32 // of the targets, in their order
	Seed     uint64   // the run's seed
}

// Check reports what is wrong with the weights.
func (d *Deal) Check() error {
	if len(d.Weights) == 0 || len(d.Weights) > MaxTargets {
		return fmt.Errorf("targets: %d, want 1 to %d", len(d.Weights), MaxTargets)
	}
	for i, w := range d.Weights {
		if w < 1 || w > MaxTargetWeight {
			return fmt.Errorf("targets[%d]: weight %d is not in 1..%d", i, w, MaxTargetWeight)
		}
	}
	return nil
}

// Start returns a cursor before the workload's first conversation. The deal must have passed Check.
func (d *Deal) Start() *DealCursor {
	c := &DealCursor{deal: *d}
	var common int64
	for _, w := range d.Weights {
		common = divisor(int64(w), common)
	}
	for place, w := range d.Weights {
		for range int64(w) / common {
			c.block = append(c.block, uint8(place))
		}
	}
	return c
}

// DealCursor walks through a Deal. It is not safe for concurrent use.
type DealCursor struct {
	deal   Deal
	number uint64  // of the workload's next conversation
	block  []uint8 // places of targets
}

// Next returns the place of the next conversation's target.
func (c *DealCursor) Next() int {
	at := c.number % uint64(len(c.block))
	if at == 0 {
		slices.Sort(c.block)
		swap(len(c.block), c.drawn(), func(i, j int) { c.block[i], c.block[j] = c.block[j], c.block[i] })
	}
	c.number++
	return int(c.block[at])
}

// drawn is the stream of random numbers for the block that begins with the next conversation.
func (c *DealCursor) drawn() *rand.Rand {
	return seed.Derive(c.deal.Seed, seed.Targets, []byte(c.deal.Workload), seed.Uint(c.number)).Rand()
}
