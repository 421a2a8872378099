package config

import "strconv"

// Values of load.start, load.replay and load.max_context.
const (
	Together = "together"
	Spread   = "spread"
	Last     = "last"
	Auto     = "auto" // the target's own limit
)

// Whole reports whether every conversation plays its trajectory from the first turn to the last.
func (l *Load) Whole() bool { return l.Start != Spread && l.Replay != Last && l.MaxContext == "" }

// reach checks how much of trajectories is played.
func (c *checker) reach(l Load) {
	c.oneOf("load.start", l.Start, "", Together, Spread)
	c.oneOf("load.replay", l.Replay, "", "all", Last)
	c.oneOf("load.over_context", l.OverContext, "", "skip", "truncate", "end", "fail")
	if l.Start == Spread && l.Arrivals.Kind != Closed {
		c.fail("load.start", "spread lets each user's first conversation begin inside its trajectory; where conversations arrive by themselves (%s) there is none", l.Arrivals.Kind)
	}
	if l.Start == Spread && l.Replay == Last {
		c.fail("load.start", "spread goes with whole trajectories, and load.replay is last; give one of them")
	}
	if l.MaxContext == "" || l.MaxContext == Auto {
		return
	}
	if n, err := strconv.ParseInt(l.MaxContext, 10, 64); err != nil || n < 1 {
		c.fail("load.max_context", "%q is no number of tokens above 0, and not auto, which is the target's own limit", l.MaxContext)
	}
}
