package load

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"paceline/core/seed"
)

// Endless is the budget of a run that repeats its workload until a limit ends it.
const Endless = math.MaxUint64

// Item is one conversation to be started: its number in the run, and the trajectory that it plays.
type Item struct {
	Number uint64 // 0-based, over the whole run
	Index  uint64 // of the trajectory in its workload
	Repeat uint32 // 0 for the first pass over the workload
}

// Order is the order in which trajectories are played: item k uses position k mod Trajectories of pass k div
// Trajectories. A position is an index of the workload in file order, or in a seeded shuffle of its own for each pass.
type Order struct {
	Workload     string // full component name; part of the shuffle's seed
	Trajectories uint64 // 0: the workload makes as many as asked for, so there is one endless pass in order
	Shuffle      bool
	Seed         uint64 // the run's seed
	// Without are trajectories that are left out, rising: the others keep their order, and their places in passes.
	Without []uint64
}

// Length is how many conversations a pass has; 0: there is one endless pass.
func (o Order) Length() uint64 { return o.Trajectories - uint64(len(o.Without)) }

var errWithout = errors.New("order: all trajectories are left out, or some that the workload does not have")

// Check reports what is wrong with the order.
func (o Order) Check() error {
	if n := len(o.Without); n > 0 && (uint64(n) >= o.Trajectories || o.Without[n-1] >= o.Trajectories) {
		return errWithout
	}
	if o.Shuffle && (o.Trajectories == 0 || o.Trajectories > math.MaxInt32) {
		return errors.New("shuffle: the workload does not say how many trajectories it has, or has more than 2^31")
	}
	return nil
}

// Start returns a cursor before the first of budget items.
func (o Order) Start(budget uint64) *Cursor { return &Cursor{order: o, left: budget} }

// Cursor walks through an Order. It holds the permutation of one pass, and is not safe for concurrent use.
type Cursor struct {
	order  Order
	left   uint64
	given  uint64
	number uint64   // given, and left out
	pass   []uint32 // the shuffle of the current pass
	of     uint32   // the pass that it belongs to
}

// Done reports whether no item is left. A pass number above 32 bits ends the order too.
func (c *Cursor) Done() bool {
	n := c.order.Trajectories
	return c.left == 0 || n > 0 && c.number/n > math.MaxUint32
}

// Next returns the next item, and false behind the last one.
func (c *Cursor) Next() (Item, bool) {
	var item Item
	for without := true; without; {
		if c.Done() {
			return Item{}, false
		}
		item = c.place()
		c.number++
		_, without = slices.BinarySearch(c.order.Without, item.Index)
	}
	item.Number = c.given
	c.given++
	if c.left != Endless {
		c.left--
	}
	return item, true
}

// place is what stands at the cursor, left out or not.
func (c *Cursor) place() Item {
	item := Item{Index: c.number}
	if n := c.order.Trajectories; n > 0 {
		item.Index, item.Repeat = c.number%n, uint32(c.number/n)
		if c.order.Shuffle {
			item.Index = c.shuffled(item)
		}
	}
	return item
}

func (c *Cursor) shuffled(item Item) uint64 {
	if c.pass == nil || c.of != item.Repeat {
		c.pass = Permutation(c.order.Seed, c.order.Workload, item.Repeat, uint32(c.order.Trajectories))
		c.of = item.Repeat
	}
	return uint64(c.pass[item.Index])
}

// Permutation returns the shuffled order of one pass over n trajectories. It can be computed again in any language:
//
//   - the seed is seed.Derive(root, "order", workload, repeat), as package seed writes it out;
//   - the random numbers are the ChaCha8 stream of that seed (C2SP chacha8rand), read as consecutive unsigned 64-bit
//     little-endian numbers;
//   - the list 0, 1, ... n-1 is shuffled from its end: for i = n-1 down to 1, entry i changes places with entry j, where
//     j is the next number modulo i+1. A number at or above the largest multiple of i+1 that 64 bits hold is thrown away
//     and the next one taken, so that every j is equally likely.
func Permutation(root uint64, workload string, repeat, n uint32) []uint32 {
	list := make([]uint32, n)
	for i := range list {
		list[i] = uint32(i)
	}
	random := seed.Derive(root, seed.Order, []byte(workload), seed.Uint(uint64(repeat))).Rand()
	swap(len(list), random, func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// swap shuffles n entries by the rule that Permutation tells.
func swap(n int, random *rand.Rand, change func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		change(i, int(below(random.Uint64, uint64(i)+1)))
	}
}

// below returns a number in [0, n) by the rule that Permutation tells.
func below(next func() uint64, n uint64) uint64 {
	beyond := (math.MaxUint64%n + 1) % n // 2^64 mod n
	for {
		if v := next(); beyond == 0 || v <= math.MaxUint64-beyond {
			return v % n
		}
	}
}
