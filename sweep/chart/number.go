package chart

import (
	"strconv"
	"strings"
)

// px is a coordinate. It is written with one digit after the point, so that equal drawings are equal bytes.
type px float64

// String implements fmt.Stringer.
func (p px) String() string {
	s := strings.TrimSuffix(strconv.FormatFloat(float64(p), 'f', 1, 64), ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// number writes v to four significant digits, whole where it is 1,000 or more.
func number(v float64) string {
	if v < minNumber {
		return "0"
	}
	digits := 3
	for limit := 10.0; limit <= 1000 && v >= limit; limit *= 10 {
		digits--
	}
	if v < 1 {
		return strconv.FormatFloat(v, 'g', 4, 64)
	}
	return grouped(strconv.FormatFloat(v, 'f', digits, 64))
}

// grouped sets commas between thousands.
func grouped(s string) string {
	whole, rest, point := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if point {
		whole += "." + rest
	}
	return whole
}

// trimmed is a number without zeros at its end, for the ticks of an axis.
func trimmed(v float64) string {
	if v >= 1e6 {
		return trimmed(v/1e6) + "M"
	}
	return grouped(strconv.FormatFloat(v, 'g', 6, 64))
}

// width estimates how wide a text is at that size; wide scripts count double.
func width(s string, size float64) px {
	units := 0
	for _, r := range s {
		switch {
		case r >= 0x1100:
			units += 100
		case strings.ContainsRune("iljtfrI.,:;'|()[] ", r):
			units += 32
		case strings.ContainsRune("mwMW", r), 'A' <= r && r <= 'Z':
			units += 70
		default:
			units += 56
		}
	}
	return px(float64(units) * size / 100)
}

// fit cuts a text to that width.
func fit(s string, size float64, room px) string {
	for n := len([]rune(s)); n > 0; n-- {
		if short := cut(s, n); width(short, size) <= room {
			return short
		}
	}
	return ""
}
