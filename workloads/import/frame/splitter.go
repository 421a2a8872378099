package frame

import (
	"errors"

	"paceline/workloads/rawjson"
)

// splitter finds the records in a sequence of JSON values. Only a record is held in memory as a whole; what lies around
// records is passed by its brackets and quotes alone, and records are checked.
type splitter struct {
	w     *window
	yield func(placed) bool
	fault error
}

// value walks the value at the next byte; false ends the walk.
func (s *splitter) value(t *tree) bool {
	c, _ := s.w.peek()
	switch {
	case c == '[' && t.list != nil:
		return s.list(t.list)
	case c == '{' && (t.record || t.keys != nil):
		return s.object(t)
	case t.record && t.list == nil && t.keys == nil:
		return s.record()
	default:
		return s.pass()
	}
}

// list walks the elements of a list.
func (s *splitter) list(t *tree) bool {
	s.w.pos++
	for first := true; ; first = false {
		c, ok := s.w.space()
		if ok && c == ']' {
			s.w.pos++
			return true
		}
		if !first && !s.comma(c, ok) {
			return false
		}
		if _, ok = s.w.space(); !ok {
			return s.broken("the text ends inside a list")
		}
		if !s.value(t) {
			return false
		}
	}
}

// object walks an object, which is a record unless one of its keys leads on to records.
func (s *splitter) object(t *tree) bool {
	if t.record {
		s.w.mark = s.w.pos
	}
	if t.keys == nil {
		return s.record()
	}
	line, offset := s.w.lineAt(), s.w.offset()
	s.w.pos++
	for first := true; ; first = false {
		c, ok := s.w.space()
		if ok && c == '}' {
			s.w.pos++
			return s.w.mark < 0 || s.emit(line, offset)
		}
		if !first && !s.comma(c, ok) {
			return false
		}
		if !s.member(t) {
			return false
		}
	}
}

func (s *splitter) comma(c byte, ok bool) bool {
	if !ok {
		return s.broken("the text ends inside a list or an object")
	}
	if c != ',' {
		return s.broken("a comma is missing")
	}
	s.w.pos++
	return true
}

// member walks one key and its value.
func (s *splitter) member(t *tree) bool {
	if c, ok := s.w.space(); !ok || c != '"' {
		return s.broken("a key in double quotes is missing")
	}
	outer := s.w.mark
	if outer < 0 {
		s.w.mark = s.w.pos
	}
	length := s.w.pos - s.w.mark
	if !s.w.text() {
		return s.broken("a key has no end")
	}
	key, _ := rawjson.Value(s.w.buf[s.w.mark+length : s.w.pos]).Text()
	if outer < 0 {
		s.w.mark = -1
	}
	if c, ok := s.w.space(); !ok || c != ':' {
		return s.broken("a colon is missing")
	}
	s.w.pos++
	c, ok := s.w.space()
	if !ok {
		return s.broken("the text ends where a value should begin")
	}
	next := t.keys[key]
	if next == nil || c != '[' && c != '{' {
		return s.pass()
	}
	s.w.mark = -1 // the way leads on: the object around is no record
	return s.value(next)
}

// record takes the value at the next byte as a record.
func (s *splitter) record() bool {
	line, offset := s.w.lineAt(), s.w.offset()
	s.w.mark = s.w.pos
	return s.pass() && s.emit(line, offset)
}

// emit hands on the marked value, which ends before the next byte.
func (s *splitter) emit(line uint64, offset int64) bool {
	text := rawjson.Value(s.w.buf[s.w.mark:s.w.pos])
	s.w.mark = -1
	r := Record{Value: text, Line: line, Offset: offset, Time: NoTime}
	if len(text) > MaxRecord {
		return s.long()
	}
	if err := rawjson.Valid(text); err != nil {
		s.fault = brokenAt(&r, err)
		return false
	}
	return s.yield(placed{record: r})
}

func brokenAt(r *Record, err *rawjson.SyntaxError) error {
	at := Record{Line: r.Line, Offset: r.Offset + int64(err.Offset)}
	for _, c := range r.Value[:min(err.Offset, len(r.Value))] {
		if c == '\n' {
			at.Line++
		}
	}
	return at.Fault("", "broken-json", "one JSON value", "the JSON breaks off here: %s", err.Reason)
}

// pass goes past the value at the next byte by its brackets and quotes.
func (s *splitter) pass() bool {
	for depth := 0; ; {
		c, ok := s.w.peek()
		if !ok {
			return s.broken("the text ends inside a value")
		}
		switch c {
		case '"':
			if !s.w.text() {
				return s.broken("a string has no end")
			}
			if depth == 0 {
				return true
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return s.broken("a bracket closes what was not opened")
			}
			if depth == 0 {
				s.w.pos++
				return true
			}
		default:
			if depth == 0 {
				return s.scalar()
			}
		}
		s.w.pos++
	}
}

// scalar goes past a number or a word.
func (s *splitter) scalar() bool {
	for n := 0; ; n++ {
		c, ok := s.w.peek()
		if !ok || c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			if n == 0 {
				return s.broken("a value is missing")
			}
			return true
		}
		s.w.pos++
	}
}

func (s *splitter) broken(reason string) bool {
	if errors.Is(s.w.err, errLong) {
		return s.long()
	}
	at := Record{Line: s.w.lineAt(), Offset: s.w.offset()}
	s.fault = at.Fault("", "broken-json", "one JSON value", "the JSON breaks off here: %s", reason)
	return false
}

func (s *splitter) long() bool {
	at := Record{Line: s.w.lineAt(), Offset: s.w.offset()}
	s.fault = at.Fault("", "record-too-long", "records of at most 64 MiB", "the record that goes on here is longer than 64 MiB")
	return false
}
