package endpoint

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"paceline/core/chat"
)

// dialect is what an API has of its own in what a target sends: how an event or a document is read, what its reasons for the
// end are called, and what an answer cannot lack. Both fill the same chunk.
type dialect struct {
	read   func(*scanner, *chunk) bool // nil: chat completions, see chunk.read
	finish func(reason string, calls bool) string
	lacks  string
}

func dialectOf(api chat.API) *dialect {
	switch api {
	case chat.APIResponses:
		return &dialect{read: (*scanner).responseEvent, finish: responseFinish, lacks: "output"}
	case chat.APIMessages:
		return &dialect{read: (*scanner).messageEvent, finish: messageFinish, lacks: "content"}
	}
	return &dialect{lacks: "choices"}
}

// read fills the flight's chunk from an event's data or a document and reports whether it is JSON.
func (f *flight) read(data []byte) bool {
	if scan := f.client.dialect.read; scan != nil {
		return f.chunk.readBy(scan, data)
	}
	return f.chunk.read(data)
}

// readBy reads by a scan that takes what it does not know for nothing said. JSON of an odd form (escaped keys, bytes that are
// not UTF-8) is written anew and read once more.
func (c *chunk) readBy(scan func(*scanner, *chunk) bool, data []byte) bool {
	if utf8.Valid(data) && c.scanned(scan, data) {
		return true
	}
	again, ok := anew(data)
	if !ok || !c.scanned(scan, again) {
		c.reset()
	}
	return ok
}

func (c *chunk) scanned(scan func(*scanner, *chunk) bool, data []byte) bool {
	c.reset()
	c.scanner.b = data // part of the chunk, since a scanner that goes to a function value would be allocated each time
	return scan(&c.scanner, c) && c.scanner.over()
}

// anew writes JSON again: keys once, without escapes.
func anew(data []byte) ([]byte, bool) {
	if !json.Valid(data) {
		return nil, false
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, false
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return nil, false
	}
	return b.Bytes(), true
}

// over reports whether nothing but white space is left.
func (s *scanner) over() bool { return s.peek() == 0 && s.i == len(s.b) }

// object takes an object: take is called with each key and takes its value. What is no object is taken and says nothing.
func (s *scanner) object(take func(name []byte) bool) bool {
	if s.peek() != '{' {
		return s.skip(0)
	}
	s.i++
	if s.is('}') {
		return true
	}
	for {
		name, ok := s.key()
		if !ok || !take(name) {
			return false
		}
		if comma, ok := s.more('}'); !comma {
			return ok
		}
	}
}

// array takes a list: take is called with the number of each element and takes it. What is no list says nothing.
func (s *scanner) array(take func(n int) bool) bool {
	if s.peek() != '[' {
		return s.skip(0)
	}
	s.i++
	if s.is(']') {
		return true
	}
	for n := 0; ; n++ {
		if !take(n) {
			return false
		}
		if comma, ok := s.more(']'); !comma {
			return ok
		}
	}
}

// string takes a string or null into t; any other value leaves t as it is.
func (s *scanner) string(t *text) bool {
	switch s.peek() {
	case '"', 'n':
		var ok bool
		*t, ok = s.text()
		return ok
	}
	return s.skip(0)
}

// whole takes a count; any other value leaves both as they are.
func (s *scanner) whole(n *uint64, told *bool) bool {
	s.space()
	at := s.i
	if v, ok := s.count(); ok {
		*n, *told = v, true
		return true
	}
	s.i = at
	return s.skip(0)
}

// faultOf takes an error: any value but null, false and "".
func (s *scanner) faultOf(c *chunk) bool {
	value, ok := s.value()
	switch string(value) {
	case "null", "false", `""`:
	default:
		c.fault = value
	}
	return ok
}

// add adds text to what came before it in the same event or document.
func (t *text) add(x text) {
	switch {
	case !x.got:
		t.null = t.null || x.null
	case len(t.inside) == 0:
		*t = x
	default:
		t.inside = slices.Concat(t.inside, x.inside) // what is there lies in the event's own bytes
	}
}

// asString returns a value as the inside of a string that holds its text.
func asString(value []byte) []byte {
	quoted := chat.AppendQuoted(nil, string(value))
	return quoted[1 : len(quoted)-1]
}
