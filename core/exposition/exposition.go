// Package exposition reads the text format in which servers tell their figures to Prometheus, as far as series and their
// values go. A stranger wrote the text: what is no series is counted and skipped, and nothing is kept of it.
package exposition

import (
	"bytes"
	"strconv"
)

// maxLine bounds one line in bytes; longer ones are skipped.
const maxLine = 64 << 10

// Series is one line: a name, its labels and a value. It is valid until the next one.
type Series struct {
	Name   []byte
	Value  float64 // may be no number, or infinite
	labels []byte  // what stands between the braces
}

// Each calls yield for every series of a text, in its order, and returns how many lines are none.
func Each(text []byte, yield func(*Series)) (malformed int) {
	var s Series
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		line = bytes.TrimSpace(line)
		switch {
		case len(line) == 0 || line[0] == '#':
		case len(line) <= maxLine && s.read(line):
			yield(&s)
		default:
			malformed++
		}
	}
	return malformed
}

// read takes a line apart: name{labels} value [timestamp]. Timestamps and what follows them are left out.
func (s *Series) read(line []byte) bool {
	n := 0
	for n < len(line) && inName(line[n], n) {
		n++
	}
	if n == 0 {
		return false
	}
	s.Name, s.labels = line[:n], nil
	rest := bytes.TrimLeft(line[n:], " \t")
	if len(rest) > 0 && rest[0] == '{' {
		end := closing(rest)
		if end < 0 {
			return false
		}
		s.labels, rest = rest[1:end], rest[end+1:]
	} else if len(rest) == len(line)-n {
		return false // nothing parts name and value
	}
	words := bytes.Fields(rest)
	if len(words) == 0 {
		return false
	}
	value, err := strconv.ParseFloat(string(words[0]), 64)
	s.Value = value
	return err == nil
}

func inName(c byte, at int) bool {
	return c == '_' || c == ':' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || at > 0 && c >= '0' && c <= '9'
}

// closing finds the brace that ends the labels; a quoted one is none.
func closing(b []byte) int {
	quoted := false
	for i := 1; i < len(b); i++ {
		switch {
		case quoted && b[i] == '\\':
			i++
		case b[i] == '"':
			quoted = !quoted
		case b[i] == '}' && !quoted:
			return i
		}
	}
	return -1
}

// Label returns the value of a label, and whether the series has it.
func (s *Series) Label(name string) (string, bool) {
	for rest := s.labels; len(rest) > 0; {
		i := bytes.IndexByte(rest, '=')
		if i < 0 {
			return "", false
		}
		key := bytes.Trim(rest[:i], " \t,")
		value, n := quoted(bytes.TrimLeft(rest[i+1:], " \t"))
		if n == 0 {
			return "", false
		}
		if string(key) == name {
			return value, true
		}
		rest = bytes.TrimLeft(rest[i+1:], " \t")[n:]
	}
	return "", false
}

// quoted reads a quoted text and returns its length with the quotes; 0: there is none.
func quoted(b []byte) (text string, n int) {
	if len(b) == 0 || b[0] != '"' {
		return "", 0
	}
	var out []byte
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '"':
			return string(out), i + 1
		case '\\':
			if i++; i == len(b) {
				return "", 0
			}
			if b[i] == 'n' {
				out = append(out, '\n')
				continue
			}
		}
		out = append(out, b[i])
	}
	return "", 0
}
