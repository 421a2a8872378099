package sweep

import (
	"cmp"
	"slices"
)

// Measured is a rate at one number of users.
type Measured struct {
	Users int
	// MicroTurns is how many turns end in a second, in millionths.
	MicroTurns int64
}

// Rate guesses the rate at another number of users: on a straight line between two measured ones, in proportion below the lowest and
// as the highest above it, since an engine that is full gives no more. Of one measurement only the proportion is known.
func Rate(list []Measured, users int) int64 {
	list = slices.SortedFunc(slices.Values(list), func(a, b Measured) int { return cmp.Compare(a.Users, b.Users) })
	if len(list) == 0 {
		return 0
	}
	low := list[0]
	if users <= low.Users || len(list) == 1 {
		return low.MicroTurns * int64(users) / int64(low.Users)
	}
	for _, high := range list[1:] {
		if users <= high.Users {
			return low.MicroTurns + (high.MicroTurns-low.MicroTurns)*int64(users-low.Users)/int64(high.Users-low.Users)
		}
		low = high
	}
	return low.MicroTurns
}

// Pass is one pass over a workload.
type Pass struct {
	Turns        int64
	Trajectories int64
}

// maxRepeats bounds what is guessed of a very fast target.
const maxRepeats = 1000

// Expect fills in how many passes a point needs, so that its window is as long as it must be, and how long it takes by the rate. The
// window closes when the first user is idle, about a trajectory's time before the end. A point that says its repeats keeps them.
func (p *PlannedPoint) Expect(pass Pass, microTurns int64) {
	if pass.Turns < 1 || pass.Trajectories < 1 || microTurns < 1 {
		return
	}
	seconds := max(1, pass.Turns*1_000_000/microTurns) // of one pass
	if p.MinSeconds > 0 && p.Repeats == 0 {
		p.Repeats = 1
		for p.Repeats < maxRepeats && window(seconds, int64(p.Repeats), int64(p.Concurrency), pass.Trajectories) < p.MinSeconds {
			p.Repeats++
		}
	}
	p.Expected = seconds * int64(max(p.Repeats, 1))
}

// window is about how long so many passes last until the first user is idle.
func window(seconds, repeats, users, trajectories int64) int64 {
	return seconds*repeats - seconds*users/trajectories
}

// Expect fills in every point and the sum.
func (p *Plan) Expect(basis string, pass Pass, list []Measured, notes []string) {
	e := &Expected{Basis: basis, Notes: notes}
	for i := range p.Points {
		x := &p.Points[i]
		x.Expect(pass, Rate(list, x.Concurrency))
		e.Seconds += x.Expected
	}
	p.Expected = e
}
