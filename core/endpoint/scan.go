package endpoint

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// scanner reads a chunk in one pass. It is strict: it says false for what is no JSON, and also for what is JSON but not
// of the common form (escaped or repeated keys, several choices, errors, odd types), which the slow way then reads.
type scanner struct {
	b []byte
	i int
}

const maxDepth = 64

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\n', '\r', '\t':
			s.i++
		default:
			return
		}
	}
}

// is skips white space and then takes c if it comes.
func (s *scanner) is(c byte) bool {
	s.space()
	if s.i < len(s.b) && s.b[s.i] == c {
		s.i++
		return true
	}
	return false
}

// peek returns the first byte of what comes, 0 at the end.
func (s *scanner) peek() byte {
	s.space()
	if s.i < len(s.b) {
		return s.b[s.i]
	}
	return 0
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special marks, by the highest bit of each of eight bytes, control characters, quotes and backslashes. The lowest mark is
// exact; bytes above it may be marked without reason.
func special(w uint64) uint64 {
	quote, slash := w^ones*'"', w^ones*'\\'
	return ((w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash) & highs
}

// str takes a string and returns its inside. escaped tells that there are escapes in it.
func (s *scanner) str() (inside []byte, escaped, ok bool) {
	if !s.is('"') {
		return nil, false, false
	}
	start := s.i
	for {
		for s.i+8 <= len(s.b) {
			marks := special(binary.LittleEndian.Uint64(s.b[s.i:]))
			if marks != 0 {
				s.i += bits.TrailingZeros64(marks) / 8
				break
			}
			s.i += 8
		}
		if s.i >= len(s.b) {
			return nil, false, false
		}
		switch c := s.b[s.i]; {
		case c == '"':
			s.i++
			return s.b[start : s.i-1], escaped, true
		case c < ' ':
			return nil, false, false
		case c == '\\':
			escaped = true
			if !s.escape() {
				return nil, false, false
			}
		default:
			s.i++
		}
	}
}

// escape takes one escape sequence.
func (s *scanner) escape() bool {
	if s.i+1 >= len(s.b) {
		return false
	}
	switch s.b[s.i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.i += 2
		return true
	case 'u':
		if s.i+6 > len(s.b) {
			return false
		}
		for _, c := range s.b[s.i+2 : s.i+6] {
			if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
				return false
			}
		}
		s.i += 6
		return true
	}
	return false
}

// key takes a key without escapes and its colon.
func (s *scanner) key() (name []byte, ok bool) {
	name, escaped, ok := s.str()
	return name, ok && !escaped && s.is(':')
}

// more is asked after each member or element: comma tells that another one follows, ok that the text is well formed.
func (s *scanner) more(end byte) (comma, ok bool) {
	if s.is(',') {
		return true, true
	}
	return false, s.is(end)
}

func (s *scanner) word(w string) bool {
	if len(s.b)-s.i >= len(w) && string(s.b[s.i:s.i+len(w)]) == w {
		s.i += len(w)
		return true
	}
	return false
}

func (s *scanner) digits() bool {
	start := s.i
	for s.i < len(s.b) && s.b[s.i] >= '0' && s.b[s.i] <= '9' {
		s.i++
	}
	return s.i > start
}

func (s *scanner) number() bool {
	if s.i < len(s.b) && s.b[s.i] == '-' {
		s.i++
	}
	if s.i < len(s.b) && s.b[s.i] == '0' {
		s.i++
	} else if !s.digits() {
		return false
	}
	if s.i < len(s.b) && s.b[s.i] == '.' {
		s.i++
		if !s.digits() {
			return false
		}
	}
	if s.i < len(s.b) && s.b[s.i]|0x20 == 'e' {
		s.i++
		if s.i < len(s.b) && (s.b[s.i] == '+' || s.b[s.i] == '-') {
			s.i++
		}
		return s.digits()
	}
	return true
}

// skip takes any value.
func (s *scanner) skip(depth int) bool {
	switch s.peek() {
	case '"':
		_, _, ok := s.str()
		return ok
	case '{', '[':
		return depth < maxDepth && s.skipNested(depth)
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

func (s *scanner) skipNested(depth int) bool {
	object := s.b[s.i] == '{'
	end := s.b[s.i] + 2 // '}' is '{' + 2, ']' is '[' + 2
	s.i++
	if s.is(end) {
		return true
	}
	for {
		if object {
			if _, _, ok := s.str(); !ok || !s.is(':') {
				return false
			}
		}
		if !s.skip(depth + 1) {
			return false
		}
		if comma, ok := s.more(end); !comma {
			return ok
		}
	}
}

// value takes any value and returns its bytes.
func (s *scanner) value() ([]byte, bool) {
	s.space()
	start := s.i
	ok := s.skip(0)
	return s.b[start:s.i], ok
}

// text takes a string or null.
func (s *scanner) text() (text, bool) {
	switch s.peek() {
	case 'n':
		return text{null: true}, s.word("null")
	case '"':
		inside, _, ok := s.str()
		return text{inside: inside, got: true}, ok
	}
	return text{}, false
}

// count takes a number without sign, fraction and exponent, of at most 18 digits.
func (s *scanner) count() (n uint64, ok bool) {
	s.space()
	start := s.i
	if !s.digits() || s.i-start > 18 || s.b[start] == '0' && s.i-start > 1 {
		return 0, false
	}
	if s.i < len(s.b) && (s.b[s.i] == '.' || s.b[s.i]|0x20 == 'e') {
		return 0, false
	}
	for _, c := range s.b[start:s.i] {
		n = n*10 + uint64(c-'0')
	}
	return n, true
}

// chunk reads the whole of b.
func (s *scanner) chunk(c *chunk) bool {
	return utf8.Valid(s.b) && s.top(c) && s.peek() == 0 && s.i == len(s.b)
}
