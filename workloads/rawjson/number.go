package rawjson

import "math"

// Scaled reads a JSON number as an integer count of 10^-scale, rounded half away from zero, without floating point:
// Scaled("0.25", 9) is 250000000. ok is false where text is no number or the result does not fit 64 bits.
func Scaled(text []byte, scale int) (n int64, ok bool) {
	d, ok := parseDecimal(text)
	if !ok {
		return 0, false
	}
	return d.scaled(scale)
}

// Integer reads a JSON number whose value is whole, however it is written (7, 7.0, 70e-1). ok is false for others.
func Integer(text []byte) (n int64, ok bool) {
	d, ok := parseDecimal(text)
	if !ok || len(d.digits) > 0 && d.exponent < 0 {
		return 0, false
	}
	return d.scaled(0)
}

// decimal is (-)digits * 10^exponent, without zeros at either end of digits; zero has no digits.
type decimal struct {
	negative bool
	digits   []byte
	exponent int
}

// limit keeps exponents far from overflow; beyond it a value is 0 or does not fit anyway.
const limit = 1 << 30

func parseDecimal(text []byte) (d decimal, ok bool) {
	if len(text) == 0 || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return d, false
	}
	if end, err := skipNumber(text, 0); err != nil || end != len(text) {
		return d, false
	}
	i := 0
	if text[0] == '-' {
		d.negative, i = true, 1
	}
	point := -1
	all := make([]byte, 0, len(text))
	for ; i < len(text) && text[i] != 'e' && text[i] != 'E'; i++ {
		if text[i] == '.' {
			point = len(all)
			continue
		}
		all = append(all, text[i])
	}
	if point >= 0 {
		d.exponent = point - len(all)
	}
	if i < len(text) {
		d.exponent += exponent(text[i+1:])
	}
	for len(all) > 0 && all[len(all)-1] == '0' {
		all, d.exponent = all[:len(all)-1], d.exponent+1
	}
	for len(all) > 0 && all[0] == '0' {
		all = all[1:]
	}
	d.digits = all
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

func (d decimal) scaled(scale int) (int64, bool) {
	places := len(d.digits) + d.exponent + scale // digits before the point of the scaled value
	if len(d.digits) == 0 || places < 0 {
		return 0, true
	}
	if places > 19 {
		return 0, false
	}
	var n uint64
	for i := range places {
		digit := uint64(0)
		if i < len(d.digits) {
			digit = uint64(d.digits[i] - '0')
		}
		if n > (math.MaxInt64-digit)/10 {
			return 0, false
		}
		n = n*10 + digit
	}
	if places < len(d.digits) && d.digits[places] >= '5' {
		n++
	}
	if n > math.MaxInt64 {
		return 0, false
	}
	if d.negative {
		return -int64(n), true
	}
	return int64(n), true
}

// Exact is Scaled without rounding: ok is false as well where digits would be lost.
func Exact(text []byte, scale int) (n int64, ok bool) {
	d, ok := parseDecimal(text)
	if !ok || len(d.digits) > 0 && d.exponent+scale < 0 {
		return 0, false
	}
	return d.scaled(scale)
}
