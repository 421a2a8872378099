package shape

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"paceline/core/trajectory"
)

var update = flag.Bool("update", false, "write the golden files anew")

func said(role, text string) trajectory.Message {
	raw, err := json.Marshal(map[string]string{"role": role, "content": text})
	if err != nil {
		panic(err)
	}
	return trajectory.Message{JSON: raw}
}

func answered(text string) *trajectory.Message {
	m := said("assistant", text)
	return &m
}

// talks makes trajectories of 1 to 9 turns that all begin with the same instructions; every third has a branch.
func talks(count int) []*trajectory.Trajectory {
	var out []*trajectory.Trajectory
	for i := range count {
		start := time.Duration(i) * time.Minute
		t := &trajectory.Trajectory{ID: fmt.Sprint("t", i), StartOffset: &start, Tools: json.RawMessage(`[{"type":"function"}]`)}
		for k := range i%9 + 1 {
			turn := trajectory.Turn{Index: uint32(k), Recorded: answered(strings.Repeat("answer ", 10)), Delay: time.Duration(k*i) * 7 * time.Millisecond}
			turn.Truth = json.RawMessage(fmt.Sprintf(`{"usage":{"input_tokens":%d,"output_tokens":%d}}`, 300+90*k, 20+i))
			if k == 0 {
				turn.Append = append(turn.Append, said("system", strings.Repeat("Be exact. ", 100)))
			}
			turn.Append = append(turn.Append, said("user", fmt.Sprintf("question %d of %d", k, i)))
			t.Turns = append(t.Turns, turn)
		}
		if i%3 == 2 {
			fork := uint32(1)
			t.Turns = append(t.Turns, trajectory.Turn{Index: 99, Branch: 1, ForkOf: &fork, Append: []trajectory.Message{said("user", "aside")}})
		}
		out = append(out, t)
	}
	return out
}

// lengths makes trajectories of filler, whose first block all share.
func lengths() []*trajectory.Trajectory {
	filler := func(tokens uint32, key string, scope trajectory.Scope) trajectory.Piece {
		return trajectory.Piece{Filler: &trajectory.Filler{Tokens: tokens, Key: []byte(key), Scope: scope}}
	}
	message := func(role string, pieces ...trajectory.Piece) trajectory.Message {
		return trajectory.Message{Composed: &trajectory.Composed{Role: role, Pieces: pieces}}
	}
	var out []*trajectory.Trajectory
	for i := range 5 {
		answer := message("assistant", filler(40, "a", trajectory.ScopeTrajectory))
		out = append(out, &trajectory.Trajectory{ID: fmt.Sprint(i), Turns: []trajectory.Turn{
			{Index: 0, Append: []trajectory.Message{message("user", filler(512, "block", trajectory.ScopeWorkload), filler(100, "own", trajectory.ScopeTrajectory))}, Recorded: &answer},
			{Index: 1, Append: []trajectory.Message{message("user", filler(60, "more", trajectory.ScopeTrajectory))}, ExactTokens: 7},
		}})
	}
	return out
}

func shapeOf(list []*trajectory.Trajectory, notes ...string) *Shape {
	c := NewCollector()
	for _, t := range list {
		c.Add(t)
	}
	return c.Shape("file.jsonl", notes)
}

func TestGolden(t *testing.T) {
	for name, s := range map[string]*Shape{
		"talks":   shapeOf(talks(60), "not carried over: names of models: the run names it: 60"),
		"lengths": shapeOf(lengths(), "a name \x1b[31m with <signs>"),
		"empty":   shapeOf(nil),
	} {
		page, err := s.HTML()
		if err != nil {
			t.Fatal(err)
		}
		for file, got := range map[string][]byte{name + ".txt": s.Text(), name + ".html": page} {
			file = "testdata/" + file
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s differs (-update writes it anew), %v:\n%s", file, err, got)
			}
		}
		for line := range strings.SplitSeq(string(s.Text()), "\n") {
			if utf8.RuneCountInString(line) > 80 || strings.Contains(line, "\x1b") {
				t.Errorf("%s: %q", name, line)
			}
		}
		for _, foreign := range []string{"http://", "https://", "<script", " style=", "<signs>"} {
			if strings.Contains(strings.ReplaceAll(string(page), `xmlns="http://www.w3.org/2000/svg"`, ""), foreign) {
				t.Errorf("%s: the page has %s", name, foreign)
			}
		}
	}
}

// TestSharing works two trajectories of filler out by hand.
func TestSharing(t *testing.T) {
	s := shapeOf(lengths()[:2]).Sharing
	// prompts: 612, then 612 + 40 + 60; the second trajectory shares the first 512.
	if want := (Sharing{Unit: unitTokens, Own: 2 * (612 + 40), Others: 512, Fresh: 612 + 60 + 100 + 60}); s != want {
		t.Errorf("%+v, want %+v", s, want)
	}
}

func TestTally(t *testing.T) {
	for v := int64(0); v < 5000; v++ {
		step := stepOf(v)
		if low, next := lowest(step), lowest(step+1); low > v || next <= v || stepOf(low) != step || v >= 64 && (v-low)*32 > v {
			t.Fatalf("%d is in step %d from %d to %d", v, step, low, next)
		}
	}
	if v := int64(1)<<62 + 12345; lowest(stepOf(v)) > v || lowest(stepOf(v)+1) <= v {
		t.Errorf("%d is in step %d", v, stepOf(v))
	}
	var few, many, huge tally
	for i := range int64(1000) {
		few.add(i % 5)
		many.add(i * i)
		huge.add(i << 50)
	}
	if got := few.bins(); !slices.Equal(got, []Bin{{0, 0, 200}, {1, 1, 200}, {2, 2, 200}, {3, 3, 200}, {4, 4, 200}}) {
		t.Errorf("%v", got)
	}
	for _, x := range []*tally{&few, &many, &huge} {
		count := int64(0)
		for i, b := range x.bins() {
			count += b.Count
			if b.From > b.To || i > 0 && b.From != x.bins()[i-1].To+1 {
				t.Errorf("%+v", x.bins())
			}
		}
		if n := len(x.bins()); count != 1000 || n > maxBins {
			t.Errorf("%d values in %d bins", count, n)
		}
	}
	if got := many.quantile(50); got > 499*499 || got < 499*499*31/32 {
		t.Errorf("p50 %d", got)
	}
}

func TestNumbers(t *testing.T) {
	for us, want := range map[int64]string{0: "0", 999: "999us", 1000: "1ms", 1530: "1.53ms", 12_340: "12.3ms", 2_000_000: "2s", 119_000_000: "119s", 120_000_000: "2min", 7_199_999_999: "119min", 7_200_000_000: "2h", 9_000_000_000: "2.50h"} {
		if got := duration(us); got != want {
			t.Errorf("%d: %s, want %s", us, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
	if got := percent(1<<60, 1<<61); got != "50.0 %" {
		t.Error(got)
	}
}
