package load

import (
	"math"
	"time"
)

// Pattern says how many users are asked for at each time of the load. The zero Pattern asks for one user.
type Pattern struct {
	users  int // less one, so that the zero value is one user
	stages []Stage
}

// Constant returns the pattern that asks for the same number of users all the time. Fewer than one are refused by Check.
func Constant(users int) Pattern { return Pattern{users: users - 1} }

// Staged returns the pattern whose number of users changes by stages; behind the last one its level holds on. On a ramp the
// next user is asked for when the line reaches its number. The stages must have passed CheckStages.
func Staged(stages []Stage) Pattern {
	p := Pattern{stages: stages}
	for _, s := range stages {
		p.users = max(p.users, int(s.Level)-1)
	}
	return p
}

// Users returns how many users are asked for once the load has run for elapsed.
func (p Pattern) Users(elapsed time.Duration) int {
	if p.stages == nil {
		return p.users + 1
	}
	var begun time.Duration
	for i, s := range p.stages {
		if elapsed < begun+s.For {
			begin := from(p.stages, i)
			return int(begin + mul(s.Level-begin, float64(elapsed-begun)/float64(s.For)))
		}
		begun += s.For
	}
	return int(p.stages[len(p.stages)-1].Level)
}

// Max returns the largest number of users that the pattern ever asks for.
func (p Pattern) Max() int { return p.users + 1 }

// Changes reports whether the number of users changes with time.
func (p Pattern) Changes() bool { return p.stages != nil }

// Wanted returns when the pattern asks for user number (0-based) again, not before elapsed; false: never again.
func (p Pattern) Wanted(number int, elapsed time.Duration) (time.Duration, bool) {
	if p.Users(elapsed) > number {
		return elapsed, true
	}
	var begun time.Duration
	for i, s := range p.stages {
		end := begun + s.For
		if end > elapsed {
			if at := begun + p.crossing(i, number); at > elapsed && at < end && p.Users(at) > number {
				return at, true
			}
			if p.Users(end) > number {
				return end, true
			}
		}
		begun = end
	}
	return 0, false
}

// crossing is how long after the start of stage i a rising line asks for the user; its length where it does not.
func (p Pattern) crossing(i, number int) time.Duration {
	s := p.stages[i]
	begin := from(p.stages, i)
	if s.Level <= begin {
		return s.For
	}
	share := max((float64(number)+1-begin)/(s.Level-begin), 0)
	at := time.Duration(math.Ceil(mul(min(share, 1), float64(s.For))))
	for at < s.For && int(begin+mul(s.Level-begin, float64(at)/float64(s.For))) <= number {
		at++ // rounding
	}
	return at
}
