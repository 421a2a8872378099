package canon

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"

	"paceline/workloads/rawjson"
)

// Compare orders two JSON numbers by value, exactly, however they are written. ok is false where either text is no number.
func Compare(a, b []byte) (order int, ok bool) {
	x, okA := parse(a)
	y, okB := parse(b)
	if !okA || !okB {
		return 0, false
	}
	if x.sign() != y.sign() {
		return cmp.Compare(x.sign(), y.sign()), true
	}
	order = cmp.Compare(len(x.digits)+x.exponent, len(y.digits)+y.exponent)
	if len(x.digits) == 0 {
		order = 0
	} else if order == 0 {
		order = bytes.Compare(x.digits, y.digits)
	}
	return order * x.sign(), true
}

func (d decimal) sign() int {
	switch {
	case len(d.digits) == 0:
		return 0
	case d.negative:
		return -1
	default:
		return 1
	}
}

// Whole reports whether a text is a JSON number without a fraction: 7, 7.0 and 70e-1 are, of any size.
func Whole(text []byte) bool {
	d, ok := parse(text)
	return ok && (len(d.digits) == 0 || d.exponent >= 0)
}

// decimal is (-)digits * 10^exponent, without zeros at either end of digits; zero has no digits.
type decimal struct {
	negative bool
	digits   []byte
	exponent int
}

// limit keeps exponents far from overflow; numbers beyond it are taken as equally large.
const limit = 1 << 30

// parse reads a JSON number. ok is false for every other text.
func parse(text []byte) (d decimal, ok bool) {
	if rawjson.Value(text).Kind() != rawjson.Number || rawjson.Valid(text) != nil {
		return d, false
	}
	mantissa, power := text, []byte(nil)
	if i := bytes.IndexAny(text, "eE"); i >= 0 {
		mantissa, power = text[:i], text[i+1:]
	}
	mantissa, d.negative = bytes.CutPrefix(mantissa, []byte("-"))
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	all := slices.Concat(whole, fraction)
	d.exponent = exponent(power) - len(fraction)
	d.digits = bytes.TrimRight(all, "0")
	d.exponent += len(all) - len(d.digits)
	d.digits = bytes.TrimLeft(d.digits, "0")
	return d, true
}

func exponent(text []byte) int {
	sign, n := 1, 0
	for _, c := range text {
		switch {
		case c == '-':
			sign = -1
		case c == '+':
		case n < limit:
			n = n*10 + int(c-'0')
		}
	}
	return sign * min(n, limit)
}

// plainPlaces is the largest exponent that is written out as zeros.
const plainPlaces = 21

func appendNumber(dst []byte, v rawjson.Value) []byte {
	d, ok := parse(v)
	if !ok {
		return append(dst, v...)
	}
	if len(d.digits) == 0 {
		return append(dst, '0')
	}
	if d.negative {
		dst = append(dst, '-')
	}
	switch {
	case d.exponent >= 0 && len(d.digits)+d.exponent <= plainPlaces:
		dst = append(dst, d.digits...)
		return append(dst, bytes.Repeat([]byte{'0'}, d.exponent)...)
	case d.exponent < 0 && -d.exponent < len(d.digits):
		point := len(d.digits) + d.exponent
		dst = append(append(dst, d.digits[:point]...), '.')
		return append(dst, d.digits[point:]...)
	default:
		dst = append(append(dst, d.digits...), 'e')
		return strconv.AppendInt(dst, int64(d.exponent), 10)
	}
}
