package sched

import (
	"slices"

	"paceline/core/chat"
	"paceline/core/sample"
)

// Notes of turns whose tool results did not fit the calls of the live answer before them; see chat.Pairing.
const (
	NoteResultFilled = "tool_result_filled" // a call without a result got an empty one
	NoteResultMoved  = "tool_result_moved"  // a result without a call went as a user message
)

func noteResults(s *sample.Sample, p chat.Pairing) {
	s.Rewrites = p.Rewrites
	if p.Filled > 0 {
		note(s, NoteResultFilled)
	}
	if p.Moved > 0 {
		note(s, NoteResultMoved)
	}
}

// noteReach marks the first turn that is played where that is not its trajectory's first, and what its request leaves out.
func (c *conversation) noteReach(s *sample.Sample, i int) {
	if c.from > 0 && i == c.from {
		note(s, sample.NoteEntered)
	}
	left := c.plan.left
	if left == nil || i >= len(left) {
		return
	}
	s.LeftOut = left[i]
	if before := max(i-1, 0); left[i] > left[before] {
		note(s, sample.NoteTruncated)
	}
}

// note adds to the notes of a turn, which are sorted.
func note(s *sample.Sample, text string) {
	notes := append(slices.Clone(s.Notes), text)
	slices.Sort(notes)
	s.Notes = notes
}
