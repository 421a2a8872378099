package sim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// scanner reads JSON in one pass. It exists because the bodies of agentic
// requests are hundreds of kilobytes long, of which encoding/json reads about 30
// MB/s; it takes what that takes, but for the case of keys.
type scanner struct {
	b []byte
	i int // the next byte
}

// maxDepth bounds nesting, so that a body cannot exhaust the stack.
const maxDepth = 1000

var errEnd = errors.New("unexpected end of JSON input")

// space skips white space and returns the next byte, 0 at the end.
func (s *scanner) space() byte {
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

// unexpected is the error for the next byte.
func (s *scanner) unexpected() error {
	if s.i >= len(s.b) {
		return errEnd
	}
	return fmt.Errorf("invalid character %q at offset %d", s.b[s.i], s.i)
}

func (s *scanner) take(c byte) error {
	if s.space() != c || s.i >= len(s.b) {
		return s.unexpected()
	}
	s.i++
	return nil
}

// end wants nothing but white space.
func (s *scanner) end() error {
	if s.space(); s.i < len(s.b) {
		return s.unexpected()
	}
	return nil
}

// members calls f at each value of an object; f reads the value.
func (s *scanner) members(f func(key string) error) error {
	if err := s.take('{'); err != nil {
		return err
	}
	return s.list('}', func() error {
		key, err := s.text()
		if err == nil {
			err = s.take(':')
		}
		if err != nil {
			return err
		}
		return f(key)
	})
}

// elements calls f at each value of an array; f reads the value.
func (s *scanner) elements(f func() error) error {
	if err := s.take('['); err != nil {
		return err
	}
	return s.list(']', f)
}

// list reads what f reads, between commas, up to the closing byte.
func (s *scanner) list(closing byte, f func() error) error {
	if s.space() == closing {
		s.i++
		return nil
	}
	for {
		if err := f(); err != nil {
			return err
		}
		switch s.space() {
		case ',':
			s.i++
		case closing:
			s.i++
			return nil
		default:
			return s.unexpected()
		}
	}
}

// text reads a string.
func (s *scanner) text() (string, error) {
	if err := s.take('"'); err != nil {
		return "", err
	}
	start := s.i
	if err := s.plain(); err != nil {
		return "", err
	}
	if s.b[s.i] == '"' {
		s.i++
		return string(s.b[start : s.i-1]), nil
	}
	out := make([]byte, 0, 2*(s.i-start)+64)
	for {
		out = append(out, s.b[start:s.i]...)
		if s.b[s.i] == '"' {
			s.i++
			return string(out), nil
		}
		var err error
		if out, err = s.escape(out); err != nil {
			return "", err
		}
		start = s.i
		if err := s.plain(); err != nil {
			return "", err
		}
	}
}

// textOrNull reads a string, or null as "".
func (s *scanner) textOrNull() (string, error) {
	if s.space() != 'n' {
		return s.text()
	}
	_, err := s.skip()
	return "", err
}

// plain goes on to the next quote or backslash of a string.
func (s *scanner) plain() error {
	for ; s.i < len(s.b); s.i++ {
		switch c := s.b[s.i]; {
		case c == '"' || c == '\\':
			return nil
		case c < ' ':
			return s.unexpected()
		}
	}
	return errEnd
}

// escape reads the escape at a backslash and appends what it stands for.
func (s *scanner) escape(out []byte) ([]byte, error) {
	s.i++
	if s.i >= len(s.b) {
		return nil, errEnd
	}
	const letters, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	c := s.b[s.i]
	if at := bytes.IndexByte([]byte(letters), c); at >= 0 {
		s.i++
		return append(out, meanings[at]), nil
	}
	if c != 'u' {
		return nil, s.unexpected()
	}
	r, err := s.hex()
	if err != nil {
		return nil, err
	}
	if utf16.IsSurrogate(r) {
		r = s.surrogate(r)
	}
	return utf8.AppendRune(out, r), nil
}

// surrogate reads the second half of a pair, if there is one.
func (s *scanner) surrogate(first rune) rune {
	if bytes.HasPrefix(s.b[s.i:], []byte(`\u`)) {
		before := s.i
		s.i++
		if second, err := s.hex(); err == nil {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return r
			}
		}
		s.i = before
	}
	return utf8.RuneError
}

// hex reads four digits behind the u at s.i.
func (s *scanner) hex() (rune, error) {
	s.i++
	if s.i+4 > len(s.b) {
		return 0, errEnd
	}
	n, err := strconv.ParseUint(string(s.b[s.i:s.i+4]), 16, 32)
	if err != nil {
		return 0, s.unexpected()
	}
	s.i += 4
	return rune(n), nil
}

// skip reads any value and returns its bytes.
func (s *scanner) skip() (json.RawMessage, error) {
	s.space()
	start := s.i
	err := s.pass(0)
	return s.b[start:s.i], err
}

func (s *scanner) pass(depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("values are nested more than %d deep", maxDepth)
	}
	inner := func() error { return s.pass(depth + 1) }
	switch c := s.space(); {
	case c == '{':
		return s.members(func(string) error { return inner() })
	case c == '[':
		return s.elements(inner)
	case c == '"':
		return s.passText()
	case s.i >= len(s.b):
		return errEnd
	}
	// Literals and numbers are short: their end is found, then they are checked.
	start := s.i
	for s.i < len(s.b) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(s.b[s.i])) {
		s.i++
	}
	if !json.Valid(s.b[start:s.i]) {
		s.i = start
		return s.unexpected()
	}
	return nil
}

// passText reads a string without keeping it.
func (s *scanner) passText() error {
	s.i++
	for {
		if err := s.plain(); err != nil {
			return err
		}
		if s.b[s.i] == '"' {
			s.i++
			return nil
		}
		var room [utf8.UTFMax]byte
		if _, err := s.escape(room[:0]); err != nil {
			return err
		}
	}
}
