package sample

import "slices"

// Recheck is what the target said when the request of a turn that ended without a word (status 200, and then nothing) was
// sent once more after the load, not streamed: some servers tell only then that a prompt does not fit.
type Recheck struct {
	ID
	At      Offset  `json:"at"`      // when it was asked
	Outcome Outcome `json:"outcome"` // of the second request
	Status  int     `json:"status"`  // HTTP status, 0 where none came
	Cause   string  `json:"cause,omitempty"`
}

// Silent reports whether the target took the request with status 200 and ended the answer without a word about why: no
// generated text, no error.
func (x *Exchange) Silent() bool {
	if x.Status != 200 || x.Timing.FirstToken.Set() {
		return false
	}
	return x.Outcome == EmptyBody || x.Outcome == Truncated
}

// Explain adds what the recheck told to a silent sample. Only an overflow changes the outcome: it follows from the request
// alone, while every other answer may have come from another moment.
func (s *Sample) Explain(r *Recheck) {
	if !s.Silent() {
		return
	}
	told := r.Cause
	if told == "" {
		told = string(r.Outcome)
	}
	s.Cause += "; the same request after the load, not streamed: " + told
	if r.Outcome == ContextOverflow {
		s.Outcome = ContextOverflow
		s.Notes = withNote(s.Notes, NoteRechecked)
	}
}

// withNote returns the notes and n, sorted.
func withNote(notes []string, n string) []string {
	notes = append(slices.Clip(notes), n)
	slices.Sort(notes)
	return notes
}
