package wasmabi

import (
	"fmt"
	"unicode/utf8"
)

// reader walks over a span of the file. The first fault stays in err, and every later read gives zero.
type reader struct {
	data []byte
	pos  int
	base int // offset of data in the file
	err  error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &FormatError{Reason: fmt.Sprintf(format, args...), Offset: r.base + r.pos}
	}
}

func (r *reader) cut(what string) {
	if r.err == nil {
		r.err = &FormatError{Cut: true, Reason: "the module is cut off inside " + what, Offset: r.base + r.pos}
	}
}

func (r *reader) left() int { return len(r.data) - r.pos }

func (r *reader) byte(what string) byte {
	if r.err != nil {
		return 0
	}
	if r.left() < 1 {
		r.cut(what)
		return 0
	}
	r.pos++
	return r.data[r.pos-1]
}

func (r *reader) bytes(n int, what string) []byte {
	if r.err != nil {
		return nil
	}
	if n < 0 || n > r.left() {
		r.cut(what)
		return nil
	}
	r.pos += n
	return r.data[r.pos-n : r.pos : r.pos]
}

// uint reads an unsigned LEB128 number of at most bits bits.
func (r *reader) uint(bits int, what string) uint64 {
	var v uint64
	for shift := 0; ; shift += 7 {
		b := r.byte(what)
		if r.err != nil {
			return 0
		}
		if shift >= bits || (shift+7 > bits && b>>(bits-shift) != 0) {
			r.fail("a number in %s is too large", what)
			return 0
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

func (r *reader) u32(what string) int { return int(r.uint(32, what)) }

// count reads a vector's length; each entry takes at least one byte, so a larger count cannot be true.
func (r *reader) count(what string) int {
	n := r.u32(what)
	if r.err == nil && n > r.left() {
		r.fail("%s claims %d entries in %d bytes", what, n, r.left())
		return 0
	}
	return n
}

// int32 reads a signed LEB128 number.
func (r *reader) int32(what string) int32 {
	var v int64
	for shift := 0; shift < 35; shift += 7 {
		b := r.byte(what)
		v |= int64(b&0x7f) << shift
		if b < 0x80 {
			if b&0x40 != 0 {
				v |= -1 << (shift + 7)
			}
			return int32(v)
		}
	}
	r.fail("a number in %s is too large", what)
	return 0
}

func (r *reader) name(what string) string {
	b := r.bytes(r.u32(what), what)
	if r.err == nil && !utf8.Valid(b) {
		r.fail("a name in %s is not UTF-8", what)
	}
	return string(b)
}

// sub gives a reader of the next n bytes.
func (r *reader) sub(n int, what string) reader {
	start := r.base + r.pos
	return reader{data: r.bytes(n, what), base: start, err: r.err}
}
