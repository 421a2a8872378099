package load

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Bounds of a mix. They keep the arithmetic of its order far inside 64 bits.
const (
	MaxMembers = 64
	MaxWeight  = 1_000_000
)

// Member is one workload of a mix.
type Member struct {
	Order  Order
	Weight uint32 // of its conversations among those of all members; at least 1
	// Limit is how many of its conversations are played beside the warm-up before it leaves the mix; 0: it repeats and
	// never leaves.
	Limit uint64
}

// Mix is the order in which the conversations of several workloads start; of one workload it is that workload's Order.
//
// Which workload the n-th conversation is of follows from weights, limits and seed alone. The order is as smooth as it can
// be: of k members, each has at any time between n*weight/sum - d and n*weight/sum + d of the first n conversations, where
// d = 1 - 1/(2k-2) is below one conversation. The first conversations of a warm-up are a sequence of their own, in which no
// limit counts; when a member has left, the others begin a new sequence. In each workload conversations follow its own Order.
type Mix struct {
	Members []Member
	Warmup  uint64 // conversations that come before those that limits count
	// Shuffle draws by the seed which of two members is first where both are equally due; else it is the one that stands
	// first in Members.
	Shuffle bool
	Seed    uint64 // the run's seed
}

// Check reports what is wrong with the mix.
func (m *Mix) Check() error {
	if len(m.Members) == 0 || len(m.Members) > MaxMembers {
		return fmt.Errorf("mix: %d workloads, want 1 to %d", len(m.Members), MaxMembers)
	}
	var errs []error
	seen := map[string]bool{}
	for i := range m.Members {
		x := &m.Members[i]
		if seen[x.Order.Workload] {
			errs = append(errs, fmt.Errorf("mix: workload %s is there twice", x.Order.Workload))
		}
		seen[x.Order.Workload] = true
		if x.Weight < 1 || x.Weight > MaxWeight {
			errs = append(errs, fmt.Errorf("mix: workload %s: weight %d is not in 1..%d", x.Order.Workload, x.Weight, MaxWeight))
		}
		if err := x.Order.Check(); err != nil && len(m.Members) > 1 {
			errs = append(errs, fmt.Errorf("workload %s: %w", x.Order.Workload, err))
		} else if err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Start returns a cursor before the first of budget conversations, warm-up included. The mix must have passed Check.
func (m *Mix) Start(budget uint64) *MixCursor {
	c := &MixCursor{mix: *m, left: budget, given: make([]uint64, len(m.Members))}
	for i := range m.Members {
		c.cursors = append(c.cursors, m.Members[i].Order.Start(Endless))
		c.active = append(c.active, i)
	}
	c.restart()
	return c
}

// MixCursor walks through a Mix. It is not safe for concurrent use.
type MixCursor struct {
	mix     Mix
	left    uint64
	number  uint64    // of the next conversation
	cursors []*Cursor // by member
	given   []uint64  // conversations of each member that its limit counts
	active  []int     // members that have not left
	turns   rotation  // over active
}

// Done reports whether no conversation is left.
func (c *MixCursor) Done() bool { return c.left == 0 || len(c.active) == 0 }

// Next returns the next conversation and the place of its workload in Members, and false behind the last one. The item's
// number counts over the whole run, its index and repeat are of the workload's own order.
func (c *MixCursor) Next() (member int, item Item, ok bool) {
	if c.Done() {
		return 0, Item{}, false
	}
	if c.number > 0 && c.number == c.mix.Warmup {
		c.restart()
	}
	place := c.turns.next()
	member = c.active[place]
	item, _ = c.cursors[member].Next()
	item.Number = c.number
	if c.number >= c.mix.Warmup {
		c.given[member]++
	}
	c.number++
	if c.left != Endless {
		c.left--
	}
	if limit := c.mix.Members[member].Limit; limit > 0 && c.given[member] == limit || c.cursors[member].Done() {
		c.active = slices.Delete(c.active, place, place+1)
		c.restart()
	}
	return member, item, true
}

// Grow lets so many more conversations be started, or below 0 fewer.
func (c *MixCursor) Grow(by int) {
	switch {
	case c.left == Endless:
	case by < 0:
		c.left -= min(c.left, uint64(-by))
	default:
		c.left += min(Endless-1-c.left, uint64(by))
	}
}

// restart begins a new sequence of the members that are left.
func (c *MixCursor) restart() {
	c.turns = rotation{first: c.number}
	for _, i := range c.active {
		c.turns.weights = append(c.turns.weights, int64(c.mix.Members[i].Weight))
	}
	c.turns.shuffle, c.turns.seed = c.mix.Shuffle, c.mix.Seed
	c.turns.begin()
}

// Total is how many conversations the limits allow beside the warm-up; Endless where a member has none.
func (m *Mix) Total() uint64 {
	var sum uint64
	for i := range m.Members {
		n := m.Members[i].Limit
		if n == 0 || sum > math.MaxUint64-n {
			return Endless
		}
		sum += n
	}
	return sum
}
