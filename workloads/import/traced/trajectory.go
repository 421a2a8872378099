package traced

import (
	"paceline/sdk"
	"paceline/workloads/import/history"
)

// Trajectory makes turns of requests in the order of their start. Those without messages are filler of the lengths that
// their usage tells.
func Trajectory(calls []history.Call) *sdk.Trajectory {
	var lengths []history.Length
	for i := range calls {
		c := &calls[i]
		if len(c.Input) > 0 {
			continue
		}
		lengths = append(lengths, history.LengthOf(c))
		c.Fill(i)
	}
	if len(lengths) == len(calls) {
		return &sdk.Trajectory{Turns: history.Lengths(lengths)}
	}
	return history.Trajectory(calls)
}
