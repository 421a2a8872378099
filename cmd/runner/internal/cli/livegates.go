package cli

import (
	"fmt"
	"time"

	"paceline/core/sched"
)

// liveGates are those of a point's gates that can be told while it plays, of what the scheduler counts anyway. Scores come when the
// point is judged.
type liveGates struct {
	least    time.Duration // of the window; 0: none
	min, max float64       // of output tokens per turn; 0: none
}

// text tells how far the gates are; nothing where there are none.
func (g *liveGates) text(elapsed time.Duration, n sched.Counts) string {
	if g == nil {
		return ""
	}
	text := ""
	if g.least > 0 {
		text += fmt.Sprintf(", %v of at least %v", elapsed.Round(time.Second), g.least)
	}
	if g.max > 0 && n.TurnsOK > 0 {
		text += fmt.Sprintf(", output %.0f (%g-%g)", float64(n.OutputTokens)/float64(n.TurnsOK), g.min, g.max)
	}
	return text
}
