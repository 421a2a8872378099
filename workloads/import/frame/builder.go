package frame

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strconv"

	"paceline/sdk"
)

// MaxIndex is the most bytes that an index may have: the contract's limit of prepared data.
const MaxIndex = 64 << 20

// builder makes an index, record by record in file order. Nothing that it holds is moved as it grows: a guest's memory never
// shrinks, and what a list leaves behind at each step would stay.
type builder struct {
	blocks  [][]byte // the entries, see Index; all but the last are full
	length  int      // of all blocks
	records int
	traces  pages[head]
	names   keeper
	slots   []uint32 // traces by the hashes of their keys: numbers plus one
	links   []link
	parts   [][]uint32 // by trace, the numbers of the traces that it holds; nil: none holds any
	order   []uint32   // the traces as the index has them, once links are resolved; nil: as they came
	roots   int        // the first so many of these are held by no other
	used    int        // bytes that the index will have, about
	origin  int64
	err     error
}

// head is one trace while it grows.
type head struct {
	key    string
	line   uint64 // of its latest record
	offset int64
	time   int64
	first  int64  // earliest time
	last   uint32 // where its latest entry begins, plus one; 0: none
	count  uint32
}

// traceBytes is about what a trace takes in the index beside its key and its records, timeBytes what its times take.
const (
	traceBytes = 16
	timeBytes  = 7
)

func newBuilder() *builder { return &builder{origin: NoTime} }

// trace gives the number of the trace of a key, new or not.
func (b *builder) trace(key string) uint32 {
	slot := b.slot(key)
	if b.slots[slot] == 0 {
		b.slots[slot] = b.start(key) + 1
	}
	return b.slots[slot] - 1
}

// firstSlots is how many slots there are to begin with.
const firstSlots = 1 << 10

// slot gives the place in slots that has the trace of a key, or is free for it. A quarter of the slots is always free.
func (b *builder) slot(key string) uint64 {
	if b.traces.n*4 >= len(b.slots)*3 {
		old := max(len(b.slots), firstSlots/2)
		b.slots = nil // the collector may take it before there is a larger one
		b.slots = make([]uint32, 2*old)
		for n := range uint32(b.traces.n) {
			b.slots[b.slot(b.traces.at(n).key)] = n + 1
		}
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	mask := uint64(len(b.slots) - 1)
	for at := h.Sum64() & mask; ; at = (at + 1) & mask {
		if n := b.slots[at]; n == 0 || b.traces.at(n-1).key == key {
			return at
		}
	}
}

// fresh gives a new trace, whose key is made unique.
func (b *builder) fresh(id string) uint32 {
	if id == "" {
		id = "trace-" + strconv.Itoa(b.traces.n+1)
	}
	for n, key := 1, id; ; n++ {
		if n > 1 {
			key = id + "~" + strconv.Itoa(n)
		}
		before := b.traces.n
		if got := b.trace(key); int(got) == before {
			return got
		}
	}
}

func (b *builder) start(key string) uint32 {
	b.used += len(key) + traceBytes
	return b.traces.add(head{key: b.names.keep(key), first: NoTime})
}

// add puts a record into a trace. An entry leads back to the one before it in its trace, so what is written is never
// moved, whatever comes between.
func (b *builder) add(trace uint32, r *Record, time int64) {
	h := b.traces.at(trace)
	at := b.length
	b.append(h.entry(at, r, time))
	h.last, h.line, h.offset, h.count = uint32(at)+1, r.Line, r.Offset, h.count+1
	if time != NoTime {
		if h.first == NoTime {
			b.used += timeBytes
		}
		h.time, h.first, b.origin = time, earlier(h.first, time), earlier(b.origin, time)
	}
	b.records++
	if b.used > MaxIndex && b.err == nil {
		b.err = b.full(r)
	}
}

// full is the fault for a file whose index is too large at a record.
func (b *builder) full(r *Record) error {
	return sdk.Faults{{
		Input: Input, Line: r.Line, Offset: uint64(r.Offset), Code: "index-too-large",
		Message: fmt.Sprintf("the index of the %d records of %d traces up to here takes 64 MiB, which is the limit of what a plugin may keep",
			b.records, b.traces.n),
		Expected: "a file with fewer records: split it, records of one trace together, and import the parts one by one",
	}}
}

// entry writes the entry of a record at a place, as Index tells of it. What leads on to the entry before is missing from a
// trace's first one.
func (h *head) entry(at int, r *Record, time int64) []byte {
	var room [5 * binary.MaxVarintLen64]byte
	e := room[:0]
	length := uint64(len(r.Value)) << 1
	if time != NoTime {
		length |= timed
	}
	if h.last == 0 {
		return binary.AppendUvarint(binary.AppendUvarint(e, 0), length)
	}
	e = binary.AppendUvarint(e, uint64(at)-uint64(h.last-1))
	e = binary.AppendUvarint(e, length)
	e = binary.AppendUvarint(e, r.Line-h.line)
	e = binary.AppendUvarint(e, uint64(r.Offset-h.offset))
	if time != NoTime {
		e = binary.AppendVarint(e, time-h.time)
	}
	return e
}

// blockSize is the size of the blocks in which entries gather.
const blockSize = 1 << 20

func (b *builder) append(e []byte) {
	b.used += len(e)
	b.length += len(e)
	for len(e) > 0 {
		n := len(b.blocks)
		if n == 0 || len(b.blocks[n-1]) == blockSize {
			b.blocks = append(b.blocks, make([]byte, 0, blockSize))
			continue
		}
		part := e[:min(len(e), blockSize-len(b.blocks[n-1]))]
		b.blocks[n-1] = append(b.blocks[n-1], part...)
		e = e[len(part):]
	}
}
