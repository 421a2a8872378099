package contract

import (
	"strings"
	"unicode/utf8"
)

// The helpers below are kept from being inlined: a wasm guest is smaller by the half of its codec, and the calls cost less
// than the bytes that they write.

// Wire types of the protobuf encoding.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireStart   = 3
	wireEnd     = 4
	wireFixed32 = 5
)

// unsigned are the integers that are sent as they are.
type unsigned interface{ uint32 | uint64 }

func sizeVarint(v uint64) int {
	n := 1
	for v >= 0x80 {
		v >>= 7
		n++
	}
	return n
}

//go:noinline
func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func sizeTag(num int) int { return sizeVarint(uint64(num) << 3) }

func appendTag(b []byte, num, wire int) []byte {
	return appendVarint(b, uint64(num)<<3|uint64(wire))
}

//go:noinline
func sizeUint(num int, v uint64) int {
	if v == 0 {
		return 0
	}
	return sizeTag(num) + sizeVarint(v)
}

//go:noinline
func appendUint(b []byte, num int, v uint64) []byte {
	if v == 0 {
		return b
	}
	return appendVarint(appendTag(b, num, wireVarint), v)
}

//go:noinline
func sizeOptUint[T unsigned](num int, v *T) int {
	if v == nil {
		return 0
	}
	return sizeTag(num) + sizeVarint(uint64(*v))
}

//go:noinline
func appendOptUint[T unsigned](b []byte, num int, v *T) []byte {
	if v == nil {
		return b
	}
	return appendVarint(appendTag(b, num, wireVarint), uint64(*v))
}

// zigzag maps signed to unsigned integers so that those near zero are short.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

//go:noinline
func sizeSint(num int, v int64) int { return sizeUint(num, zigzag(v)) }

//go:noinline
func appendSint(b []byte, num int, v int64) []byte { return appendUint(b, num, zigzag(v)) }

//go:noinline
func sizeOptSint(num int, v *int64) int {
	if v == nil {
		return 0
	}
	return sizeTag(num) + sizeVarint(zigzag(*v))
}

//go:noinline
func appendOptSint(b []byte, num int, v *int64) []byte {
	if v == nil {
		return b
	}
	return appendVarint(appendTag(b, num, wireVarint), zigzag(*v))
}

func sizeBool(num int, v bool) int {
	if !v {
		return 0
	}
	return sizeTag(num) + 1
}

//go:noinline
func appendBool(b []byte, num int, v bool) []byte {
	if !v {
		return b
	}
	return append(appendTag(b, num, wireVarint), 1)
}

//go:noinline
func sizeEnum[E ~int32](num int, v E) int { return sizeUint(num, uint64(int64(v))) }

//go:noinline
func appendEnum[E ~int32](b []byte, num int, v E) []byte { return appendUint(b, num, uint64(int64(v))) }

// sizeBlob is the size of a length-delimited field with n bytes in it.
//
//go:noinline
func sizeBlob(num, n int) int { return sizeTag(num) + sizeVarint(uint64(n)) + n }

//go:noinline
func sizeBytes(num int, v []byte) int {
	if len(v) == 0 {
		return 0
	}
	return sizeBlob(num, len(v))
}

//go:noinline
func appendBytes(b []byte, num int, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	return appendBlob(b, num, v)
}

// appendHead appends tag and length of a length-delimited field with n bytes in it.
//
//go:noinline
func appendHead(b []byte, num, n int) []byte {
	return appendVarint(appendTag(b, num, wireBytes), uint64(n))
}

//go:noinline
func appendBlob(b []byte, num int, v []byte) []byte {
	return append(appendHead(b, num, len(v)), v...)
}

func validText(v string) string {
	if utf8.ValidString(v) {
		return v
	}
	return strings.ToValidUTF8(v, "\uFFFD")
}

//go:noinline
func sizeText(num int, v string) int {
	if v == "" {
		return 0
	}
	return sizeBlob(num, len(validText(v)))
}

//go:noinline
func appendText(b []byte, num int, v string) []byte {
	if v == "" {
		return b
	}
	return appendTextItem(b, num, v)
}

//go:noinline
func appendTextItem(b []byte, num int, v string) []byte {
	v = validText(v)
	return append(appendHead(b, num, len(v)), v...)
}

//go:noinline
func sizeTexts(num int, list []string) int {
	n := 0
	for _, v := range list {
		n += sizeBlob(num, len(validText(v)))
	}
	return n
}

//go:noinline
func appendTexts(b []byte, num int, list []string) []byte {
	for _, v := range list {
		b = appendTextItem(b, num, v)
	}
	return b
}

func packedLen[T ~int32 | ~uint32](list []T) int {
	n := 0
	for _, v := range list {
		n += sizeVarint(uint64(int64(v)))
	}
	return n
}

//go:noinline
func sizePacked[T ~int32 | ~uint32](num int, list []T) int {
	if len(list) == 0 {
		return 0
	}
	return sizeBlob(num, packedLen(list))
}

//go:noinline
func appendPacked[T ~int32 | ~uint32](b []byte, num int, list []T) []byte {
	if len(list) == 0 {
		return b
	}
	b = appendHead(b, num, packedLen(list))
	for _, v := range list {
		b = appendVarint(b, uint64(int64(v)))
	}
	return b
}
