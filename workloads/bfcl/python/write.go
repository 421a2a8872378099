package python

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Append writes the value as JSON without white space: floats as Python writes them, keys in their order.
func (v Value) Append(dst []byte) []byte { return v.append(dst, ",", ":", appendText) }

// Dumps is json.dumps: a blank behind commas and colons, nothing but ASCII.
func (v Value) Dumps() string { return string(v.append(nil, ", ", ": ", appendASCII)) }

func (v Value) append(dst []byte, comma, colon string, text func([]byte, string) []byte) []byte {
	switch v.Kind {
	case Bool, Int:
		return append(dst, v.Text...)
	case Float:
		return append(dst, floatText(v)...)
	case Str:
		return text(dst, v.Text)
	case List:
		dst = append(dst, '[')
		for i := range v.Items() {
			if i > 0 {
				dst = append(dst, comma...)
			}
			dst = v.Items()[i].append(dst, comma, colon, text)
		}
		return append(dst, ']')
	case Dict:
		dst = append(dst, '{')
		for i := range v.Items() {
			if i > 0 {
				dst = append(dst, comma...)
			}
			dst = append(text(dst, v.Keys()[i]), colon...)
			dst = v.Items()[i].append(dst, comma, colon, text)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// floatText is Python's repr: the shortest digits, an exponent below 1e-4 and from 1e16; and its names for what is no number.
func floatText(v Value) string {
	f := v.Float()
	switch {
	case math.IsNaN(f):
		return "NaN"
	case math.IsInf(f, 0):
		return strings.TrimPrefix(strconv.FormatFloat(f, 'f', -1, 64), "+") + "inity"
	}
	if size := math.Abs(f); size != 0 && (size < 1e-4 || size >= 1e16) {
		return strconv.FormatFloat(f, 'e', -1, 64)
	}
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

const hexDigits = "0123456789abcdef"

func appendText(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s { // what is no character comes as U+FFFD
		if r < ' ' || r == '"' || r == '\\' {
			dst = appendEscape(dst, r)
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	return append(dst, '"')
}

func appendASCII(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, r := range s {
		switch {
		case r >= 0x10000:
			high, low := utf16.EncodeRune(r)
			dst = appendHex(appendHex(dst, high), low)
		case r < ' ' || r == '"' || r == '\\' || r > 0x7f:
			dst = appendEscape(dst, r)
		default:
			dst = append(dst, byte(r))
		}
	}
	return append(dst, '"')
}

func appendEscape(dst []byte, r rune) []byte {
	if i := strings.IndexRune("\"\\\b\f\n\r\t", r); i >= 0 {
		return append(dst, '\\', `"\bfnrt`[i])
	}
	return appendHex(dst, r)
}

func appendHex(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}
