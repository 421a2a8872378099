package config

import "errors"

// counters checks who counts tokens. A run has one counter at most: its figures name one source beside the target's usage.
func (c *checker) counters(r Run) {
	c.oneOf("token_source", r.TokenSource, "usage", "counter")
	names := sortedKeys(r.Counters)
	if len(names) > 1 {
		c.fail(Path("counters", names[1]), "is the second counter beside %s; a run takes one", names[0])
	}
	if len(names) == 0 && r.TokenSource == "counter" {
		c.fail("token_source", "counter needs one; give --count COMPONENT")
	}
}

// CheckCounters is the part of Check that is about counters, for judging a run again.
func (r Resolved) CheckCounters() error {
	c := checker{origins: r.Origins}
	c.counters(r.Run)
	return errors.Join(c.errs...)
}
