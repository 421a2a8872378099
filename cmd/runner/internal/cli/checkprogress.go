package cli

import (
	"fmt"
	"time"
)

// checkedEvery is how often a check of inputs that takes long says how far it is.
const checkedEvery = 10 * time.Second

// checked tells how many trajectories of a workload's inputs are checked, as long as that goes on.
func (b *builder) checked(name string, all uint64) func(items uint64) {
	if b.quiet {
		return nil
	}
	last := time.Now()
	return func(items uint64) {
		if now := time.Now(); now.Sub(last) >= checkedEvery {
			last = now
			fmt.Fprintf(b.app.Stderr, "%s: checked %d of %d trajectories\n", name, items, all)
		}
	}
}
