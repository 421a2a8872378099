package trajectory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// MaxBranches is the most branches of one conversation, and so the most of its turns that are in flight at once.
const MaxBranches = 4096

// maxFaults bounds how many faults one check lists.
const maxFaults = 20

// faults collects what is wrong, up to maxFaults.
type faults struct {
	list []error
	more int
}

func (f *faults) add(format string, args ...any) {
	if len(f.list) == maxFaults {
		f.more++
		return
	}
	f.list = append(f.list, fmt.Errorf(format, args...))
}

func (f *faults) err() error {
	if f.more > 0 {
		return errors.Join(append(f.list, fmt.Errorf("and %d more faults", f.more))...)
	}
	return errors.Join(f.list...)
}

// Check reports everything that makes the trajectory malformed, up to 20 faults; nil means that it is well formed.
// A well formed trajectory may still ask for what this runner does not play: see Unplayable.
func (t *Trajectory) Check() error {
	var f faults
	if t.ID == "" {
		f.add("trajectory %d: its id is empty", t.Index)
	}
	if i := strings.IndexFunc(t.ID, func(r rune) bool { return r < ' ' || r > '~' }); i >= 0 {
		f.add("trajectory %d: byte %d of its id %q is not printable ascii, which a header value must be", t.Index, i, t.ID)
	}
	at := fmt.Sprintf("trajectory %q", t.ID)
	checkLabels(&f, at, t.Labels)
	checkJSON(&f, at+": params", t.Params, '{')
	checkJSON(&f, at+": tools", t.Tools, '[')
	checkJSON(&f, at+": truth", t.Truth, 0)
	if t.StartOffset != nil && *t.StartOffset < 0 {
		f.add("%s: its start offset %v is negative", at, *t.StartOffset)
	}
	if len(t.Turns) == 0 {
		f.add("%s: it has no turns", at)
	}
	checkTurns(&f, at, t.Turns, 0)
	return f.err()
}

// CheckTurns reports everything wrong with turns[from:], which a live conversation got after those before; id is the
// trajectory's, for the message.
func CheckTurns(id string, turns []Turn, from int) error {
	var f faults
	checkTurns(&f, fmt.Sprintf("trajectory %q", id), turns, from)
	return f.err()
}

func checkTurns(f *faults, at string, turns []Turn, from int) {
	place := make(map[uint32]int, len(turns)) // index of a turn -> its position
	for i := range turns {
		if first, twice := place[turns[i].Index]; twice {
			if i >= from {
				f.add("%s: turns %d and %d of its list have the same index %d", at, first, i, turns[i].Index)
			}
			continue
		}
		place[turns[i].Index] = i
	}
	begun := map[uint32]bool{} // branches that have a turn before the one looked at
	for i := range turns {
		if i >= from {
			checkTurn(f, fmt.Sprintf("%s, turn %d", at, turns[i].Index), turns, i, place, begun)
		}
		begun[turns[i].Branch] = true
	}
	if len(begun) > MaxBranches {
		f.add("%s: it has %d branches, %d are allowed", at, len(begun), MaxBranches)
	}
	if len(f.list) == 0 {
		checkWaits(f, at, turns)
	}
}

func checkTurn(f *faults, at string, turns []Turn, i int, place map[uint32]int, begun map[uint32]bool) {
	t := &turns[i]
	if t.Delay < 0 {
		f.add("%s: its delay %v is negative", at, t.Delay)
	}
	checkLabels(f, at, t.Labels)
	checkJSON(f, at+": params", t.Params, '{')
	checkJSON(f, at+": truth", t.Truth, 0)
	for k := range t.Append {
		checkMessage(f, fmt.Sprintf("%s: message %d", at, k), &t.Append[k], place)
	}
	if t.Recorded != nil {
		checkMessage(f, at+": recorded answer", t.Recorded, place)
	}
	if t.After != nil {
		for _, w := range *t.After {
			if j, known := place[w]; !known || j == i {
				f.add("%s: it waits for turn %d, which is no other turn of the trajectory", at, w)
			}
		}
	}
	if t.ForkOf == nil {
		return
	}
	switch j, known := place[*t.ForkOf]; {
	case begun[t.Branch]:
		f.add("%s: only the first turn of a branch forks", at)
	case !known || turns[j].Branch == t.Branch:
		f.add("%s: it forks from turn %d, which is no turn of another branch", at, *t.ForkOf)
	}
}

// checkWaits finds turns that could never start, since they wait for each other.
func checkWaits(f *faults, at string, turns []Turn) {
	if !Branches(turns, 0) && !slices.ContainsFunc(turns, func(t Turn) bool { return holdsAnswers(&t) }) {
		return
	}
	if started := len(NewGraph(turns).Order()); started < len(turns) {
		f.add("%s: %d turns wait for each other and could never start", at, len(turns)-started)
	}
}

func holdsAnswers(t *Turn) bool {
	for range answers(t.Append) {
		return true
	}
	return false
}

func checkMessage(f *faults, at string, m *Message, place map[uint32]int) {
	switch {
	case (m.JSON == nil) == (m.Composed == nil):
		f.add("%s: exactly one of json and composed is to be set", at)
	case m.JSON != nil:
		checkRole(f, at, m.JSON)
	default:
		checkComposed(f, at, m.Composed, place)
	}
}

func checkRole(f *faults, at string, raw json.RawMessage) {
	var message struct {
		Role *string `json:"role"`
	}
	if err := json.Unmarshal(raw, &message); err != nil {
		f.add("%s: it is no chat message: %w", at, err)
	} else if message.Role == nil || *message.Role == "" {
		f.add("%s: it has no role", at)
	}
}

func checkComposed(f *faults, at string, c *Composed, place map[uint32]int) {
	if c.Role == "" {
		f.add("%s: it has no role", at)
	}
	for i, p := range c.Pieces {
		set := 0
		for _, is := range []bool{p.Text != nil, p.Filler != nil, p.AnswerOfTurn != nil} {
			if is {
				set++
			}
		}
		if set != 1 {
			f.add("%s: piece %d: exactly one of text, filler and answer_of_turn is to be set", at, i)
		}
		if p.Filler != nil && (p.Filler.Scope < ScopeTrajectory || p.Filler.Scope > ScopeWorkload) {
			f.add("%s: piece %d: filler has no scope with the number %d", at, i, p.Filler.Scope)
		}
		if p.AnswerOfTurn == nil {
			continue
		}
		if _, known := place[*p.AnswerOfTurn]; !known {
			f.add("%s: piece %d: there is no turn %d whose answer it could be", at, i, *p.AnswerOfTurn)
		}
	}
}

func checkLabels(f *faults, at string, labels []Label) {
	if !slices.IsSortedFunc(labels, func(a, b Label) int { return strings.Compare(a.Key, b.Key) }) {
		f.add("%s: its labels are not sorted by key", at)
	}
	for i := 1; i < len(labels); i++ {
		if labels[i].Key == labels[i-1].Key {
			f.add("%s: label %q occurs twice", at, labels[i].Key)
		}
	}
}

// checkJSON checks a JSON document that begins with open; nil is none, and 0 stands for any document.
func checkJSON(f *faults, at string, raw json.RawMessage, open byte) {
	if raw == nil {
		return
	}
	if !json.Valid(raw) {
		f.add("%s: not well-formed JSON", at)
		return
	}
	if open != 0 && bytes.TrimLeft(raw, " \t\r\n")[0] != open {
		f.add("%s: a JSON %s is expected", at, map[byte]string{'{': "object", '[': "array"}[open])
	}
}
