package config

import (
	"errors"
	"os"
)

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

// judgeInputs checks the files that judges are given.
func (c *checker) judgeInputs(r Run) {
	for _, name := range sortedKeys(r.Judging.Inputs) {
		if !r.judgedBy(name) {
			c.fail(Path("judging", "inputs", name), "the run has no validator, scorer or counter of that name")
			continue
		}
		for _, input := range sortedKeys(r.Judging.Inputs[name]) {
			at := Path("judging", "inputs", name, input)
			if path := r.Judging.Inputs[name][input]; path == "" {
				c.fail(at, "has no file; give --input %s:%s=FILE", name, input)
			} else if _, err := os.Stat(path); err != nil {
				c.fail(at, "%v", err)
			}
		}
	}
}

func (r *Run) judgedBy(name string) bool {
	for _, list := range []map[string]map[string]any{r.Validators, r.Scorers, r.Counters} {
		if _, there := list[name]; there {
			return true
		}
	}
	return false
}

// CheckJudging is the part of Check that is about counters and the files of judges, for judging a run again.
func (r Resolved) CheckJudging() error {
	c := checker{origins: r.Origins}
	c.counters(r.Run)
	c.judgeInputs(r.Run)
	return errors.Join(c.errs...)
}
