package strata

import (
	"os"
	"strings"
	"testing"

	"paceline/workloads/profiles/fixed"
	"paceline/workloads/profiles/shape"
)

func model(t *testing.T) []byte {
	t.Helper()
	text, err := os.ReadFile("../builtin/coding.model.json")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestReadRefuses(t *testing.T) {
	text := string(model(t))
	for name, c := range map[string]struct{ from, to, want string }{
		"no JSON":         {"{", "", "JSON"},
		"a fraction":      {`"class":[`, `"class":[1.5,`, "class[0] is 1.5"},
		"a number more":   {`"class":[`, `"class":[1,`, "class has 9 numbers"},
		"no such table":   {`"cells":[0`, `"cells":[100000`, "cells[0] is 100000"},
		"a list missing":  {`"final"`, `"last"`, "final has 0 numbers"},
		"a knot more":     {`"to":[`, `"to":[0,`, "from has"},
		"falling knots":   {`"from":[`, `"from":[99`, "from[1]"},
		"steps cut short": {`"longs":[`, `"longs":[100000,`, "longs of class 0"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read([]byte(strings.Replace(text, c.from, c.to, 1)))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestKinds: a trace explores at most once, and has turns of its class's number.
func TestKinds(t *testing.T) {
	m, err := Read(model(t))
	if err != nil {
		t.Fatal(err)
	}
	var trace shape.Trace
	for i := range 300 {
		explored, class, turns := 0, 0, 0
		m.DrawWatched(shape.NewRandom([32]byte{1, byte(i), byte(i >> 8)}), &trace, func(s Seen) {
			if s.Kind == Explore {
				explored++
			}
			if s.Position != turns {
				t.Errorf("trace %d: turn %d is told as %d", i, turns, s.Position)
			}
			class, turns = s.Class, turns+1
		})
		if explored > 1 || turns != len(trace.Turns) || class == 0 && turns > 8 || class == 7 && turns < 40 {
			t.Errorf("trace %d explores %d times; class %d with %d turns", i, explored, class, turns)
		}
	}
}

// TestBend: between knots a straight line, at a value that several knots share the one in their middle, and the ends beyond.
func TestBend(t *testing.T) {
	const one = 1 << KnotBits
	m := &Model{knots: 5, From: make([]int64, 5*Bands*Variables), To: make([]int64, 5*Bands*Variables)}
	at := 5 * (2*Variables + 1)
	copy(m.From[at:], []int64{1 * one, 3 * one, 3 * one, 3 * one, 5 * one})
	copy(m.To[at:], []int64{2 * one, 4 * one, 5 * one, 6 * one, 8 * one})
	for from, want := range map[int64]float64{0: 2, 1: 2, 2: 3, 3: 5, 4: 7, 5: 8, 9: 8} {
		if got := float64(m.bend(2, 1, from<<fixed.LogBits)) / (1 << fixed.LogBits); got != want {
			t.Errorf("%d becomes %v, want %v", from, got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	for position, want := range map[int][2]int{0: {0, 0}, 1: {1, 1}, 2: {2, 2}, 3: {2, 3}, 6: {3, 6}, 7: {4, 7}, 12: {5, 8}, 24: {5, 8}, 25: {6, 9}, 1000: {6, 9}} {
		if Band(position) != want[0] || Place(position) != want[1] {
			t.Errorf("position %d is in band %d and place %d, want %v", position, Band(position), Place(position), want)
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	text, err := os.ReadFile("../builtin/coding.model.json")
	if err != nil {
		b.Fatal(err)
	}
	m, err := Read(text)
	if err != nil {
		b.Fatal(err)
	}
	var t shape.Trace
	r := shape.NewRandom([32]byte{})
	for b.Loop() {
		m.Draw(r, &t)
	}
}
