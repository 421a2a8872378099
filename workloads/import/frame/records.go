package frame

import (
	"errors"
	"io"
	"strings"

	"paceline/sdk/lines"
	"paceline/workloads/rawjson"
)

var errLong = errors.New("longer than 64 MiB")

// placed is one record on its way to the format, or what is wrong with the file at its place.
type placed struct {
	record Record
	fault  error
}

// walk calls yield for every record of a file in order, until it gives false. A fault in JSON Lines is that of its line, and
// the walk goes on; in any other file it is the last thing that comes. An error is one of reading.
func walk(r io.ReaderAt, size int64, paths []string, yield func(placed) bool) error {
	t := newTree(paths)
	isLines, err := jsonLines(r, size)
	if err != nil {
		return err
	}
	if !isLines {
		return document(newWindow(r, size), t, yield)
	}
	scan := lines.New(r, size)
	for scan.Scan() {
		w := over(scan.Bytes(), scan.Line(), scan.Offset())
		going := true
		_ = document(w, t, func(p placed) bool { // a window in memory does not fail
			going = yield(p)
			return going
		})
		if !going {
			return nil
		}
	}
	if errors.Is(scan.Err(), lines.ErrTooLong) {
		at := Record{Line: scan.Line() + 1, Offset: scan.Next()}
		yield(placed{fault: at.Fault("", "record-too-long", "lines of at most 64 MiB", "the line is longer than 64 MiB")})
		return nil
	}
	return scan.Err()
}

// firstLine is how long the first line may be for a file to be one of JSON Lines: the line is held in memory, and documents
// often have no line ends at all.
const firstLine = 8 << 20

// jsonLines reports whether each line of the file is to be taken for itself: the first one is a whole JSON value, or is not
// the beginning of one.
func jsonLines(r io.ReaderAt, size int64) (bool, error) {
	scan := lines.New(r, size)
	scan.MaxLine = firstLine
	if !scan.Scan() {
		if errors.Is(scan.Err(), lines.ErrTooLong) {
			return false, nil
		}
		return false, scan.Err()
	}
	text := scan.Bytes()
	fault := rawjson.Valid(text)
	if fault == nil {
		return true, nil
	}
	return fault.Offset < len(text) && scan.Next() < size, nil
}

// document walks a sequence of JSON values.
func document(w *window, t *tree, yield func(placed) bool) error {
	skipMark(w)
	s := splitter{w: w, yield: yield}
	for {
		if _, ok := w.space(); !ok {
			break
		}
		if !s.value(t) {
			break
		}
	}
	if w.err != nil && !errors.Is(w.err, errLong) {
		return w.err
	}
	if s.fault != nil {
		yield(placed{fault: s.fault})
	}
	return nil
}

// skipMark goes past a byte order mark at the start of the file.
func skipMark(w *window) {
	if c, ok := w.peek(); !ok || w.offset() != 0 || c != 0xEF {
		return
	}
	if len(w.buf) >= 3 && w.buf[1] == 0xBB && w.buf[2] == 0xBF {
		w.pos = 3
	}
}

// tree holds paths: what lies at a place, and where the ways lead on.
type tree struct {
	record bool // a record lies here
	list   *tree
	keys   map[string]*tree
}

func newTree(paths []string) *tree {
	root := &tree{}
	for _, path := range paths {
		t := root
		for step := range strings.SplitSeq(path, "/") {
			if path != "" {
				t = t.child(step)
			}
		}
		t.record = true
	}
	return root
}

func (t *tree) child(step string) *tree {
	if step == "*" {
		if t.list == nil {
			t.list = &tree{}
		}
		return t.list
	}
	if t.keys == nil {
		t.keys = map[string]*tree{}
	}
	if t.keys[step] == nil {
		t.keys[step] = &tree{}
	}
	return t.keys[step]
}
