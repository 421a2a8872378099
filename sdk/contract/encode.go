package contract

import (
	"strings"
	"unicode/utf8"
)

// Wire types of the protobuf encoding.
const (
	wireVarint  = 0
	wireFixed64 = 1
	wireBytes   = 2
	wireStart   = 3
	wireEnd     = 4
	wireFixed32 = 5
)

// encoder is what the generated messages offer to a message that holds them.
type encoder interface {
	EncodedSize() int
	AppendTo(b []byte) []byte
}

// encoderOf ties a message type to the methods of its pointer.
type encoderOf[T any] interface {
	*T
	encoder
}

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

func sizeUint(num int, v uint64) int {
	if v == 0 {
		return 0
	}
	return sizeTag(num) + sizeVarint(v)
}

func appendUint(b []byte, num int, v uint64) []byte {
	if v == 0 {
		return b
	}
	return appendVarint(appendTag(b, num, wireVarint), v)
}

func sizeOptUint[T unsigned](num int, v *T) int {
	if v == nil {
		return 0
	}
	return sizeTag(num) + sizeVarint(uint64(*v))
}

func appendOptUint[T unsigned](b []byte, num int, v *T) []byte {
	if v == nil {
		return b
	}
	return appendVarint(appendTag(b, num, wireVarint), uint64(*v))
}

// zigzag maps signed to unsigned integers so that those near zero are short.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }

func sizeSint(num int, v int64) int { return sizeUint(num, zigzag(v)) }

func appendSint(b []byte, num int, v int64) []byte { return appendUint(b, num, zigzag(v)) }

func sizeOptSint(num int, v *int64) int {
	if v == nil {
		return 0
	}
	return sizeTag(num) + sizeVarint(zigzag(*v))
}

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

func appendBool(b []byte, num int, v bool) []byte {
	if !v {
		return b
	}
	return append(appendTag(b, num, wireVarint), 1)
}

func sizeEnum[E ~int32](num int, v E) int { return sizeUint(num, uint64(int64(v))) }

func appendEnum[E ~int32](b []byte, num int, v E) []byte { return appendUint(b, num, uint64(int64(v))) }

// sizeBlob is the size of a length-delimited field with n bytes in it.
func sizeBlob(num, n int) int { return sizeTag(num) + sizeVarint(uint64(n)) + n }

func sizeBytes(num int, v []byte) int {
	if len(v) == 0 {
		return 0
	}
	return sizeBlob(num, len(v))
}

func appendBytes(b []byte, num int, v []byte) []byte {
	if len(v) == 0 {
		return b
	}
	return appendBlob(b, num, v)
}

func appendBlob(b []byte, num int, v []byte) []byte {
	b = appendVarint(appendTag(b, num, wireBytes), uint64(len(v)))
	return append(b, v...)
}

func validText(v string) string {
	if utf8.ValidString(v) {
		return v
	}
	return strings.ToValidUTF8(v, "\uFFFD")
}

func sizeText(num int, v string) int {
	if v == "" {
		return 0
	}
	return sizeBlob(num, len(validText(v)))
}

func appendText(b []byte, num int, v string) []byte {
	if v == "" {
		return b
	}
	return appendTextItem(b, num, v)
}

func appendTextItem(b []byte, num int, v string) []byte {
	v = validText(v)
	b = appendVarint(appendTag(b, num, wireBytes), uint64(len(v)))
	return append(b, v...)
}

func sizeTexts(num int, list []string) int {
	n := 0
	for _, v := range list {
		n += sizeBlob(num, len(validText(v)))
	}
	return n
}

func appendTexts(b []byte, num int, list []string) []byte {
	for _, v := range list {
		b = appendTextItem(b, num, v)
	}
	return b
}

func sizeMessage[T any, P encoderOf[T]](num int, m *T) int {
	if m == nil {
		return 0
	}
	return sizeBlob(num, P(m).EncodedSize())
}

func appendMessage[T any, P encoderOf[T]](b []byte, num int, m *T) []byte {
	if m == nil {
		return b
	}
	b = appendVarint(appendTag(b, num, wireBytes), uint64(P(m).EncodedSize()))
	return P(m).AppendTo(b)
}

func sizeMessages[T any, P encoderOf[T]](num int, list []T) int {
	n := 0
	for i := range list {
		n += sizeMessage[T, P](num, &list[i])
	}
	return n
}

func appendMessages[T any, P encoderOf[T]](b []byte, num int, list []T) []byte {
	for i := range list {
		b = appendMessage[T, P](b, num, &list[i])
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

func sizePacked[T ~int32 | ~uint32](num int, list []T) int {
	if len(list) == 0 {
		return 0
	}
	return sizeBlob(num, packedLen(list))
}

func appendPacked[T ~int32 | ~uint32](b []byte, num int, list []T) []byte {
	if len(list) == 0 {
		return b
	}
	b = appendVarint(appendTag(b, num, wireBytes), uint64(packedLen(list)))
	for _, v := range list {
		b = appendVarint(b, uint64(int64(v)))
	}
	return b
}
