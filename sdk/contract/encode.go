package contract

import (
	"strings"
	"unicode/utf8"
	"unsafe"
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

// sizeBlob is the size of a length-delimited field with n bytes in it.
func sizeBlob(num, n int) int { return sizeVarint(uint64(num)<<3) + sizeVarint(uint64(n)) + n }

// appendHead appends tag and length of a length-delimited field with n bytes in it.
func appendHead(b []byte, num, n int) []byte {
	return appendVarint(appendVarint(b, uint64(num)<<3|wireBytes), uint64(n))
}

func validText(v string) string {
	if utf8.ValidString(v) {
		return v
	}
	return strings.ToValidUTF8(v, "\uFFFD")
}

func (l *layout) encodedSize(m unsafe.Pointer) int {
	n, taken := 0, false
	for i := range l.fields {
		f := &l.fields[i]
		if f.one && taken {
			continue
		}
		size := f.encodedSize(m)
		taken = taken || f.one && size > 0
		n += size
	}
	return n
}

func (f *field) encodedSize(m unsafe.Pointer) int {
	n := 0
	switch f.form {
	case formText:
		if v := get[string](m, f); v != "" {
			n = sizeBlob(f.num, len(validText(v)))
		}
	case formBytes, formPresent:
		if v := get[[]byte](m, f); len(v) > 0 || v != nil && f.form == formPresent {
			n = sizeBlob(f.num, len(v))
		}
	case formMessage:
		if p := get[unsafe.Pointer](m, f); p != nil {
			n = sizeBlob(f.num, f.sub.encodedSize(p))
		}
	case formUint32s, formEnums:
		if k := f.packedLen(m); k > 0 {
			n = sizeBlob(f.num, k)
		}
	case formTexts:
		for _, v := range get[[]string](m, f) {
			n += sizeBlob(f.num, len(validText(v)))
		}
	case formMessages:
		list := get[slice](m, f)
		for i := range list.len {
			n += sizeBlob(f.num, f.sub.encodedSize(unsafe.Add(list.data, uintptr(i)*f.sub.size)))
		}
	default:
		if v, sent := scalar(m, f); sent {
			n = sizeVarint(uint64(f.num)<<3) + sizeVarint(v)
		}
	}
	return n
}

func (l *layout) appendTo(b []byte, m unsafe.Pointer) []byte {
	taken := false
	for i := range l.fields {
		f := &l.fields[i]
		if f.one && taken {
			continue
		}
		before := len(b)
		b = f.appendTo(b, m)
		taken = taken || f.one && len(b) > before
	}
	return b
}

func (f *field) appendTo(b []byte, m unsafe.Pointer) []byte {
	switch f.form {
	case formText:
		if v := get[string](m, f); v != "" {
			b = appendText(b, f.num, v)
		}
	case formBytes, formPresent:
		if v := get[[]byte](m, f); len(v) > 0 || v != nil && f.form == formPresent {
			b = append(appendHead(b, f.num, len(v)), v...)
		}
	case formMessage:
		if p := get[unsafe.Pointer](m, f); p != nil {
			b = f.appendMessage(b, p)
		}
	case formUint32s, formEnums:
		b = f.appendPacked(b, m)
	case formTexts:
		for _, v := range get[[]string](m, f) {
			b = appendText(b, f.num, v)
		}
	case formMessages:
		list := get[slice](m, f)
		for i := range list.len {
			b = f.appendMessage(b, unsafe.Add(list.data, uintptr(i)*f.sub.size))
		}
	default:
		if v, sent := scalar(m, f); sent {
			b = appendVarint(appendVarint(b, uint64(f.num)<<3|wireVarint), v)
		}
	}
	return b
}

func appendText(b []byte, num int, v string) []byte {
	v = validText(v)
	return append(appendHead(b, num, len(v)), v...)
}

func (f *field) appendMessage(b []byte, m unsafe.Pointer) []byte {
	return f.sub.appendTo(appendHead(b, f.num, f.sub.encodedSize(m)), m)
}

// packed calls yield for each number of a packed list as it is sent.
func (f *field) packed(m unsafe.Pointer, yield func(uint64)) {
	if f.form == formEnums {
		for _, v := range get[[]int32](m, f) {
			yield(uint64(int64(v)))
		}
		return
	}
	for _, v := range get[[]uint32](m, f) {
		yield(uint64(v))
	}
}

func (f *field) packedLen(m unsafe.Pointer) int {
	n := 0
	f.packed(m, func(v uint64) { n += sizeVarint(v) })
	return n
}

func (f *field) appendPacked(b []byte, m unsafe.Pointer) []byte {
	if n := f.packedLen(m); n > 0 {
		b = appendHead(b, f.num, n)
		f.packed(m, func(v uint64) { b = appendVarint(b, v) })
	}
	return b
}
