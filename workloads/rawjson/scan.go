package rawjson

import (
	"encoding/binary"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may be nested.
const MaxDepth = 1000

// SyntaxError tells where a text stops being JSON.
type SyntaxError struct {
	Offset int    // bytes from the start of the text
	Reason string // lower case, for people
	UTF8   bool   // the bytes at Offset are not UTF-8
}

// Error gives the reason alone; the place is in Offset.
func (e *SyntaxError) Error() string { return e.Reason }

func fault(at int, reason string) *SyntaxError { return &SyntaxError{Offset: at, Reason: reason} }

// Valid returns nil where data is one JSON document with nothing but white space around it.
func Valid(data []byte) *SyntaxError {
	end, err := Skip(data, Space(data, 0))
	if err != nil {
		return err
	}
	if end = Space(data, end); end != len(data) {
		return fault(end, "text goes on after the end of the JSON value")
	}
	return nil
}

// Space returns the position of the first byte at or after i that is not JSON white space, or len(data).
func Space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// Skip checks the JSON value that starts at data[i], without white space before it, and returns the position after it.
func Skip(data []byte, i int) (int, *SyntaxError) {
	if i >= len(data) {
		return i, fault(i, "the text ends where a value should begin")
	}
	switch data[i] {
	case '{', '[':
		return skipNested(data, i)
	default:
		return skipScalar(data, i)
	}
}

func skipScalar(data []byte, i int) (int, *SyntaxError) {
	switch c := data[i]; {
	case c == '"':
		return skipString(data, i)
	case c == '-' || c >= '0' && c <= '9':
		return skipNumber(data, i)
	case c == 't':
		return skipWord(data, i, "true")
	case c == 'f':
		return skipWord(data, i, "false")
	case c == 'n':
		return skipWord(data, i, "null")
	default:
		return i, unexpected(data, i, "a value")
	}
}

func unexpected(data []byte, i int, want string) *SyntaxError {
	if i >= len(data) {
		return fault(i, "the text ends where "+want+" should stand")
	}
	if r, n := utf8.DecodeRune(data[i:]); r == utf8.RuneError && n <= 1 {
		return &SyntaxError{Offset: i, Reason: "bytes that are not UTF-8", UTF8: true}
	} else if r > ' ' {
		return fault(i, "found "+string(r)+" where "+want+" should stand")
	}
	return fault(i, "found a control character where "+want+" should stand")
}

// skipNested walks an array or object with a stack of its own; the stack holds the closing bytes.
func skipNested(data []byte, i int) (int, *SyntaxError) {
	var small [32]byte
	open := small[:0]
	for {
		// Here a value begins at i.
		if i >= len(data) {
			return i, unexpected(data, i, "a value")
		}
		if c := data[i]; c == '{' || c == '[' {
			if len(open) == MaxDepth {
				return i, fault(i, "nested too deep")
			}
			open = append(open, c+2) // '{'+2 is '}', '['+2 is ']'
			i = Space(data, i+1)
			if i >= len(data) || data[i] != c+2 {
				var err *SyntaxError
				if c == '{' {
					if i, err = skipKey(data, i); err != nil {
						return i, err
					}
				}
				continue
			}
		} else {
			var err *SyntaxError
			if i, err = skipScalar(data, i); err != nil {
				return i, err
			}
		}
		// Here a value ended before i, or an empty container is about to be closed at i.
		for {
			i = Space(data, i)
			end := open[len(open)-1]
			if i >= len(data) || data[i] != end {
				break
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return i + 1, nil
			}
			i++
		}
		if i >= len(data) || data[i] != ',' {
			return i, unexpected(data, i, "a comma or the end of the list or object")
		}
		i = Space(data, i+1)
		if open[len(open)-1] == '}' {
			var err *SyntaxError
			if i, err = skipKey(data, i); err != nil {
				return i, err
			}
		}
	}
}

// skipKey goes past a key and its colon to where the value begins.
func skipKey(data []byte, i int) (int, *SyntaxError) {
	if i >= len(data) || data[i] != '"' {
		return i, unexpected(data, i, "a key in double quotes")
	}
	i, err := skipString(data, i)
	if err != nil {
		return i, err
	}
	if i = Space(data, i); i >= len(data) || data[i] != ':' {
		return i, unexpected(data, i, "a colon")
	}
	return Space(data, i+1), nil
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special reports whether one of the eight bytes of w is a quote, a backslash, a control character or not ASCII.
func special(w uint64) bool {
	quote := w ^ ones*'"'
	slash := w ^ ones*'\\'
	return ((quote-ones)&^quote|(slash-ones)&^slash|(w-ones*0x20)&^w|w)&highs != 0
}

func skipString(data []byte, i int) (int, *SyntaxError) {
	start := i
	i++
	for {
		for i+8 <= len(data) && !special(binary.LittleEndian.Uint64(data[i:])) {
			i += 8
		}
		if i >= len(data) {
			return i, fault(start, "the string that begins here has no end")
		}
		switch c := data[i]; {
		case c == '"':
			return i + 1, nil
		case c == '\\':
			n := escape(data[i:])
			if n == 0 {
				return i, fault(i, "an escape that JSON does not know")
			}
			i += n
		case c < ' ':
			return i, fault(i, "a bare control character in a string")
		case c < utf8.RuneSelf:
			i++
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n <= 1 {
				return i, &SyntaxError{Offset: i, Reason: "bytes that are not UTF-8", UTF8: true}
			}
			i += n
		}
	}
}

// escape returns the length of the escape at the start of s, 0 where it is none.
func escape(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(s[2:]); ok {
			return 6
		}
	}
	return 0
}

func hex4(s []byte) (rune, bool) {
	if len(s) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range s[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

func skipWord(data []byte, i int, word string) (int, *SyntaxError) {
	if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
		return i, fault(i, "a word that JSON does not know")
	}
	return i + len(word), nil
}

func skipNumber(data []byte, i int) (int, *SyntaxError) {
	if data[i] == '-' {
		i++
	}
	whole := digits(data, i)
	if whole == i {
		return i, unexpected(data, i, "a digit")
	}
	if data[i] == '0' && whole > i+1 {
		return i, fault(i, "a number with a leading zero")
	}
	i = whole
	if i < len(data) && data[i] == '.' {
		end := digits(data, i+1)
		if end == i+1 {
			return end, unexpected(data, end, "a digit")
		}
		i = end
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		end := digits(data, i)
		if end == i {
			return i, unexpected(data, i, "a digit")
		}
		i = end
	}
	return i, nil
}

func digits(data []byte, i int) int {
	for i < len(data) && data[i] >= '0' && data[i] <= '9' {
		i++
	}
	return i
}
