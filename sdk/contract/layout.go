package contract

import "unsafe"

// A layout tells where the fields of a message lie in its struct and how they are coded; codec_gen.go has one for each
// message. One loop over a table does for all messages what code for each would do at twenty times the size: a guest with
// the whole contract is 170 KB smaller for it.
type layout struct {
	name   string
	size   uintptr
	fields []field // by rising number
	// grow appends an empty element to the slice of this message that list points to, and returns the element. It is nil
	// where no message holds this one. It is not generic, since shapes' names would take more room than the code.
	grow func(list unsafe.Pointer) unsafe.Pointer
}

// field is one field of a message.
type field struct {
	num  int
	form form
	one  bool // member of the oneof; a message has one at most
	at   uintptr
	sub  *layout // of messages
}

// form is how a field is kept in Go and coded on the wire.
type form uint8

const (
	formUint32    form = iota // uint32
	formUint64                // uint64
	formSint64                // int64
	formBool                  // bool
	formEnum                  // a type over int32
	formText                  // string
	formBytes                 // []byte, left out when it is empty
	formPresent               // []byte, left out when it is nil
	formOptUint32             // *uint32
	formOptUint64             // *uint64
	formOptSint64             // *int64
	formMessage               // *T
	formUint32s               // []uint32, packed
	formEnums                 // slice of a type over int32, packed
	formTexts                 // []string
	formMessages              // []T
)

// slice is how Go lays out a slice of any element.
type slice struct {
	data     unsafe.Pointer
	len, cap int
}

// get reads a field's value as the type that its form names.
func get[T any](m unsafe.Pointer, f *field) T { return *(*T)(unsafe.Add(m, f.at)) }

// scalar returns a numeric field as it is sent, and whether it is sent at all.
func scalar(m unsafe.Pointer, f *field) (v uint64, sent bool) {
	switch f.form {
	case formUint32:
		v = uint64(get[uint32](m, f))
	case formUint64:
		v = get[uint64](m, f)
	case formSint64:
		v = zigzag(get[int64](m, f))
	case formEnum:
		v = uint64(int64(get[int32](m, f)))
	case formBool:
		if get[bool](m, f) {
			v = 1
		}
	case formOptUint32:
		if p := get[*uint32](m, f); p != nil {
			return uint64(*p), true
		}
	case formOptUint64:
		if p := get[*uint64](m, f); p != nil {
			return *p, true
		}
	case formOptSint64:
		if p := get[*int64](m, f); p != nil {
			return zigzag(*p), true
		}
	}
	return v, v != 0
}

// zigzag maps signed to unsigned integers so that those near zero are short.
func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
