package frame

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// Index tells where the records of each trace lie. The entries of a trace form a chain from its last record to its first:
// each has the distance back to the entry before it, then the steps of line and offset from that one, its length, and
// the step of its time. So it is written in one pass, and one trace is read without the others.
type Index struct {
	Size   int64
	Origin int64 // earliest time of all; NoTime: none is told
	Traces []TraceEntry
	Roots  int // the first so many traces are trajectories; the others are held by these or by each other
	Losses []string

	entries []byte
	blocks  [][]byte // entries that are not joined yet, of that length together
	length  int
}

// TraceEntry is one trace of the index.
type TraceEntry struct {
	Key     string
	Records uint32
	First   int64 // earliest time, or NoTime

	last   int
	line   uint64
	offset int64
	time   int64
	parts  []uint32 // the traces that it holds
}

// span is where one record lies.
type span struct {
	line   uint64
	offset int64
	length int64
	time   int64
}

var errDamaged = errors.New("read the index: it is damaged")

// spans gives the records of a trace in file order.
func (x *Index) spans(t *TraceEntry) ([]span, error) {
	list := make([]span, t.Records)
	at, line, offset, time := t.last-1, t.line, t.offset, t.time
	for i := len(list) - 1; i >= 0; i-- {
		if at < 0 || at > len(x.entries) {
			return nil, errDamaged
		}
		d := decoder{rest: x.entries[at:]}
		back, lines, steps, length := d.number(), d.number(), d.number(), d.number()
		list[i] = span{line: line, offset: offset, length: int64(length), time: NoTime}
		if d.number() == 1 {
			list[i].time = time
			time -= d.signed()
		}
		if d.bad || offset < 0 || list[i].length < 0 || list[i].length > x.Size-offset || (back == 0) != (i == 0) || back > uint64(at) {
			return nil, errDamaged
		}
		at, line, offset = at-int(back), line-lines, offset-int64(steps)
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

// indexMark begins an encoded index; its last byte is the version of the encoding.
const indexMark = "import-index\x02"

// Encode gives the index of a format and its options as bytes, which it shares from then on.
func (x *Index) Encode(format string) []byte {
	size := 4096 + x.length
	for i := range x.Traces {
		size += len(x.Traces[i].Key) + (9+len(x.Traces[i].parts))*binary.MaxVarintLen32
	}
	dst := make([]byte, 0, size)
	dst = append(dst, indexMark...)
	dst = appendText(dst, format)
	dst = binary.AppendUvarint(dst, uint64(x.Size))
	dst = binary.AppendVarint(dst, x.Origin)
	dst = binary.AppendUvarint(dst, uint64(len(x.Losses)))
	for _, loss := range x.Losses {
		dst = appendText(dst, loss)
	}
	dst = binary.AppendUvarint(dst, uint64(x.Roots))
	dst = binary.AppendUvarint(dst, uint64(len(x.Traces)))
	for i := range x.Traces {
		t := &x.Traces[i]
		dst = appendText(dst, t.Key)
		dst = binary.AppendUvarint(dst, uint64(t.Records))
		dst = binary.AppendVarint(dst, t.First)
		dst = binary.AppendUvarint(dst, uint64(t.last))
		dst = binary.AppendUvarint(dst, t.line)
		dst = binary.AppendUvarint(dst, uint64(t.offset))
		dst = binary.AppendVarint(dst, t.time)
		dst = binary.AppendUvarint(dst, uint64(len(t.parts)))
		for _, part := range t.parts {
			dst = binary.AppendUvarint(dst, uint64(part))
		}
	}
	from := len(dst)
	for i, block := range x.blocks {
		dst = append(dst, block...)
		x.blocks[i] = nil
	}
	x.entries, x.blocks = dst[from:], nil
	return dst
}

func appendText(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}

// DecodeIndex reads what Encode wrote for the same format and a file of that size. The index shares data's memory.
func DecodeIndex(data []byte, format string, size int64) (*Index, error) {
	d := decoder{rest: data}
	if d.text(len(indexMark)) != indexMark || d.text(int(d.number())) != format {
		return nil, errors.New("read the index: it is of another kind or version")
	}
	x := &Index{Size: int64(d.number()), Origin: d.signed()}
	for n := d.number(); n > 0 && !d.bad; n-- {
		x.Losses = append(x.Losses, d.text(int(min(d.number(), math.MaxInt32))))
	}
	x.Roots = int(min(d.number(), math.MaxInt32))
	for n := d.number(); n > 0 && !d.bad; n-- {
		x.Traces = append(x.Traces, TraceEntry{
			Key: d.text(int(min(d.number(), math.MaxInt32))), Records: uint32(d.number()), First: d.signed(),
			last: int(d.number()), line: d.number(), offset: int64(d.number()), time: d.signed(), parts: d.parts(),
		})
	}
	x.entries = d.rest
	if d.bad {
		return nil, errDamaged
	}
	if x.Size != size {
		return nil, fmt.Errorf("read the index: it is of a file of %d bytes, this one has %d", x.Size, size)
	}
	if x.Roots > len(x.Traces) {
		return nil, errDamaged
	}
	for i := range x.Traces {
		t := &x.Traces[i]
		if int(t.Records) > len(x.entries) || slices.ContainsFunc(t.parts, func(p uint32) bool { return int(p) >= len(x.Traces) }) {
			return nil, errDamaged
		}
	}
	return x, nil
}

// decoder reads varints and texts; bad is set, and zero values come, once the data does not fit.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.rest)
	return take(d, v, n)
}

func (d *decoder) signed() int64 {
	v, n := binary.Varint(d.rest)
	return take(d, v, n)
}

func take[T any](d *decoder, v T, n int) T {
	if n <= 0 {
		d.bad, d.rest = true, nil
		return *new(T)
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) parts() []uint32 {
	var list []uint32
	for n := d.number(); n > 0 && !d.bad; n-- {
		list = append(list, uint32(min(d.number(), math.MaxUint32)))
	}
	return list
}

func (d *decoder) text(n int) string {
	if n < 0 || n > len(d.rest) {
		d.bad, d.rest = true, nil
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}
