package endpoint

import "bytes"

// events finds the events of a stream in pieces of any size. It keeps no bytes of a piece longer than the call, and
// allocates only where an event or a line reaches over the end of a piece.
//
// Rules: LF, CR and CRLF end a line, also where CR and LF come in two pieces; at most one blank after the colon is dropped;
// lines that begin with a colon are comments; the data lines of an event are joined by LF, and "data" without a colon is an
// empty one; an event without data is none; a byte order mark at the start of the stream is dropped; what follows the last
// blank line when the stream ends is no event.
type events struct {
	line    []byte // an unfinished line of earlier pieces
	data    []byte // data of the present event that could not stay where it was
	whole   []byte // the event's one data line, inside the present piece or line; nil where data holds it
	gotData bool
	isError bool // the event is named "error"
	afterCR bool // a LF that comes next belongs to the CR before it
	begun   bool // the first line is over
	last    bool // the event that next returned was named "error"
}

func (p *events) reset() {
	*p = events{line: p.line[:0], data: p.data[:0]}
}

// next returns the data of the first event that ends in b and how many bytes of b were used up; ok is false where none
// ends, and then all are. The data is valid until the next call.
func (p *events) next(b []byte) (event []byte, used int, ok bool) {
	if !p.gotData { // the event returned last is over
		p.data = p.data[:0]
	}
	for used < len(b) {
		rest := b[used:]
		if p.afterCR {
			p.afterCR = false
			if rest[0] == '\n' {
				used++
				continue
			}
		}
		end := bytes.IndexByte(rest, '\n')
		line := rest
		if end >= 0 {
			line = rest[:end]
		}
		if cr := bytes.IndexByte(line, '\r'); cr >= 0 {
			end, line, p.afterCR = cr, rest[:cr], true
		}
		if end < 0 {
			p.line = append(p.line, rest...)
			break
		}
		used += end + 1
		if p.endOfLine(line) {
			return p.take(), used, true
		}
	}
	if p.gotData && p.whole != nil { // the piece goes away
		p.data = append(p.data[:0], p.whole...)
		p.whole = nil
	}
	return nil, len(b), false
}

// endOfLine takes one line, its last part being tail, and reports whether an event with data ends with it.
func (p *events) endOfLine(tail []byte) bool {
	line, stays := tail, true
	if len(p.line) > 0 {
		p.line = append(p.line, tail...)
		line, stays = p.line, false
		p.line = p.line[:0]
	}
	if !p.begun {
		p.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	if len(line) == 0 {
		if !p.gotData {
			p.isError = false
		}
		return p.gotData
	}
	p.field(line, stays)
	return false
}

// field takes a line that is not empty. stays tells that its bytes lie in the present piece.
func (p *events) field(line []byte, stays bool) {
	name, value, _ := bytes.Cut(line, []byte{':'})
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		switch {
		case p.gotData && p.whole != nil:
			p.data = append(append(append(p.data[:0], p.whole...), '\n'), value...)
			p.whole = nil
		case p.gotData:
			p.data = append(append(p.data, '\n'), value...)
		case stays && len(value) > 0:
			p.whole = value
		default:
			p.data = append(p.data[:0], value...)
		}
		p.gotData = true
	case "event":
		p.isError = string(value) == "error"
	}
}

// take returns the present event's data and makes room for the next one.
func (p *events) take() []byte {
	event := p.data
	if p.whole != nil {
		event = p.whole
	}
	p.last, p.isError, p.gotData, p.whole = p.isError, false, false, nil
	return event
}
