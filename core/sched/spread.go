package sched

import (
	"math/bits"
	"time"

	"paceline/core/sample"
	"paceline/core/seed"
	"paceline/core/trajectory"
)

// tokenTime is how long a token of an answer is taken to last when a position in a trajectory is drawn: fifty a second.
const tokenTime = 20 * time.Millisecond

// Bounds of what a position is drawn from, so that a sum over a stranger's turns stays inside of 64 bits.
const (
	maxDrawn  = 12 * time.Hour
	maxTokens = 1 << 21
)

// spread is what a user's first conversation plays of a plan: from a drawn position on.
//
// Positions are spread evenly over the planned time of the trajectory: the tool delays as they will be waited, and the answers
// at fifty tokens a second. So the user is at any turn as often as it would be in the middle of a long run. Where the position
// falls into a delay, what is left of that is waited; where it falls into an answer, its request is sent at once.
func (r *run) spread(m *member, p *plan, user uint32) *sample.Part {
	part := &sample.Part{To: p.to, Of: len(p.trajectory.Turns), Entered: sample.EnteredSpread}
	if p.to < part.Of {
		part.Cut = sample.CutContext
	}
	if m.Info.Live {
		part.Stayed = sample.StayedLive
		return part
	}
	drawn, wait := r.draw(p, user)
	part.From = p.entry(drawn)
	if unanswered(m, p.trajectory.Turns[:part.From]) >= 0 {
		part.From, part.Stayed = 0, sample.StayedAnswers
	}
	if part.From == drawn && drawn > 0 {
		part.Wait = wait
	}
	return part
}

// draw draws a turn, and what is left of its delay.
func (r *run) draw(p *plan, user uint32) (turn int, wait time.Duration) {
	turns := p.turns()
	spans, sum := r.spans(p)
	at, _ := bits.Mul64(positions(r.config.Seed, user).position, sum)
	for i := range turns {
		if at >= spans[i] {
			at -= spans[i]
			continue
		}
		return i, max(r.delayed(turns[i].Delay)-time.Duration(at), 0)
	}
	return len(turns) - 1, 0
}

// spans are the planned times of a plan's turns, and their sum.
func (r *run) spans(p *plan) (spans []uint64, sum uint64) {
	turns := p.turns()
	spans = make([]uint64, len(turns))
	for i := range turns {
		spans[i] = uint64(r.delayed(turns[i].Delay)) + uint64(tokens(p, i))*uint64(tokenTime)
		sum += spans[i] // each below 2^47
	}
	return spans, sum
}

// delayed is the tool delay that a drawn position may fall into.
func (r *run) delayed(planned time.Duration) time.Duration {
	return min(r.delay(&sample.Sample{}, planned), maxDrawn)
}

// tokens are those that turn i's answer is taken to have when a position is drawn: at least one.
func tokens(p *plan, i int) int64 {
	n := int64(trajectory.AnswerLength(&p.trajectory.Turns[i]))
	if n == 0 {
		n = recordedTokens(p.trajectory.Turns[i].Recorded)
	}
	return min(max(n, 1), maxTokens)
}

// recordedTokens estimates a recorded answer as its workload has it, so that every target's users begin at the same places.
func recordedTokens(m *trajectory.Message) int64 {
	if m == nil {
		return 0
	}
	return tokensOf(m.Size())
}

// drawn are a user's random numbers: for which trajectory it begins with, and where in it.
type drawn struct{ choice, position uint64 }

func positions(root uint64, user uint32) drawn {
	random := seed.Derive(root, seed.Start, seed.Uint(uint64(user))).Rand()
	return drawn{random.Uint64(), random.Uint64()}
}
