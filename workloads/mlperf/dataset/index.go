package dataset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"paceline/sdk/lines"
	"paceline/workloads/rawjson"
)

// MaxRow is the longest row in bytes.
const MaxRow = lines.MaxLine

// Line is one line of the file that is not blank.
type Line struct {
	Text   []byte // without the line end; good until the next line is read
	Offset int64  // of the first byte of Text in the file
	Number uint64 // 1-based, blank lines counted
}

// Entry is where one conversation lies: a run of rows with the same id.
type Entry struct {
	ID     string
	Line   uint64 // of its first row
	Offset int64  // of its first row
	Length int64  // to the end of its last row
}

// Index is what one pass over the file gives. In a file that passed the check each id stands once.
type Index struct {
	Size       int64
	Entries    []Entry // in file order
	ModelRows  uint64  // client rows that name a model
	StreamRows uint64  // client rows that ask for a stream or against it
}

// Scan makes the index of a file. Rows that are broken, too long or without a usable id are left to the Checker; only a
// failure to read is an error.
func Scan(src io.ReaderAt, size int64) (*Index, error) {
	x := &Index{Size: size}
	scan := lines.New(src, size)
	for scan.Scan() {
		x.add(Line{scan.Bytes(), scan.Offset(), scan.Line()})
	}
	if err := scan.Err(); err != nil && !errors.Is(err, lines.ErrTooLong) {
		return nil, fmt.Errorf("read the data set: %w", err)
	}
	return x, nil
}

func (x *Index) add(line Line) {
	row, err := ParseRow(line.Text)
	if err != nil || row.Metadata {
		return
	}
	if row.IsClient() {
		if !row.Model.Missing() {
			x.ModelRows++
		}
		if !row.Stream.Missing() {
			x.StreamRows++
		}
	}
	id, ok := row.ID()
	if !ok {
		return
	}
	end := line.Offset + int64(len(line.Text))
	if n := len(x.Entries); n > 0 && x.Entries[n-1].ID == id {
		x.Entries[n-1].Length = end - x.Entries[n-1].Offset
		return
	}
	x.Entries = append(x.Entries, Entry{ID: id, Line: line.Number, Offset: line.Offset, Length: end - line.Offset})
}

// indexMark begins an encoded index; its last byte is the version of the encoding.
const indexMark = "mlperf-index\x01"

// Append encodes the index.
func (x *Index) Append(dst []byte) []byte {
	dst = append(dst, indexMark...)
	dst = binary.AppendUvarint(dst, uint64(x.Size))
	dst = binary.AppendUvarint(dst, x.ModelRows)
	dst = binary.AppendUvarint(dst, x.StreamRows)
	dst = binary.AppendUvarint(dst, uint64(len(x.Entries)))
	for _, e := range x.Entries {
		dst = binary.AppendUvarint(dst, uint64(len(e.ID)))
		dst = append(dst, e.ID...)
		dst = binary.AppendUvarint(dst, e.Line)
		dst = binary.AppendUvarint(dst, uint64(e.Offset))
		dst = binary.AppendUvarint(dst, uint64(e.Length))
	}
	return dst
}

// DecodeIndex reads what Append wrote, for a file of the given size.
func DecodeIndex(data []byte, size int64) (*Index, error) {
	d := decoder{rest: data}
	if d.text(len(indexMark)) != indexMark {
		return nil, errors.New("read the index: it is of another kind or version")
	}
	x := &Index{Size: int64(d.number()), ModelRows: d.number(), StreamRows: d.number()}
	for n := d.number(); n > 0 && !d.bad; n-- {
		e := Entry{ID: d.text(int(d.number())), Line: d.number(), Offset: int64(d.number()), Length: int64(d.number())}
		if e.Offset < 0 || e.Length < 0 || e.Length > size-e.Offset {
			d.bad = true
		}
		x.Entries = append(x.Entries, e)
	}
	if d.bad || len(d.rest) > 0 {
		return nil, errors.New("read the index: it is damaged")
	}
	if x.Size != size {
		return nil, fmt.Errorf("read the index: it is of a file of %d bytes, the data set has %d", x.Size, size)
	}
	return x, nil
}

// decoder reads varints and texts; bad is set, and zero values come, once the data does not fit.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.rest)
	if n <= 0 {
		d.bad, d.rest = true, nil
		return 0
	}
	d.rest = d.rest[n:]
	return v
}

func (d *decoder) text(n int) string {
	if n < 0 || n > len(d.rest) {
		d.bad, d.rest = true, nil
		return ""
	}
	s := string(d.rest[:n])
	d.rest = d.rest[n:]
	return s
}

// Rows reads the messages of one conversation. Their values share memory that nobody else holds.
func Rows(src io.ReaderAt, e Entry) ([]Row, error) {
	text := make([]byte, e.Length)
	if n, err := src.ReadAt(text, e.Offset); n < len(text) {
		return nil, fmt.Errorf("read conversation %q: %w", e.ID, err)
	}
	var rows []Row
	number := e.Line - 1
	for line := range bytes.Lines(text) {
		number++
		if rawjson.Space(line, 0) == len(line) {
			continue
		}
		row, fault := ParseRow(line)
		if fault != nil {
			return nil, fmt.Errorf("read conversation %q: line %d: %w", e.ID, number, fault)
		}
		if !row.Metadata {
			rows = append(rows, row)
		}
	}
	return rows, nil
}
