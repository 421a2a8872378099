package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"paceline/workloads/mlperf/rawjson"
)

// MaxRow is the longest row in bytes.
const MaxRow = 64 << 20

// window is how much is read at once.
const window = 1 << 20

// Line is one line of the file that is not blank. Its text is good until the next call of Next.
type Line struct {
	Text   []byte // without the line end
	Offset int64  // of the first byte of Text in the file
	Number uint64 // 1-based, blank lines counted
	Long   bool   // above MaxRow: Text is only its beginning
}

// lines hands out the lines of a file from a given place on.
type lines struct {
	src    io.ReaderAt
	size   int64  // where to stop
	offset int64  // of the next line
	number uint64 // of the line before it
	buf    []byte
	base   int64 // file offset of buf[0]
}

// Next returns the next line that is not blank, or io.EOF.
func (l *lines) Next() (Line, error) {
	for {
		line, err := l.read()
		if err != nil {
			return line, err
		}
		if line.Offset == 0 {
			if text, found := bytes.CutPrefix(line.Text, []byte("\xef\xbb\xbf")); found {
				line.Text, line.Offset = text, 3
			}
		}
		if rawjson.Space(line.Text, 0) < len(line.Text) || line.Long {
			return line, nil
		}
	}
}

// read takes the next line, blank or not.
func (l *lines) read() (Line, error) {
	if l.offset >= l.size {
		return Line{}, io.EOF
	}
	from := 0 // what was searched already
	for {
		have := l.have()
		if n := bytes.IndexByte(have[from:], '\n'); n >= 0 {
			return l.take(have[:from+n], 1), nil
		}
		from = len(have)
		if l.offset+int64(from) >= l.size {
			return l.take(have, 0), nil
		}
		if from >= MaxRow {
			return l.skipLong(have)
		}
		if err := l.fill(from); err != nil {
			return Line{}, err
		}
	}
}

func (l *lines) take(text []byte, end int) Line {
	l.number++
	line := Line{Text: text, Offset: l.offset, Number: l.number}
	l.offset += int64(len(text) + end)
	line.Text = bytes.TrimSuffix(text, []byte{'\r'})
	return line
}

// have returns the bytes from offset on that are in memory.
func (l *lines) have() []byte {
	if skip := l.offset - l.base; skip >= 0 && skip < int64(len(l.buf)) {
		return l.buf[skip:]
	}
	return nil
}

// fill reads more bytes after the first keep bytes of the line at offset.
func (l *lines) fill(keep int) error {
	at := l.offset + int64(keep)
	want := int(min(int64(max(window, keep)), l.size-at)) // doubling, so that a long row is copied few times
	next := make([]byte, keep+want)
	copy(next, l.have())
	n, err := readAt(l.src, next[keep:], at)
	l.base, l.buf = l.offset, next[:keep+n]
	if n == 0 {
		return fmt.Errorf("read the data set at byte %d: %w", at, err)
	}
	return nil
}

// readAt reads until p is full, the source ends or fails; the error tells why n is short.
func readAt(src io.ReaderAt, p []byte, off int64) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = src.ReadAt(p[n:], off+int64(n))
		n += m
		if m == 0 && err == nil {
			err = io.ErrNoProgress
		}
	}
	if err == nil || n < len(p) && errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// skipLong gives the beginning of a row above MaxRow and goes on behind its end.
func (l *lines) skipLong(have []byte) (Line, error) {
	line := l.take(append([]byte(nil), have[:128]...), 0)
	line.Long = true
	for l.offset < l.size {
		if err := l.fill(0); err != nil {
			return line, err
		}
		if n := bytes.IndexByte(l.buf, '\n'); n >= 0 {
			l.offset += int64(n) + 1
			break
		}
		l.offset += int64(len(l.buf))
	}
	return line, nil
}
