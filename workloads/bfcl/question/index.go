package question

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"paceline/sdk/lines"
	"paceline/workloads/bfcl/category"
	"paceline/workloads/rawjson"
)

// MaxRow is the longest row in bytes; the longest of the published set has 24 KiB.
const MaxRow = 1 << 20

// Entry is where one question and its answers lie.
type Entry struct {
	ID       string
	Category int // in category.All
	question place
	answer   place // of no length where there is none
}

// Index is what one pass over both files gives. In files that passed the check each id stands once in each.
type Index struct {
	Entries []Entry // in file order
	byID    map[string]int
}

// Scan makes the index. Rows that are broken, of no known category, or second ones of their id are left to the Checker; only
// a failure to read is an error.
func Scan(files Files) (*Index, error) {
	x := &Index{byID: map[string]int{}}
	err := eachRow(files.Questions, files.QuestionsSize, func(id string, at place) {
		if c := category.OfID(id); c >= 0 {
			x.add(Entry{ID: id, Category: c, question: at})
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	err = eachRow(files.Answers, files.AnswersSize, func(id string, at place) {
		if i, ok := x.byID[id]; ok && x.Entries[i].answer.Length == 0 {
			x.Entries[i].answer = at
		}
	})
	if err != nil {
		return nil, fmt.Errorf("read the answers: %w", err)
	}
	return x, nil
}

func (x *Index) add(e Entry) {
	if _, there := x.byID[e.ID]; !there {
		x.byID[e.ID] = len(x.Entries)
		x.Entries = append(x.Entries, e)
	}
}

func eachRow(src io.ReaderAt, size int64, yield func(id string, at place)) error {
	scan := lines.New(src, size)
	scan.MaxLine = MaxRow
	for scan.Scan() {
		text := scan.Bytes()
		if rawjson.Valid(text) != nil {
			continue
		}
		if id, _ := rawjson.Value(text[rawjson.Space(text, 0):]).Get("id").Text(); id != "" {
			yield(id, place{scan.Line(), scan.Offset(), int64(len(text))})
		}
	}
	if err := scan.Err(); err != nil && !errors.Is(err, lines.ErrTooLong) {
		return err
	}
	return nil
}

// indexMark begins an encoded index; its last byte is the version of the encoding.
const indexMark = "bfcl-index\x01"

// Append encodes the index.
func (x *Index) Append(dst []byte) []byte {
	dst = append(dst, indexMark...)
	dst = binary.AppendUvarint(dst, uint64(len(x.Entries)))
	for i := range x.Entries {
		e := &x.Entries[i]
		dst = binary.AppendUvarint(dst, uint64(len(e.ID)))
		dst = append(dst, e.ID...)
		for _, n := range [...]uint64{
			uint64(e.Category), e.question.Line, uint64(e.question.Offset), uint64(e.question.Length),
			e.answer.Line, uint64(e.answer.Offset), uint64(e.answer.Length),
		} {
			dst = binary.AppendUvarint(dst, n)
		}
	}
	return dst
}

// DecodeIndex reads what Append wrote.
func DecodeIndex(data []byte) (*Index, error) {
	d := decoder{rest: data}
	if d.text(len(indexMark)) != indexMark {
		return nil, errors.New("read the index: it is of another kind or version")
	}
	x := &Index{byID: map[string]int{}}
	for n := d.number(); n > 0 && !d.bad; n-- {
		e := Entry{ID: d.text(int(d.number())), Category: int(d.number())}
		e.question = place{d.number(), int64(d.number()), int64(d.number())}
		e.answer = place{d.number(), int64(d.number()), int64(d.number())}
		if e.Category < 0 || e.Category >= len(category.All) || !e.question.sane() || !e.answer.sane() {
			d.bad = true
		}
		x.add(e)
	}
	if d.bad || len(d.rest) > 0 {
		return nil, errors.New("read the index: it is damaged")
	}
	return x, nil
}

func (p place) sane() bool { return p.Offset >= 0 && p.Length >= 0 && p.Length <= MaxRow }

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
