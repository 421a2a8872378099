package traces

import (
	"crypto/sha256"
	"errors"
	"strconv"

	"paceline/core/digest"
	"paceline/core/trajectory"
)

// Anonymizer replaces every text of trajectories: contents, reasoning, arguments and names of tools, their definitions,
// ids, labels. It keeps turns, branches, roles, waits, token counts, the length of each text in bytes, and which texts are
// equal or begin alike. No text that it writes holds twelve bytes in a row of any text that it was given.
//
// What it writes depends on the file's digest, so a guess at a text is not confirmed without the file.
type Anonymizer struct {
	w       writer
	number  int // of the mark
	names   map[string]string
	numbers map[byte]int // of names given, by their first letter
}

// NewAnonymizer makes one for the trajectories of the file with that digest.
func NewAnonymizer(file digest.SHA256) *Anonymizer {
	a := &Anonymizer{number: -1}
	a.w.key = sha256.Sum256(append([]byte("paceline/anonymize/v1"), file[:]...))
	_ = a.Restart() // there is a first mark
	return a
}

// Spoilt reports whether a text held the mark by which made-up texts are kept apart. Then what was written is worth nothing,
// and all trajectories must be given again after Restart.
func (a *Anonymizer) Spoilt() bool { return a.w.met }

// Restart begins anew with another mark.
func (a *Anonymizer) Restart() error {
	a.number++
	mark, ok := markOf(a.number)
	if !ok {
		return errors.New("make trajectories anonymous: the file holds every pair of signs that could mark made-up text")
	}
	a.w.mark, a.w.met = mark, false
	a.names, a.numbers = map[string]string{}, map[byte]int{}
	return nil
}

// maxName is the longest name that is given: too short to hold twelve bytes of anything.
const maxName = 11

// name gives a name for a text, the same one each time: a letter for what it is and a number. Names are as long as what they
// stand for, where that is possible.
func (a *Anonymizer) name(kind byte, original string) string {
	if original == "" {
		return ""
	}
	a.w.look([]byte(original))
	key := string(kind) + original
	if given, ok := a.names[key]; ok {
		return given
	}
	a.numbers[kind]++
	number := strconv.Itoa(a.numbers[kind])
	out := []byte{kind}
	for range min(len(original), maxName) - len(number) - 1 {
		out = append(out, '0')
	}
	given := string(append(out, number...))
	a.names[key] = given
	return given
}

// Trajectory gives the anonymous form. It shares nothing with t but numbers.
func (a *Anonymizer) Trajectory(t *trajectory.Trajectory) (*trajectory.Trajectory, error) {
	out := &trajectory.Trajectory{
		ID: a.name('t', t.ID), Index: t.Index, Domain: a.name('d', t.Domain), Labels: a.labels(t.Labels), StartOffset: t.StartOffset,
	}
	var err error
	if out.Params, err = a.params(t.Params); err != nil {
		return nil, err
	}
	if out.Tools, err = a.tools(t.Tools); err != nil {
		return nil, err
	}
	for i := range t.Turns {
		turn, err := a.turn(&t.Turns[i])
		if err != nil {
			return nil, err
		}
		out.Turns = append(out.Turns, turn)
	}
	return out, nil
}

func (a *Anonymizer) turn(t *trajectory.Turn) (trajectory.Turn, error) {
	out := *t
	out.Labels, out.Truth, out.Append, out.Recorded = a.labels(t.Labels), truth(t.Truth), nil, nil
	var err error
	if out.Params, err = a.params(t.Params); err != nil {
		return out, err
	}
	for i := range t.Append {
		m, err := a.message(&t.Append[i])
		if err != nil {
			return out, err
		}
		out.Append = append(out.Append, m)
	}
	if t.Recorded != nil {
		m, err := a.message(t.Recorded)
		if err != nil {
			return out, err
		}
		out.Recorded = &m
	}
	return out, nil
}

// labels keeps who made a request necessary; other labels get names, and the format goes.
func (a *Anonymizer) labels(list []trajectory.Label) []trajectory.Label {
	var out []trajectory.Label
	for _, l := range list {
		switch {
		case l.Key == "format":
		case l.Key == "request" && (l.Value == "user" || l.Value == "tool"):
			out = append(out, l)
		default:
			out = append(out, trajectory.Label{Key: a.name('l', l.Key), Value: a.name('v', l.Value)})
		}
	}
	return sorted(out)
}
