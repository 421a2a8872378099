package contract

import (
	"errors"
	"fmt"
	"unicode/utf8"
	"unsafe"
)

// Faults of an encoding. Unmarshal wraps them with the message and the field in which they were met.
var (
	ErrTruncated = errors.New("truncated")
	ErrVarint    = errors.New("varint above 64 bits")
	ErrField     = errors.New("field number out of range")
	ErrWireType  = errors.New("unknown wire type")
	ErrGroup     = errors.New("group without its end")
	ErrDepth     = errors.New("groups nested too deeply")
	ErrUTF8      = errors.New("string is not valid UTF-8")
)

const (
	maxField      = 1<<29 - 1
	maxGroupDepth = 100
)

// wireField is one field as it was read.
type wireField struct {
	num  int
	wire int
	v    uint64 // of a varint
	b    []byte // of a length-delimited field, never nil then
}

// unmarshal sets the fields of m that data has; those that it has not stay as they are.
func (l *layout) unmarshal(m unsafe.Pointer, data []byte) error {
	var w wireField
	next := 0 // canonical bytes have their fields in the table's order
	for len(data) > 0 {
		var err error
		data, err = w.read(data)
		if err == nil {
			var f *field
			if f, next = l.find(w.num, next); f != nil {
				err = l.set(m, f, &w)
			}
		}
		switch {
		case err != nil && w.num == 0:
			return fmt.Errorf("decode %s: %w", l.name, err)
		case err != nil:
			return fmt.Errorf("decode %s: field %d: %w", l.name, w.num, err)
		}
	}
	return nil
}

// find returns the field of that number, nil where there is none, and where the search for the next field begins.
func (l *layout) find(num, from int) (*field, int) {
	if from >= len(l.fields) || num < l.fields[from].num {
		from = 0
	}
	for i := from; i < len(l.fields) && l.fields[i].num <= num; i++ {
		if l.fields[i].num == num {
			return &l.fields[i], i
		}
	}
	return nil, from
}

// read takes the first field of data and returns what follows it. It leaves num at 0 where the tag itself is at fault.
func (w *wireField) read(data []byte) (rest []byte, err error) {
	w.num = 0
	tag, data, err := takeVarint(data)
	if err != nil {
		return nil, err
	}
	if tag>>3 == 0 || tag>>3 > maxField {
		return nil, ErrField
	}
	w.num, w.wire = int(tag>>3), int(tag&7)
	switch w.wire {
	case wireVarint:
		w.v, rest, err = takeVarint(data)
	case wireBytes:
		w.b, rest, err = takeBlob(data)
	case wireStart:
		rest, err = skipGroup(data, w.num)
	default:
		rest, err = skipFixed(data, w.wire)
	}
	return rest, err
}

// set takes a field into the message. One whose wire type does not fit its form is skipped, as an unknown one is.
func (l *layout) set(m unsafe.Pointer, f *field, w *wireField) error {
	if w.wire != wireVarint && w.wire != wireBytes {
		return nil
	}
	at := unsafe.Add(m, f.at)
	packed := f.form == formUint32s || f.form == formEnums
	varint := f.form <= formEnum || f.form >= formOptUint32 && f.form <= formOptSint64
	if !packed && varint != (w.wire == wireVarint) {
		return nil
	}
	if f.one {
		l.clearOthers(m, f)
	}
	if w.wire == wireVarint {
		setVarint(at, f.form, w.v)
		return nil
	}
	return f.setBlob(at, w.b)
}

func setVarint(at unsafe.Pointer, form form, v uint64) {
	switch form {
	case formUint32, formEnum:
		*(*uint32)(at) = uint32(v)
	case formUint64:
		*(*uint64)(at) = v
	case formSint64:
		*(*int64)(at) = unzigzag(v)
	case formBool:
		*(*bool)(at) = v != 0
	case formOptUint32:
		p := uint32(v)
		*(**uint32)(at) = &p
	case formOptUint64:
		*(**uint64)(at) = &v
	case formOptSint64:
		p := unzigzag(v)
		*(**int64)(at) = &p
	case formUint32s, formEnums:
		list := (*[]uint32)(at)
		*list = append(*list, uint32(v))
	}
}

func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }

func (f *field) setBlob(at unsafe.Pointer, b []byte) error {
	switch f.form {
	case formBytes, formPresent:
		*(*[]byte)(at) = b
	case formText, formTexts:
		if !utf8.Valid(b) {
			return ErrUTF8
		}
		if f.form == formText {
			*(*string)(at) = string(b)
			return nil
		}
		list := (*[]string)(at)
		*list = append(*list, string(b))
	case formMessage:
		p := (*unsafe.Pointer)(at)
		if *p == nil {
			var one slice
			*p = f.sub.grow(unsafe.Pointer(&one))
		}
		return f.sub.unmarshal(*p, b)
	case formMessages:
		return f.sub.unmarshal(f.sub.grow(at), b)
	case formUint32s, formEnums:
		for len(b) > 0 {
			v, rest, err := takeVarint(b)
			if err != nil {
				return err
			}
			setVarint(at, f.form, v)
			b = rest
		}
	}
	return nil
}

// clearOthers unsets the other members of the oneof that f is one of.
func (l *layout) clearOthers(m unsafe.Pointer, f *field) {
	for i := range l.fields {
		if o := &l.fields[i]; o.one && o != f {
			if o.form == formPresent {
				*(*[]byte)(unsafe.Add(m, o.at)) = nil
				continue
			}
			*(*unsafe.Pointer)(unsafe.Add(m, o.at)) = nil
		}
	}
}

func takeVarint(b []byte) (v uint64, rest []byte, err error) {
	for i := range 10 {
		if i == len(b) {
			return 0, nil, ErrTruncated
		}
		c := b[i]
		if i == 9 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			return v, b[i+1:], nil
		}
	}
	return 0, nil, ErrVarint
}

func takeBlob(b []byte) (blob, rest []byte, err error) {
	n, rest, err := takeVarint(b)
	if err != nil {
		return nil, nil, err
	}
	if n > uint64(len(rest)) {
		return nil, nil, ErrTruncated
	}
	return rest[:n:n], rest[n:], nil
}

func skipFixed(b []byte, wire int) ([]byte, error) {
	n := 4
	switch wire {
	case wireFixed64:
		n = 8
	case wireFixed32:
	case wireEnd:
		return nil, ErrGroup
	default:
		return nil, ErrWireType
	}
	if len(b) < n {
		return nil, ErrTruncated
	}
	return b[n:], nil
}

// skipGroup skips a group of the old encoding with all that it holds; the contract has none, but what is unknown is skipped.
func skipGroup(b []byte, num int) ([]byte, error) {
	open := []int{num}
	for len(open) > 0 {
		tag, rest, err := takeVarint(b)
		if err != nil {
			return nil, err
		}
		if tag>>3 == 0 || tag>>3 > maxField {
			return nil, ErrField
		}
		b = rest
		switch num, wire := int(tag>>3), int(tag&7); wire {
		case wireEnd:
			if num != open[len(open)-1] {
				return nil, ErrGroup
			}
			open = open[:len(open)-1]
		case wireStart:
			if len(open) == maxGroupDepth {
				return nil, ErrDepth
			}
			open = append(open, num)
		case wireVarint:
			_, b, err = takeVarint(b)
		case wireBytes:
			_, b, err = takeBlob(b)
		default:
			b, err = skipFixed(b, wire)
		}
		if err != nil {
			return nil, err
		}
	}
	return b, nil
}
