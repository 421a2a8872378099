package contract

import (
	"errors"
	"fmt"
	"unicode/utf8"
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

// decoder walks the fields of one message. next reads a field whole; the setters below take it when its wire type fits
// and report whether they did, so a field that nobody takes is skipped.
type decoder struct {
	name string
	data []byte
	num  int
	wire int
	v    uint64 // of a varint
	b    []byte // of a length-delimited field, never nil then
	err  error
}

func (d *decoder) next() bool {
	if d.err != nil || len(d.data) == 0 {
		return false
	}
	d.num = 0
	tag, rest, err := takeVarint(d.data)
	if err == nil && (tag>>3 == 0 || tag>>3 > maxField) {
		err = ErrField
	}
	if err != nil {
		d.fail(err)
		return false
	}
	d.num, d.wire = int(tag>>3), int(tag&7)
	d.data = rest
	if err := d.value(); err != nil {
		d.fail(err)
		return false
	}
	return true
}

func (d *decoder) value() (err error) {
	switch d.wire {
	case wireVarint:
		d.v, d.data, err = takeVarint(d.data)
	case wireBytes:
		d.b, d.data, err = takeBlob(d.data)
	case wireStart:
		d.data, err = skipGroup(d.data, d.num)
	default:
		d.data, err = skipFixed(d.data, d.wire)
	}
	return err
}

// fail keeps the first error, told with the place where it was met.
func (d *decoder) fail(err error) {
	if d.err != nil {
		return
	}
	if d.num == 0 {
		d.err = fmt.Errorf("decode %s: %w", d.name, err)
		return
	}
	d.err = fmt.Errorf("decode %s: field %d: %w", d.name, d.num, err)
}

//go:noinline
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

//go:noinline
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

//go:noinline
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

//go:noinline
func setUint[T unsigned](d *decoder, p *T) bool {
	if d.wire != wireVarint {
		return false
	}
	*p = T(d.v)
	return true
}

//go:noinline
func setOptUint[T unsigned](d *decoder, p **T) bool {
	if d.wire != wireVarint {
		return false
	}
	v := T(d.v)
	*p = &v
	return true
}

//go:noinline
func setSint(d *decoder, p *int64) bool {
	if d.wire != wireVarint {
		return false
	}
	*p = int64(d.v>>1) ^ -int64(d.v&1)
	return true
}

//go:noinline
func setOptSint(d *decoder, p **int64) bool {
	if d.wire != wireVarint {
		return false
	}
	*p = new(int64)
	return setSint(d, *p)
}

//go:noinline
func setBool(d *decoder, p *bool) bool {
	if d.wire != wireVarint {
		return false
	}
	*p = d.v != 0
	return true
}

//go:noinline
func setEnum[E ~int32](d *decoder, p *E) bool {
	if d.wire != wireVarint {
		return false
	}
	*p = E(int32(d.v))
	return true
}

//go:noinline
func setBytes(d *decoder, p *[]byte) bool {
	if d.wire != wireBytes {
		return false
	}
	*p = d.b
	return true
}

//go:noinline
func setText(d *decoder, p *string) bool {
	if d.wire != wireBytes {
		return false
	}
	if !utf8.Valid(d.b) {
		d.fail(ErrUTF8)
		return false
	}
	*p = string(d.b)
	return true
}

//go:noinline
func addText(d *decoder, p *[]string) bool {
	var s string
	if !setText(d, &s) {
		return false
	}
	*p = append(*p, s)
	return true
}

// within keeps the error of a message within the message.
func (d *decoder) within(err error) {
	if err != nil {
		d.fail(err)
	}
}

// addPacked takes a numeric list in either form: packed, or one number a field.
//
//go:noinline
func addPacked[T ~int32 | ~uint32](d *decoder, p *[]T) bool {
	switch d.wire {
	case wireVarint:
		*p = append(*p, T(d.v))
		return true
	case wireBytes:
		for b := d.b; len(b) > 0; {
			v, rest, err := takeVarint(b)
			if err != nil {
				d.fail(err)
				return false
			}
			*p = append(*p, T(v))
			b = rest
		}
		return true
	}
	return false
}
