package load

import "time"

// Pattern says how many users are asked for at each time of the load. The zero Pattern asks for one user.
type Pattern struct {
	users int // less one, so that the zero value is one user
}

// Constant returns the pattern that asks for the same number of users all the time. Fewer than one are refused by Check.
func Constant(users int) Pattern { return Pattern{users: users - 1} }

// Users returns how many users are asked for once the load has run for elapsed.
func (p Pattern) Users(time.Duration) int { return p.users + 1 }

// Max returns the largest number of users that the pattern ever asks for.
func (p Pattern) Max() int { return p.users + 1 }
