package frame

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"

	"paceline/sdk"
)

// maxFaults is how many faults of the scan are told.
const maxFaults = 50

// Scan is where Reader.Scan leaves what it learns of a record.
type Scan struct {
	index   *builder
	record  *Record
	known   map[string]int // code of a loss -> its place
	lost    []uint64
	strange *strange
}

// Part says that the record belongs to the trace of that key, at that time (nanoseconds since any fixed instant, or NoTime).
func (s *Scan) Part(key string, time int64) {
	s.index.add(s.index.trace(cmp.Or(key, unnamed)), s.record, time)
}

// unnamed is the key of the records that tell an empty one.
const unnamed = "unnamed"

// Whole says that the record makes a trace of its own; it may be called several times for a record that makes several. An
// empty id becomes the number of the trace, and one that was there before gets a number behind it.
func (s *Scan) Whole(id string, time int64) { s.index.add(s.index.fresh(id), s.record, time) }

// Holds says that the trace of one key holds the trace of another, wherever in the file the records of either lie. What is
// held is no trajectory of its own: Build gets its records behind those of the trace that holds it, and what it holds itself
// as well. Several traces may hold the same one; none may hold itself.
func (s *Scan) Holds(key, part string) { s.index.hold(s.index.trace(key), s.index.trace(part)) }

// Lose counts n times a loss that the format documents.
func (s *Scan) Lose(code string, n int) {
	place, ok := s.known[code]
	if !ok {
		panic("loss " + code + " is not documented")
	}
	s.lost[place] += uint64(n)
}

// Strange counts a field that the format does not document: it is lost too, and told by its name.
func (s *Scan) Strange(name string) { s.strange.add(name) }

// result is what one pass over a file gives.
type result struct {
	index  *builder
	losses []string
	faults sdk.Faults
	more   int // faults beyond maxFaults
}

// progressBytes is how far a scan gets on until it tells so.
const progressBytes = 32 << 20

// yieldRecords is after how many records the scan yields. A guest has one thread and no preemption, so in a call as long as
// this one the collector would not get its turn and the guest would grow to its memory limit.
const yieldRecords = 256

// scan makes the index of a file. With skip, records that are broken are counted as lost. progress gets the bytes that are
// behind it.
func scan(f *Format, src io.ReaderAt, size int64, skip bool, progress func(int64)) (*result, error) {
	s := &Scan{index: newBuilder(), known: map[string]int{}, lost: make([]uint64, len(f.Losses)), strange: newStrange()}
	for i, loss := range f.Losses {
		s.known[loss.Code] = i
	}
	r := &result{index: s.index}
	skipped, told, seen := uint64(0), int64(0), 0
	err := walk(src, size, f.Paths, func(p placed) bool {
		if seen++; seen%yieldRecords == 0 {
			runtime.Gosched()
		}
		if p.record.Offset >= told+progressBytes {
			told = p.record.Offset
			progress(told)
		}
		err := p.fault
		if err == nil {
			s.record = &p.record
			err = f.Reader.Scan(s.record, s)
		}
		if err == nil {
			return s.index.err == nil
		}
		fault, ok := errors.AsType[*FaultError](err)
		switch {
		case !ok:
			fault = &FaultError{sdk.Fault{Input: Input, Line: p.record.Line, Offset: uint64(p.record.Offset), Code: "record", Message: err.Error()}}
			fallthrough
		case !skip:
			r.add(fault.Fault)
		default:
			skipped++
		}
		return s.index.err == nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the trace file: %w", err)
	}
	if s.index.err != nil {
		return nil, s.index.err
	}
	faults, missing := s.index.resolve(skip)
	for _, f := range faults {
		r.add(f)
	}
	skipped += missing
	r.losses = losses(f, s, skipped)
	return r, nil
}

// encode gives the index of the file as bytes. It is the fault of the last trace where these are too many.
func (r *result) encode(stamp string, size int64) ([]byte, error) {
	data, ok := r.index.encode(stamp, size, r.losses)
	if !ok {
		last := r.index.traces.at(uint32(r.index.traces.n - 1))
		return nil, r.index.full(&Record{Line: last.line, Offset: last.offset})
	}
	return data, nil
}

func (r *result) add(f sdk.Fault) {
	if len(r.faults) == maxFaults {
		r.more++
		return
	}
	r.faults = append(r.faults, f)
}

// losses tells what gets lost of this file, in the order of the format's list.
func losses(f *Format, s *Scan, skipped uint64) []string {
	var out []string
	for i, loss := range f.Losses {
		if s.lost[i] > 0 {
			out = append(out, fmt.Sprintf("%s: %d", loss.Text, s.lost[i]))
		}
	}
	out = append(out, s.strange.told()...)
	if skipped > 0 {
		out = append(out, fmt.Sprintf("broken records, skipped as asked for: %d", skipped))
	}
	return out
}

// strange counts fields by name, up to maxStrange names.
type strange struct {
	count map[string]uint64
	other uint64
}

const maxStrange = 30

func newStrange() *strange { return &strange{count: map[string]uint64{}} }

func (s *strange) add(name string) {
	name = short(name)
	if _, ok := s.count[name]; !ok && len(s.count) == maxStrange {
		s.other++
		return
	}
	s.count[name]++
}

func (s *strange) told() []string {
	var names []string
	for name := range s.count {
		names = append(names, name)
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		out = append(out, fmt.Sprintf("field %q, which this importer does not know: %d", name, s.count[name]))
	}
	if s.other > 0 {
		out = append(out, fmt.Sprintf("further fields that this importer does not know: %d", s.other))
	}
	return out
}

// earlier gives the lesser of two times, where NoTime is none.
func earlier(a, b int64) int64 {
	if a == NoTime || b != NoTime && b < a {
		return b
	}
	return a
}
