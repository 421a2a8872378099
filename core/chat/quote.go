package chat

import (
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string. Only what JSON demands is escaped: quotes, backslashes and control characters;
// no HTML escapes. Bytes that are not UTF-8 become U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	dst = AppendEscaped(dst, s)
	return append(dst, '"')
}

// AppendEscaped appends the inside of a JSON string as AppendQuoted writes it, without the quotes.
func AppendEscaped(dst []byte, s string) []byte {
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[start:i]...), "\uFFFD"...)
				start = i + 1
			}
			i += n
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			i++
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		i++
		start = i
	}
	return append(dst, s[start:]...)
}

func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

// TextBytes returns how many bytes of UTF-8 the inside of a JSON string stands for: raw is what lies between its quotes.
// A surrogate without its other half counts as U+FFFD does.
func TextBytes(raw []byte) int {
	n := 0
	for i := 0; i < len(raw); {
		if raw[i] != '\\' || i+1 >= len(raw) {
			n++
			i++
			continue
		}
		if raw[i+1] != 'u' {
			n++
			i += 2
			continue
		}
		r := hex4(raw[i+2:])
		i += 6
		if utf16.IsSurrogate(r) {
			if i+1 < len(raw) && raw[i] == '\\' && raw[i+1] == 'u' && utf16.DecodeRune(r, hex4(raw[i+2:])) != utf8.RuneError {
				n++ // a pair has four bytes
				i += 6
			}
			r = utf8.RuneError
		}
		n += utf8.RuneLen(r)
	}
	return n
}

// hex4 reads four hex digits; what is none counts as U+FFFD.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return utf8.RuneError
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c >= 'a' && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case c >= 'A' && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return utf8.RuneError
		}
	}
	return r
}
