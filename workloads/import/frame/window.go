package frame

import (
	"bytes"
	"io"
)

// MaxRecord is the longest record in bytes.
const MaxRecord = 64 << 20

const windowStep = 256 << 10

// window walks a file with a buffer that holds what lies between a mark, where one is set, and the end of what was read.
type window struct {
	r    io.ReaderAt // nil: all is in buf
	size int64
	buf  []byte
	base int64 // offset in the file of buf[0]
	pos  int   // the next byte, in buf
	mark int   // what must stay, in buf; -1: nothing
	line uint64
	seen int // newlines before it are counted in line
	err  error
}

func newWindow(r io.ReaderAt, size int64) *window {
	return &window{r: r, size: size, mark: -1, line: 1}
}

// over is a window over bytes in memory that lie at that line and offset of a file.
func over(text []byte, line uint64, offset int64) *window {
	return &window{buf: text, base: offset, size: offset + int64(len(text)), mark: -1, line: line}
}

// offset is where in the file the next byte lies.
func (w *window) offset() int64 { return w.base + int64(w.pos) }

// lineAt is the number of the line of the next byte.
func (w *window) lineAt() uint64 {
	w.count(w.pos)
	return w.line
}

func (w *window) count(to int) {
	if to > w.seen {
		w.line += uint64(bytes.Count(w.buf[w.seen:to], []byte{'\n'}))
		w.seen = to
	}
}

// more reads on; false at the end of the file, on an error, and where the marked value gets too long.
func (w *window) more() bool {
	end := w.base + int64(len(w.buf))
	if w.err != nil || w.r == nil || end >= w.size {
		return false
	}
	keep := w.pos
	if w.mark >= 0 {
		keep = w.mark
	}
	if len(w.buf)-keep > MaxRecord {
		w.err = errLong
		return false
	}
	w.drop(keep)
	n := int(min(windowStep, w.size-end))
	if free := cap(w.buf) - len(w.buf); free < n {
		grown := make([]byte, len(w.buf), 2*cap(w.buf)+windowStep)
		copy(grown, w.buf)
		w.buf = grown
	}
	at := len(w.buf)
	got, err := w.r.ReadAt(w.buf[at:at+n], end)
	w.buf = w.buf[:at+got]
	if got < n {
		if err == nil || err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		w.err = err
		return false
	}
	return true
}

// drop forgets the bytes before keep.
func (w *window) drop(keep int) {
	if keep == 0 {
		return
	}
	w.count(keep)
	w.buf = w.buf[:copy(w.buf, w.buf[keep:])]
	w.base += int64(keep)
	w.pos -= keep
	w.seen -= keep
	if w.mark >= 0 {
		w.mark -= keep
	}
}

// peek gives the next byte; false where there is none.
func (w *window) peek() (byte, bool) {
	if w.pos >= len(w.buf) && !w.more() {
		return 0, false
	}
	return w.buf[w.pos], true
}

// space goes past white space and gives the byte after it.
func (w *window) space() (byte, bool) {
	for {
		c, ok := w.peek()
		if !ok || c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			return c, ok
		}
		w.pos++
	}
}

// text goes past the string at the next byte, a quote. It looks only for the closing quote.
func (w *window) text() bool {
	w.pos++
	for {
		rest := w.buf[w.pos:]
		quote := bytes.IndexByte(rest, '"')
		if quote >= 0 {
			rest = rest[:quote]
		}
		skipped, ok := w.escapes(rest)
		switch {
		case !ok:
			return false
		case skipped:
		case quote >= 0:
			w.pos++
			return true
		case !w.more():
			return false
		}
	}
}

// escapes goes to the end of part, which has no quotes and begins at the next byte. skipped tells that an escape took the
// byte behind it as well, so that the search for the quote must begin anew; ok is false where the text ends in an escape.
func (w *window) escapes(part []byte) (skipped, ok bool) {
	end := w.pos + len(part)
	for {
		i := bytes.IndexByte(w.buf[w.pos:end], '\\')
		if i < 0 {
			w.pos = end
			return false, true
		}
		w.pos += i + 1
		if w.pos >= end {
			if _, ok = w.peek(); ok {
				w.pos++
			}
			return true, ok
		}
		w.pos++
	}
}
