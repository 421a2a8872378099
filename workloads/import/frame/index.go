package frame

import (
	"errors"
	"fmt"
	"slices"
)

// Index tells where the records of each trace lie, as bytes that are read in place: the traces, then the entries of their
// records. The entries of a trace form a chain from its last record to its first: each has the distance back to the entry
// before it (0: there is none) and its length with the mark timed, then the steps of line, offset and, where it tells one,
// time from that one. So it is written in one pass, and one trace is read without the others.
type Index struct {
	Size   int64
	Origin int64 // earliest time of all; NoTime: none is told
	Roots  int   // the first so many traces are trajectories; the others are held by these or by each other
	Losses []string

	count   int
	traces  []byte
	marks   []uint32 // where in traces each markStep-th begins
	entries []byte
}

// timed marks the length of a record that tells a time.
const timed = 1

// markStep is how many traces there are to a mark.
const markStep = 64

// entry is one trace of the index.
type entry struct {
	key     []byte // shares the index's memory, as millions of traces are gone over
	records uint32
	first   int64    // earliest time, or NoTime
	parts   []uint32 // the traces that it holds

	last   int // where the entry of its last record begins, plus one, and what that one tells
	line   uint64
	offset int64
	time   int64
}

// span is where one record lies.
type span struct {
	line   uint64
	offset int64
	length int64
	time   int64
}

var errDamaged = errors.New("read the index: it is damaged")

// trace gives the trace of a number.
func (x *Index) trace(number uint64) entry {
	d := decoder{rest: x.traces[x.marks[number/markStep]:]}
	for range number % markStep {
		d.skipEntry()
	}
	return d.entry(x.Origin)
}

// spans gives the records of a trace in file order.
func (x *Index) spans(t *entry) ([]span, error) {
	list := make([]span, t.records)
	at, line, offset, time := t.last-1, t.line, t.offset, t.time
	for i := len(list) - 1; i >= 0; i-- {
		if at < 0 || at > len(x.entries) {
			return nil, errDamaged
		}
		d := decoder{rest: x.entries[at:]}
		back, length := d.number(), d.number()
		s := span{line: line, offset: offset, length: int64(length >> 1), time: NoTime}
		if length&timed != 0 {
			s.time = time
		}
		if back > 0 {
			line, offset = line-d.number(), offset-int64(d.number())
			if s.time != NoTime {
				time -= d.signed()
			}
		}
		if d.bad || s.offset < 0 || s.length > x.Size-s.offset || (back == 0) != (i == 0) || back > uint64(at) {
			return nil, errDamaged
		}
		at -= int(back)
		list[i] = s
	}
	return list, nil
}

// byTime sorts records by time; those that tell none come first, and equal ones keep their order.
func byTime(list []Record) {
	slices.SortStableFunc(list, func(a, b Record) int {
		switch {
		case a.Time < b.Time:
			return -1
		case a.Time > b.Time:
			return 1
		}
		return 0
	})
}

// DecodeIndex reads an index that was made with the same stamp of a file of that size. It shares data's memory.
func DecodeIndex(data []byte, stamp string, size int64) (*Index, error) {
	d := decoder{rest: data}
	if string(d.bytes(uint64(len(indexMark)))) != indexMark || string(d.bytes(d.number())) != stamp {
		return nil, errors.New("read the index: it is of another kind or version")
	}
	x := &Index{Size: int64(d.number()), Origin: d.signed()}
	for n := d.number(); n > 0 && !d.bad; n-- {
		x.Losses = append(x.Losses, string(d.bytes(d.number())))
	}
	x.Roots, x.count = d.count(), d.count()
	x.traces = d.bytes(d.number())
	x.entries = d.rest
	if d.bad || x.Roots > x.count {
		return nil, errDamaged
	}
	if x.Size != size {
		return nil, fmt.Errorf("read the index: it is of a file of %d bytes, this one has %d", x.Size, size)
	}
	return x, x.mark()
}

// mark goes over the traces once: it notes where they begin, and finds whether they are whole.
func (x *Index) mark() error {
	d := decoder{rest: x.traces}
	for i := range x.count {
		if i%markStep == 0 {
			x.marks = append(x.marks, uint32(len(x.traces)-len(d.rest)))
		}
		t := d.entry(x.Origin)
		if d.bad || int64(t.records) > int64(len(x.entries)) || slices.ContainsFunc(t.parts, func(p uint32) bool { return int64(p) >= int64(x.count) }) {
			return errDamaged
		}
	}
	if len(d.rest) > 0 {
		return errDamaged
	}
	return nil
}
