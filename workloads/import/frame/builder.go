package frame

import (
	"encoding/binary"
	"hash/fnv"
	"runtime"
	"strconv"

	"paceline/sdk"
)

// MaxIndex is the most bytes that an index may have: the contract's limit of prepared data.
const MaxIndex = 64 << 20

// indexRoom is left of it for what is not counted while the file is scanned.
const indexRoom = 1 << 20

// builder makes an index, record by record in file order.
type builder struct {
	blocks [][]byte // the entries, see Index; all but the last are full
	length int      // of all blocks
	traces []head
	keys   map[uint64]uint32 // hash of a key -> number of its trace
	links  []link
	roots  int // traces that no other holds; known once links are resolved
	used   int // bytes that the index will have
	origin int64
	err    error
}

// head is one trace while it grows.
type head struct {
	key    string
	last   int    // where its latest entry begins, plus one; 0: none
	line   uint64 // of that record
	offset int64
	time   int64
	first  int64 // earliest time
	count  uint32
	parts  []uint32 // numbers of the traces that it holds
}

func newBuilder() *builder { return &builder{keys: map[uint64]uint32{}, origin: NoTime} }

// trace gives the number of the trace of a key, new or not.
func (b *builder) trace(key string) uint32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(key))
	sum := h.Sum64()
	for ; ; sum++ {
		n, ok := b.keys[sum]
		if !ok {
			b.keys[sum] = uint32(len(b.traces))
			return b.start(key)
		}
		if b.traces[n].key == key {
			return n
		}
	}
}

// fresh gives a new trace, whose key is made unique.
func (b *builder) fresh(id string) uint32 {
	if id == "" {
		id = "trace-" + strconv.Itoa(len(b.traces)+1)
	}
	for n, key := 1, id; ; n++ {
		if n > 1 {
			key = id + "~" + strconv.Itoa(n)
		}
		before := len(b.traces)
		if got := b.trace(key); int(got) == before {
			return got
		}
	}
}

func (b *builder) start(key string) uint32 {
	b.traces = append(b.traces, head{key: key, first: NoTime})
	b.used += len(key) + 4*binary.MaxVarintLen32 + 1
	return uint32(len(b.traces) - 1)
}

// add puts a record into a trace. An entry leads back to the one before it in its trace, so what is written is never
// moved, whatever comes between.
func (b *builder) add(trace uint32, r *Record, time int64) {
	h := &b.traces[trace]
	at := b.length
	back := 0
	if h.last > 0 {
		back = at - (h.last - 1)
	}
	var room [5 * binary.MaxVarintLen64]byte
	e := binary.AppendUvarint(room[:0], uint64(back))
	e = binary.AppendUvarint(e, r.Line-h.line)
	e = binary.AppendUvarint(e, uint64(r.Offset-h.offset))
	e = binary.AppendUvarint(e, uint64(len(r.Value)))
	e = appendTime(e, h.time, time)
	b.append(e)
	h.last, h.line, h.offset, h.count = at+1, r.Line, r.Offset, h.count+1
	if time != NoTime {
		h.time, h.first, b.origin = time, earlier(h.first, time), earlier(b.origin, time)
	}
	if b.used > MaxIndex-indexRoom {
		b.err = sdk.Faults{{
			Input: Input, Line: r.Line, Offset: uint64(r.Offset), Code: "index-too-large",
			Message:  "the index of the records up to here takes 64 MiB, which is the limit of what a plugin may keep",
			Expected: "a file with fewer records; split it by traces",
		}}
	}
}

// blockSize is the size of the blocks in which entries gather: one growing slice would leave its older self behind at each
// step, and a guest's memory never shrinks.
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

// appendTime writes a time as a step from the last one that was told: 0 for none, else 1 and a signed step.
func appendTime(dst []byte, last, time int64) []byte {
	if time == NoTime {
		return binary.AppendUvarint(dst, 0)
	}
	dst = binary.AppendUvarint(dst, 1)
	return binary.AppendVarint(dst, time-last)
}

// finish gives the index of a file of that size.
func (b *builder) finish(size int64) *Index {
	b.keys = nil // its room is wanted for the index
	runtime.GC()
	x := &Index{Size: size, Origin: b.origin, Roots: len(b.traces), blocks: b.blocks, length: b.length}
	if len(b.links) > 0 {
		x.Roots = b.roots
	}
	x.Traces = make([]TraceEntry, 0, len(b.traces))
	for i := range b.traces {
		h := &b.traces[i]
		x.Traces = append(x.Traces, TraceEntry{
			Key: h.key, Records: h.count, First: h.first, last: h.last, line: h.line, offset: h.offset, time: h.time, parts: h.parts,
		})
	}
	return x
}
