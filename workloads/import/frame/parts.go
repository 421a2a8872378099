package frame

import (
	"encoding/binary"
	"slices"
	"strings"

	"paceline/sdk"
)

// link says that one trace holds another, by their numbers.
type link struct{ from, to uint32 }

// linkBytes is what a link takes in the index at most.
const linkBytes = binary.MaxVarintLen32

// hold notes that the trace from holds the trace to, of which no record may have come yet.
func (b *builder) hold(from, to uint32) {
	b.links = append(b.links, link{from, to})
	b.used += linkBytes
}

// resolve sorts the traces by what holds what: first those that no other holds, which are the trajectories, then the others,
// both in the order in which they were told of. What is held and has no records is a fault or, with skip, left out and counted.
func (b *builder) resolve(skip bool) (faults sdk.Faults, skipped uint64) {
	if len(b.links) == 0 {
		return nil, 0
	}
	held := make([]bool, b.traces.n)
	b.parts = make([][]uint32, b.traces.n)
	for _, l := range b.links {
		from, to := b.traces.at(l.from), b.traces.at(l.to)
		switch {
		case to.count > 0:
			b.parts[l.from] = append(b.parts[l.from], l.to)
			held[l.to] = true
		case skip:
			skipped++
		case len(faults) < maxFaults:
			faults = append(faults, b.faultAt(l.from, "part-missing", "a trace that the file holds",
				"trace \""+printable(from.key)+"\" holds trace \""+printable(to.key)+"\", which is not in the file"))
		}
	}
	if at, path := b.circle(); path != nil {
		return append(faults, b.faultAt(at, "part-circle", "traces that do not hold themselves",
			"the trace holds itself: "+strings.Join(path, " > "))), skipped
	}
	b.sort(held)
	return faults, skipped
}

func (b *builder) faultAt(trace uint32, code, expected, message string) sdk.Fault {
	h := b.traces.at(trace)
	return sdk.Fault{Input: Input, Line: h.line, Offset: uint64(h.offset), Code: code, Message: message, Expected: expected}
}

// circlePath is how many names of a circle are told.
const circlePath = 8

// circle finds a trace that holds itself, through others or not; path is nil where there is none.
func (b *builder) circle() (at uint32, path []string) {
	const open, done = 1, 2
	state := make([]byte, b.traces.n)
	type step struct {
		trace uint32
		next  int
	}
	for first := range uint32(b.traces.n) {
		if state[first] == done {
			continue
		}
		way := []step{{trace: first}}
		state[first] = open
		for len(way) > 0 {
			s := &way[len(way)-1]
			parts := b.parts[s.trace]
			if s.next == len(parts) {
				state[s.trace] = done
				way = way[:len(way)-1]
				continue
			}
			to := parts[s.next]
			s.next++
			switch state[to] {
			case open:
				from := slices.IndexFunc(way, func(s step) bool { return s.trace == to })
				for _, s := range way[from:] {
					if len(path) == circlePath {
						path = append(path, "...")
						break
					}
					path = append(path, printable(b.traces.at(s.trace).key))
				}
				return way[len(way)-1].trace, append(path, printable(b.traces.at(to).key))
			case done:
			default:
				state[to] = open
				way = append(way, step{trace: to})
			}
		}
	}
	return 0, nil
}

// sort puts the traces that none holds first, and drops those without records.
func (b *builder) sort(held []bool) {
	place := make([]uint32, b.traces.n)
	for _, parts := range []bool{false, true} {
		for i := range held {
			if held[i] == parts && b.traces.at(uint32(i)).count > 0 {
				place[i] = uint32(len(b.order))
				b.order = append(b.order, uint32(i))
			}
		}
		if !parts {
			b.roots = len(b.order)
		}
	}
	for _, i := range b.order {
		for k, to := range b.parts[i] {
			b.parts[i][k] = place[to]
		}
	}
}

// whole lists a trace and all that it holds, directly or not, each once: a trace stands before what it holds.
func (x *Index) whole(trace uint64) []entry {
	var out []entry
	seen := map[uint32]bool{uint32(trace): true}
	for next := []uint32{uint32(trace)}; len(next) > 0; {
		t := x.trace(uint64(next[len(next)-1]))
		next = next[:len(next)-1]
		out = append(out, t)
		for _, part := range slices.Backward(t.parts) {
			if !seen[part] {
				seen[part] = true
				next = append(next, part)
			}
		}
	}
	return out
}
