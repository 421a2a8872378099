package question

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"paceline/sdk"
	"paceline/sdk/lines"
)

// Files are the two inputs.
type Files struct {
	Questions, Answers         io.ReaderAt
	QuestionsSize, AnswersSize int64
}

// Names of the inputs.
const (
	QuestionsInput = "questions"
	AnswersInput   = "answers"
)

// Checker holds both files against the rules, row by row, first the questions, and can stop and go on at any row.
type Checker struct {
	files Files
	index *Index
	at    position
}

// position is all that a check carries from row to row.
type position struct {
	answers bool   // the questions are done
	offset  int64  // of the next row
	line    uint64 // before it
	skip    int    // faults of the next row that were given already
	rows    uint64
}

// NewChecker goes on where cursor was taken; an empty cursor is the start. The index is of the same files.
func NewChecker(files Files, index *Index, cursor []byte) (*Checker, error) {
	c := &Checker{files: files, index: index}
	if len(cursor) > 0 {
		d := decoder{rest: cursor}
		c.at = position{d.number() > 0, int64(d.number()), d.number(), int(d.number()), d.number()}
		if d.bad || c.at.offset < 0 || c.at.skip < 0 {
			return nil, errors.New("read the cursor: it is damaged")
		}
	}
	return c, nil
}

// Cursor tells where the next Step begins.
func (c *Checker) Cursor() []byte {
	var out []byte
	answers := uint64(0)
	if c.at.answers {
		answers = 1
	}
	for _, n := range [...]uint64{answers, uint64(c.at.offset), c.at.line, uint64(c.at.skip), c.at.rows} {
		out = binary.AppendUvarint(out, n)
	}
	return out
}

// Questions counts the questions that were looked at so far.
func (c *Checker) Questions() uint64 { return c.at.rows }

// Step checks about maxBytes bytes of one file and gives at most maxFaults faults, both at least 1. done is true after the
// last row of the answers. Every fault comes exactly once over all steps.
func (c *Checker) Step(maxFaults int, maxBytes int64) (faults []sdk.Fault, done bool, err error) {
	src, size, input := c.files.Questions, c.files.QuestionsSize, QuestionsInput
	if c.at.answers {
		src, size, input = c.files.Answers, c.files.AnswersSize, AnswersInput
	}
	scan := lines.New(src, size)
	scan.MaxLine = MaxRow
	scan.Resume(c.at.offset, c.at.line)
	for stop := c.at.offset + max(maxBytes, 1); c.at.offset < stop; {
		var found []sdk.Fault
		more := scan.Scan()
		if more {
			found = c.row(scan)
		} else if found, err = c.end(scan); err != nil {
			return faults, false, fmt.Errorf("read the %s: %w", input, err)
		}
		for i := range found {
			found[i].Input = input
		}
		found = found[min(c.at.skip, len(found)):]
		if room := max(maxFaults, 1) - len(faults); len(found) > room {
			c.at.skip += room
			return append(faults, found[:room]...), false, nil
		}
		faults = append(faults, found...)
		if !more {
			done = c.at.answers
			c.at = position{answers: true, rows: c.at.rows}
			return faults, done, nil
		}
		if !c.at.answers {
			c.at.rows++
		}
		c.at.skip, c.at.offset, c.at.line = 0, scan.Next(), scan.Line()
	}
	return faults, false, nil
}

// end gives the faults that show only at the end of a file.
func (c *Checker) end(scan *lines.Scanner) ([]sdk.Fault, error) {
	switch err := scan.Err(); {
	case errors.Is(err, lines.ErrTooLong):
		return []sdk.Fault{{Line: scan.Line() + 1, Offset: uint64(scan.Next()), Code: "row-too-long",
			Message:  fmt.Sprintf("the row is longer than %d bytes; what follows it was not looked at", MaxRow),
			Expected: fmt.Sprintf("at most %d bytes", MaxRow)}}, nil
	case err != nil:
		return nil, err
	case c.at.rows == 0 && !c.at.answers:
		return []sdk.Fault{{Code: "empty-input", Message: "there are no questions", Expected: "one JSON object per line"}}, nil
	}
	return nil, nil
}
