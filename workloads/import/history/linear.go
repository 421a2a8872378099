package history

import (
	"paceline/sdk"
	"paceline/workloads/import/frame"
)

// Linear makes the turns of one list of messages: client messages gather until an answer comes, which makes a turn of
// them. The zero value is ready.
type Linear struct {
	turns   []sdk.Turn
	pending []sdk.Message
	kind    string // of the latest client message: user or tool
	at      int64  // its time
	timed   bool   // at is set
	done    int64  // time of the latest answer
	was     bool   // done is set
	branch  uint32
	reset   bool
}

// Client adds a message of the client. kind is "tool" for results of tools and "user" for all else; at is when it was there,
// nanoseconds or frame.NoTime.
func (l *Linear) Client(m sdk.Message, kind string, at int64) {
	l.pending = append(l.pending, m)
	l.kind = kind
	if at != frame.NoTime && (!l.timed || at > l.at) {
		l.at, l.timed = at, true
	}
}

// Answer ends a turn: m is what was answered, complete at that time. The turn may be changed until the next call. An answer
// right after another one stands for itself in the history: the one before it becomes part of what the client sends. So
// does one before which the client said nothing at all; the turn that comes back is then none of the list.
func (l *Linear) Answer(m sdk.Message, at int64) *sdk.Turn {
	if len(l.turns) == 0 && len(l.pending) == 0 {
		l.Client(m, "user", frame.NoTime)
		return &sdk.Turn{}
	}
	if n := len(l.turns); n > 0 && len(l.pending) == 0 && !l.reset && l.turns[n-1].Recorded != nil {
		last := &l.turns[n-1]
		last.Append = append(last.Append, *last.Recorded)
		last.Recorded = &m
		l.answered(at)
		return last
	}
	t := l.turn()
	t.Recorded = &m
	l.answered(at)
	return t
}

// Tail makes a turn without an answer on record of what the client said last; nil where it said nothing since an answer.
func (l *Linear) Tail() *sdk.Turn {
	if len(l.pending) == 0 {
		return nil
	}
	return l.turn()
}

// Reset says that the next request does not go on from the history before it: it begins a branch of its own.
func (l *Linear) Reset() { l.reset = len(l.turns) > 0 }

// Delay sets the wait before the next request, in place of what the times say.
func (l *Linear) Delay(ns uint64) {
	l.at, l.timed, l.done, l.was = int64(ns), true, 0, true
}

// Turns gives the turns; the last one's answer is the one that the user sees.
func (l *Linear) Turns() []sdk.Turn {
	if n := len(l.turns); n > 0 {
		l.turns[n-1].Final = true
	}
	return l.turns
}

func (l *Linear) answered(at int64) {
	l.was = at != frame.NoTime
	l.done = at
}

func (l *Linear) turn() *sdk.Turn {
	t := sdk.Turn{Index: uint32(len(l.turns)), Append: l.pending, Labels: Request(l.kind)}
	if l.timed && l.was && l.at > l.done {
		t.DelayNs = uint64(l.at - l.done)
	}
	if l.reset {
		l.branch++
		t.After = &sdk.After{Turns: []uint32{t.Index - 1}}
	}
	t.Branch = l.branch
	l.pending, l.kind, l.timed, l.was, l.reset = nil, "", false, false, false
	l.turns = append(l.turns, t)
	return &l.turns[len(l.turns)-1]
}

// Request labels a turn by who made it necessary: the user or a tool.
func Request(kind string) []sdk.Label {
	if kind == "" {
		kind = "user"
	}
	return []sdk.Label{{Key: "request", Value: kind}}
}
