package report

import (
	"cmp"
	"slices"

	"paceline/core/journal"
	"paceline/core/metrics"
	"paceline/core/sample"
)

// Timeline is one conversation as it was played.
type Timeline struct {
	Conversation sample.Conversation `json:"conversation"`
	Turns        []TimelineTurn      `json:"turns"` // in the order in which they were sent, those that were not at the end
	metrics.Shape
}

// TimelineTurn is one turn of a timeline. Instants are nanoseconds from the epoch, -1 where they were not reached.
type TimelineTurn struct {
	Turn       uint32         `json:"turn"`
	Branch     uint32         `json:"branch"`
	Waits      []uint32       `json:"waits,omitempty"`
	ForkOf     *uint32        `json:"fork_of,omitempty"`
	Outcome    sample.Outcome `json:"outcome"`
	Cause      string         `json:"cause,omitempty"`
	Due        sample.Offset  `json:"due"`
	Sent       sample.Offset  `json:"sent"`
	FirstToken sample.Offset  `json:"first_token"`
	Done       sample.Offset  `json:"done"`
	NextStart  sample.Offset  `json:"next_start"`
	NextDone   sample.Offset  `json:"next_done"`
	Critical   bool           `json:"critical"`
}

// Wanted names the conversations whose timelines are wanted. Empty fields and nil match all; without a trajectory it is the
// longest of them, and where some branch, of those.
type Wanted struct {
	Workload, Trajectory string
	Repeat               *uint32
}

func (w *Wanted) matches(id *sample.ID) bool {
	return (w.Trajectory == "" || id.Trajectory == w.Trajectory) && (w.Workload == "" || id.Workload == w.Workload) && (w.Repeat == nil || id.Repeat == *w.Repeat)
}

// Timelines returns the conversations that are wanted, in the order of their starts.
func Timelines(run *journal.Run, want Wanted) []Timeline {
	chosen := want.choose(run)
	samples := make(map[sample.ID][]sample.Sample, len(chosen))
	for _, c := range chosen {
		samples[c.ID] = nil
	}
	for i := range run.Samples {
		id := run.Samples[i].Conversation()
		if list, wanted := samples[id]; wanted {
			samples[id] = append(list, run.Samples[i])
		}
	}
	list := make([]Timeline, 0, len(chosen))
	for _, c := range chosen {
		list = append(list, timeline(c, samples[c.ID]))
	}
	return list
}

func (w *Wanted) choose(run *journal.Run) []*sample.Conversation {
	var list []*sample.Conversation
	for i := range run.Conversations {
		if c := &run.Conversations[i]; w.matches(&c.ID) {
			list = append(list, c)
		}
	}
	if w.Trajectory != "" || len(list) == 0 {
		return list
	}
	branch := map[sample.ID]bool{}
	for i := range run.Samples {
		if s := &run.Samples[i]; s.Branch != 0 || s.Waits != nil {
			branch[s.Conversation()] = true
		}
	}
	longest := list[0]
	for _, c := range list[1:] {
		if branch[c.ID] && !branch[longest.ID] || branch[c.ID] == branch[longest.ID] && c.End-c.Start > longest.End-longest.Start {
			longest = c
		}
	}
	return []*sample.Conversation{longest}
}

func timeline(c *sample.Conversation, samples []sample.Sample) Timeline {
	t := Timeline{Conversation: *c, Turns: []TimelineTurn{}, Shape: metrics.ShapeOf(c, samples)}
	for i := range samples {
		s := &samples[i]
		g := &s.Timing
		t.Turns = append(t.Turns, TimelineTurn{
			Turn: s.Turn, Branch: s.Branch, Waits: s.Waits, ForkOf: s.ForkOf, Outcome: s.Outcome, Cause: s.Cause, Due: g.Due, Sent: g.Sent,
			FirstToken: g.FirstToken, Done: g.Done, NextStart: g.NextStart, NextDone: g.NextDone, Critical: slices.Contains(t.Path, s.Turn),
		})
	}
	slices.SortStableFunc(t.Turns, func(a, b TimelineTurn) int {
		if a.Sent.Set() != b.Sent.Set() {
			return cmp.Compare(b.Sent, a.Sent)
		}
		return cmp.Compare(a.Sent, b.Sent)
	})
	return t
}
