package report

import (
	"fmt"

	"paceline/core/metrics"
)

// branching tells of trajectories that branch; nil: none does.
func (p *page) branching(b *metrics.Branching) {
	if b == nil {
		return
	}
	p.section(fmt.Sprintf("BRANCHES (of %d of those trajectories, with %s)", b.Completed, count(b.Fans, "fan")))
	p.head("")
	p.dist("branches", &b.Branches)
	p.dist("fan: branches", &b.Width)
	p.dist("fan-out to fan-in ms", &b.Span)
	p.dist("  fastest to slowest", &b.Straggler)
	p.dist("critical path turns", &b.PathTurns)
	p.dist("  in flight ms", &b.PathEngine)
	p.dist("parallelism", &b.Parallel)
	p.pair("In flight", told(b.InFlight, "requests")+fmt.Sprintf(" in the mean, %d at most, of all conversations", b.Peak))
}
