package main

import (
	"slices"

	"paceline/workloads/profiles/strata"
)

// What tells the kinds of turns apart, in tokens and milliseconds. The published file has no names of tools, but these
// stand out in it: a call that explores for 5 to 60 s and brings about 3,700 tokens, at most once in a trace, and edits,
// which take 2 to 3.5 s and say 14 to 30 tokens, nearly always at least once.
const (
	longWait  = 5000
	muchRead  = 1500
	editLeast = 1900
	editMost  = 3500
	editMin   = 14
	editMax   = 30
)

func kindOf(t *turn) int {
	tool, wait := t.value[1], t.value[2]
	switch {
	case wait > longWait:
		return strata.Long
	case tool > muchRead:
		return strata.Reading
	case tool >= editMin && tool <= editMax && wait > editLeast && wait < editMost:
		return strata.Edit
	}
	return strata.Plain
}

// classify gives each trace its class and each turn its kind, and counts.
func (r *rows) classify() {
	lengths := make([]int, len(r.traces))
	for i := range r.traces {
		lengths[i] = r.traces[i].Turns
	}
	slices.Sort(lengths)
	for i := range r.traces {
		class := 0
		for c := 1; c < strata.Classes; c++ {
			if r.traces[i].Turns > lengths[len(lengths)*c/strata.Classes] {
				class = c
			}
		}
		r.class = append(r.class, class)
		count(r.of(i))
	}
}

func count(turns []turn) {
	explored := false
	for p := range turns {
		t := &turns[p]
		if t.kind = kindOf(t); t.kind == strata.Long && t.value[1] > muchRead && !explored {
			t.kind, explored = strata.Explore, true
		}
		if t.prev = strata.Before; p > 0 {
			t.prev = turns[p-1].kind
			t.done = turns[p-1].done
			t.done[t.prev] = true
		}
	}
	var left [strata.Kinds]int
	for p := len(turns) - 1; p >= 0; p-- {
		left[turns[p].kind]++
		turns[p].left = left
	}
}
