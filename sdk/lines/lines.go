// Package lines reads a file line by line through io.ReaderAt, knowing number and offset of each line, so that a plugin
// can index a data set once and later read single lines in place. It scans at the speed of the search for a byte.
package lines

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxLine is the length in bytes at which a line is refused unless Scanner.MaxLine says otherwise.
const MaxLine = 64 << 20

const bufferSize = 256 << 10

// ErrTooLong is the fault of a line beyond MaxLine; Scanner.Err wraps it with the line's number.
var ErrTooLong = errors.New("line too long")

// Scanner walks the lines of a file. Lines end with LF or CRLF, the last one with the file too; neither end belongs to the
// line. A byte order mark at the start of the file is skipped, and so are lines of spaces and tabs alone, which still
// count. It is used from one goroutine.
type Scanner struct {
	// MaxLine bounds a line's length in bytes; 0: the package's MaxLine.
	MaxLine int

	r    io.ReaderAt
	size int64
	buf  []byte
	from int   // start of what is not yet consumed, in buf
	to   int   // end of what was read, in buf
	base int64 // offset in the file of buf[0]

	line   uint64
	offset int64
	text   []byte
	err    error
}

// New returns a scanner at the start of a file of size bytes.
func New(r io.ReaderAt, size int64) *Scanner { return &Scanner{r: r, size: size} }

// Resume moves to an offset at which a line starts, as Next gave it; line is the number of the line before it. It clears
// an earlier error.
func (s *Scanner) Resume(offset int64, line uint64) {
	s.from, s.to, s.base, s.line, s.err, s.text = 0, 0, offset, line, nil, nil
}

// Scan goes to the next line that is not blank and reports whether there is one.
func (s *Scanner) Scan() bool {
	for s.take() {
		if s.offset == 0 {
			if rest, ok := bytes.CutPrefix(s.text, []byte("\xEF\xBB\xBF")); ok {
				s.text, s.offset = rest, 3
			}
		}
		if !blank(s.text) {
			return true
		}
	}
	s.text = nil
	return false
}

// Bytes is the line that Scan found, valid until the next Scan.
func (s *Scanner) Bytes() []byte { return s.text }

// Line is that line's number; the first line of the file is 1.
func (s *Scanner) Line() uint64 { return s.line }

// Offset is where in the file that line's first byte is.
func (s *Scanner) Offset() int64 { return s.offset }

// Next is where in the file the line after it starts.
func (s *Scanner) Next() int64 { return s.base + int64(s.from) }

// Err is the error that ended the scan; nil at the end of the file.
func (s *Scanner) Err() error { return s.err }

// take sets the next line, blank or not.
func (s *Scanner) take() bool {
	if s.err != nil {
		return false
	}
	searched := 0
	for {
		if i := bytes.IndexByte(s.buf[s.from+searched:s.to], '\n'); i >= 0 {
			return s.set(searched+i, 1)
		}
		searched = s.to - s.from
		if searched > s.limit() {
			return s.fail(ErrTooLong)
		}
		if s.base+int64(s.to) >= s.size {
			return searched > 0 && s.set(searched, 0)
		}
		if err := s.fill(); err != nil {
			return s.fail(err)
		}
	}
}

func (s *Scanner) limit() int {
	if s.MaxLine > 0 {
		return s.MaxLine
	}
	return MaxLine
}

func (s *Scanner) set(length, end int) bool {
	text := s.buf[s.from : s.from+length]
	text = bytes.TrimSuffix(text, []byte("\r"))
	if len(text) > s.limit() {
		return s.fail(ErrTooLong)
	}
	s.line++
	s.offset = s.base + int64(s.from)
	s.text = text[:len(text):len(text)]
	s.from += length + end
	return true
}

func (s *Scanner) fail(err error) bool {
	s.err = fmt.Errorf("line %d: %w", s.line+1, err)
	return false
}

// fill reads on behind what is in the buffer, after it made room there.
func (s *Scanner) fill() error {
	if s.buf == nil {
		s.buf = make([]byte, bufferSize)
	}
	if s.from > 0 {
		copy(s.buf, s.buf[s.from:s.to])
		s.base += int64(s.from)
		s.to -= s.from
		s.from = 0
	}
	if s.to == len(s.buf) {
		grown := make([]byte, 2*len(s.buf))
		copy(grown, s.buf)
		s.buf = grown
	}
	end := s.base + int64(s.to)
	room := min(int64(len(s.buf)-s.to), s.size-end)
	n, err := s.r.ReadAt(s.buf[s.to:s.to+int(room)], end)
	s.to += n
	if int64(n) == room {
		return nil
	}
	if err == nil || err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func blank(b []byte) bool {
	for _, c := range b {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}
