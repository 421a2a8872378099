package frame

import (
	"encoding/binary"
	"math"
)

// decoder reads varints and bytes; bad is set, and zero values come, once the data does not fit.
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

// count reads a number of things.
func (d *decoder) count() int { return int(min(d.number(), math.MaxInt32)) }

func (d *decoder) bytes(n uint64) []byte {
	if n > uint64(len(d.rest)) {
		d.bad, d.rest = true, nil
		return nil
	}
	out := d.rest[:n:n]
	d.rest = d.rest[n:]
	return out
}

// entry reads one trace as appendTrace wrote it.
func (d *decoder) entry(origin int64) entry {
	t := entry{
		key: d.bytes(d.number()), records: uint32(min(d.number(), math.MaxUint32)), first: NoTime,
		last: d.count(), line: d.number(), offset: int64(d.number()),
	}
	if step := d.number(); step > 0 {
		t.first = int64(uint64(origin) + step - 1)
		t.time = int64(uint64(t.first) + d.number())
	}
	for n := d.number(); n > 0 && !d.bad; n-- {
		t.parts = append(t.parts, uint32(min(d.number(), math.MaxUint32)))
	}
	return t
}

// skipEntry goes past one trace.
func (d *decoder) skipEntry() {
	d.bytes(d.number())
	for range 4 { // records, last, line, offset
		d.number()
	}
	if d.number() > 0 {
		d.number()
	}
	for n := d.number(); n > 0 && !d.bad; n-- {
		d.number()
	}
}
