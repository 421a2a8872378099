package filler_test

import (
	"bytes"
	"context"
	"testing"

	"paceline/core/filler"
	"paceline/core/trajectory"
)

// following is a conversation at a target whose answers come back in a fifth more tokens than they had.
type following struct {
	t      *testing.T
	script *filler.Script
	prompt int // as the target counts it
	wrote  int // of the newest answer
}

const more, of = 6, 5

// turn makes a turn and has the target answer it; counted says that its tokenizer was asked before. It returns by how many
// tokens the prompt is off.
func (f *following) turn(turn *trajectory.Turn, counted *trajectory.Turn) int {
	f.t.Helper()
	if counted != nil {
		f.script.Counted(counted, uint64(f.wrote*more/of))
	}
	m := made(f.t, f.script, turn)
	f.prompt += f.wrote*more/of + template{}.count(m.Append)
	f.wrote = int(turn.ExactTokens)
	f.script.Told(turn, uint64(f.prompt), uint64(f.wrote))
	return f.prompt - int(m.Prompt)
}

// calibratedLengths are found at a target without a template, before any answer came back.
func calibratedLengths(t *testing.T) filler.Lengths {
	t.Helper()
	found, err := filler.Calibrate(t.Context(), 42, filler.Text, false, template{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// TestReturned: what answers come to when they are sent back is learnt, and told by a tokenizer it is exact.
func TestReturned(t *testing.T) {
	turns := agent(4000, repeat(40, 500), repeat(40, 900))
	for _, counted := range []bool{false, true} {
		f := following{t: t, script: composer(t, calibratedLengths(t)).Begin(filler.Owner{}, true)}
		for i := range turns {
			var before *trajectory.Turn
			if counted && i > 0 {
				before = &turns[i-1]
			}
			off, want := f.turn(&turns[i], before), 108 // a fifth of 500, and marks
			switch {
			case counted:
				want = 8 // the words of marks are any
			case i > 20:
				want = 14 // what the calibration found counts less and less
			}
			if max(off, -off) > want {
				t.Errorf("counted %t, turn %d: off by %d tokens, want at most %d", counted, i, off, want)
			}
		}
	}
}

// TestUnknownTextTeachesNothing: messages of unknown lengths are not taken for what an answer came to.
func TestUnknownTextTeachesNothing(t *testing.T) {
	turns := agent(4000, repeat(3, 500), repeat(3, 900))
	turns[1].Append = append(turns[1].Append, message("user", trajectory.Piece{Text: []byte("some text")}))
	c := composer(t, calibratedLengths(t))
	s := c.Begin(filler.Owner{}, true)
	made(t, s, &turns[0])
	s.Told(&turns[0], 4000, 500)
	made(t, s, &turns[1])
	s.Told(&turns[1], 5000+4000, 500)
	if got := s.Basis(&turns[2]); got != 9_500_000_000 {
		t.Errorf("500 tokens more are taken for %d millionths", got-9_000_000_000)
	}
}

// TestFollow: a turn is made again by the basis that it was made by, whatever the target told meanwhile.
func TestFollow(t *testing.T) {
	turns := agent(4000, repeat(3, 500), repeat(3, 900))
	c := composer(t, calibratedLengths(t))
	first, again := c.Begin(filler.Owner{}, true), c.Begin(filler.Owner{}, true)
	for i := range turns {
		basis := first.Basis(&turns[i])
		a := made(t, first, &turns[i])
		first.Told(&turns[i], uint64(4100+i*1500), 480)
		first.Counted(&turns[i], 575)
		again.Follow(&turns[i], basis)
		b := made(t, again, &turns[i])
		if !bytes.Equal(bytes.Join(raw(fragments(a.Append)), nil), bytes.Join(raw(fragments(b.Append)), nil)) {
			t.Errorf("turn %d is made otherwise", i)
		}
	}
}

// counting is a target with a tokenizer that is off by so many tokens, or broken.
type counting struct {
	template
	off    int
	broken bool
}

func (counting) Path() string { return "/tokenize" }

func (c counting) Tokens(_ context.Context, text []byte) (uint64, error) {
	if c.broken {
		return 0, errBroken
	}
	return uint64(tokens(string(text)) + c.off), nil
}

// TestTokenizerIsTried: one that counts otherwise than the target's prompts do is not asked between turns.
func TestTokenizerIsTried(t *testing.T) {
	for name, tt := range map[string]struct {
		asker  filler.Asker
		asked  bool
		used   bool
		reason string
	}{
		"as prompts are counted": {counting{}, true, true, ""},
		"nearly":                 {counting{off: 3}, true, true, ""},
		"another":                {counting{off: 40}, true, false, "it counts otherwise than prompts are counted"},
		"broken":                 {counting{broken: true}, true, false, errBroken.Error()},
		"none":                   {template{}, false, false, ""},
	} {
		found, err := filler.Calibrate(t.Context(), 42, filler.Text, true, tt.asker)
		k := found.Tokenizer
		if err != nil || (k != nil) != tt.asked || k != nil && (k.Used != tt.used || k.Reason != tt.reason || k.InPrompt != 260) {
			t.Errorf("%s: %+v %v", name, k, err)
		}
	}
	if found, err := filler.Calibrate(t.Context(), 42, filler.Text, false, counting{}); err != nil || found.Tokenizer != nil {
		t.Errorf("where no answer comes back the tokenizer was asked: %+v %v", found.Tokenizer, err)
	}
}
