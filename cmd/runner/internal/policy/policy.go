// Package policy scripts what a simulated engine answers, so that a live workload can be played without a model and its
// score is known beforehand.
package policy

import (
	"fmt"
	"strconv"
	"strings"

	"paceline/core/sim"
)

// Answer is what sim.Config takes.
type Answer = func(*sim.Request) (sim.Answer, bool)

// Parse reads a policy as a user names it: codeqa:50 solves half of the tasks of std/codeqa, smalltasks:50 half of those of
// the plugin smalltasks, of which the seed chooses; replies:FILE answers by a file, recorded:FILE[:TOKENS] as a data set was recorded.
func Parse(text string, seed uint64) (Answer, error) {
	name, share, _ := strings.Cut(text, ":")
	switch name {
	case "replies":
		return replies(share)
	case "recorded":
		return recorded(share)
	}
	percent, err := strconv.Atoi(share)
	scripts := map[string]func(int, uint64) Answer{"codeqa": codeQA, "smalltasks": smallTasks}
	if scripts[name] == nil || err != nil || percent < 0 || percent > 100 {
		return nil, fmt.Errorf("policy %q: codeqa:PERCENT or smalltasks:PERCENT with 0 to 100 is expected, e.g. codeqa:50, or replies:FILE, or recorded:FILE[:TOKENS]", text)
	}
	return scripts[name](percent, seed), nil
}
