package frame

import (
	"encoding/binary"
	"runtime"
)

// indexMark begins an encoded index; its last byte is the version of the encoding.
const indexMark = "import-index\x03"

// encode gives the index of a file of that size as bytes that DecodeIndex reads for the same stamp; false where they are
// more than an index may have. The builder is spent then.
func (b *builder) encode(stamp string, size int64, losses []string) ([]byte, bool) {
	b.slots = nil // its room is wanted for the index
	runtime.GC()
	front := appendText([]byte(indexMark), stamp)
	front = binary.AppendUvarint(front, uint64(size))
	front = binary.AppendVarint(front, b.origin)
	front = binary.AppendUvarint(front, uint64(len(losses)))
	for _, loss := range losses {
		front = appendText(front, loss)
	}
	list := b.listed()
	front = binary.AppendUvarint(front, uint64(b.rootCount()))
	front = binary.AppendUvarint(front, uint64(list.n))
	table, room := 0, []byte(nil)
	for i := range list.n {
		room = b.appendTrace(room[:0], list.at(i))
		table += len(room)
	}
	front = binary.AppendUvarint(front, uint64(table))
	if len(front)+table+b.length > MaxIndex {
		return nil, false
	}
	dst := append(make([]byte, 0, len(front)+table+b.length), front...)
	for i := range list.n {
		dst = b.appendTrace(dst, list.at(i))
	}
	b.traces, b.names = pages[head]{}, keeper{}
	for i, block := range b.blocks {
		dst = append(dst, block...)
		b.blocks[i] = nil
	}
	runtime.GC() // the answer to the host copies the index once more, into what was left just now
	return dst, true
}

// listing is the traces in the order of the index.
type listing struct {
	order []uint32
	n     uint32
}

func (b *builder) listed() listing {
	if b.order != nil {
		return listing{b.order, uint32(len(b.order))}
	}
	return listing{n: uint32(b.traces.n)}
}

func (l *listing) at(i uint32) uint32 {
	if l.order != nil {
		return l.order[i]
	}
	return i
}

func (b *builder) rootCount() int {
	if b.order != nil {
		return b.roots
	}
	return b.traces.n
}

// appendTrace writes what the index tells of a trace: times are steps from the earliest of all.
func (b *builder) appendTrace(dst []byte, trace uint32) []byte {
	h := b.traces.at(trace)
	dst = appendText(dst, h.key)
	dst = binary.AppendUvarint(dst, uint64(h.count))
	dst = binary.AppendUvarint(dst, uint64(h.last))
	dst = binary.AppendUvarint(dst, h.line)
	dst = binary.AppendUvarint(dst, uint64(h.offset))
	if h.first == NoTime {
		dst = append(dst, 0)
	} else {
		dst = binary.AppendUvarint(dst, uint64(h.first)-uint64(b.origin)+1)
		dst = binary.AppendUvarint(dst, uint64(h.time)-uint64(h.first))
	}
	if b.parts == nil {
		return append(dst, 0)
	}
	dst = binary.AppendUvarint(dst, uint64(len(b.parts[trace])))
	for _, part := range b.parts[trace] {
		dst = binary.AppendUvarint(dst, uint64(part))
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(s)))
	return append(dst, s...)
}
