package sample

import "time"

// Part is what a conversation plays of its trajectory where that is not all of it, or where something was decided about it:
// the planned turns at the positions from From up to To. Only they have samples. What came before From stands in the history
// of the first request as it is recorded, or as filler of the planned lengths.
type Part struct {
	From int `json:"from"`
	To   int `json:"to"`
	Of   int `json:"of"` // planned turns of the trajectory
	// Entered says by which rule the conversation may begin inside its trajectory, and Stayed why it begins with the first turn
	// all the same where the rule would have had it otherwise.
	Entered string `json:"entered,omitempty"`
	Stayed  string `json:"stayed,omitempty"`
	Cut     string `json:"cut,omitempty"` // why it ends before the trajectory does
	// Wait is how long the conversation waits before its first request: what is left of that turn's tool delay.
	Wait time.Duration `json:"wait_ns,omitempty"`
}

// Words of Part.
const (
	EnteredSpread = "spread" // the user's first conversation begins at a drawn position
	EnteredLast   = "last"   // the last turn alone is played

	StayedLive    = "live_agent" // the turns of a live agent depend on answers
	StayedAnswers = "no_answers" // live history: nothing can stand for the answers that the target would have given

	CutContext = "max_context" // the next turn is beyond the longest context
)

// NoteEntered marks the first turn that a conversation plays of its trajectory where that is not the trajectory's first. Its
// prompt was sent by nobody before.
const NoteEntered = "entered"

// NoteTruncated marks a turn before whose request older turns were left out of the history, so that the target's cache holds
// no more of it than what the first turn said.
const NoteTruncated = "context_truncated"

// Whole reports whether all of the trajectory is played.
func (p *Part) Whole() bool { return p == nil || p.From == 0 && p.To == p.Of }

// Inside reports whether the conversation begins behind its trajectory's first turn.
func (p *Part) Inside() bool { return p != nil && p.From > 0 }

// Finishes reports whether the conversation plays its trajectory's last turn.
func (p *Part) Finishes() bool { return p == nil || p.To == p.Of }

// Bounds are From and To of a part that may come from a stranger, within a list of n planned turns.
func (p *Part) Bounds(n int) (from, to int) {
	if p == nil {
		return 0, n
	}
	to = min(max(p.To, 0), n)
	return min(max(p.From, 0), to), to
}

// Skipped says why a trajectory was planned and not started: its turn, the first of them, is beyond the longest context.
type Skipped struct {
	Turn   uint32 `json:"turn"`
	Tokens int64  `json:"tokens"` // of its prompt and its answer, by the run's rule
}
