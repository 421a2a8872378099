package dataset

import (
	"errors"
	"fmt"
	"io"

	"paceline/sdk"
	"paceline/sdk/lines"
)

// Checker holds a file against the rules, row by row, and can stop and go on at any row.
type Checker struct {
	scan  *lines.Scanner
	first map[string]uint64 // id -> line of its first row in the file
	state state
}

// NewChecker goes on where cursor was taken; an empty cursor is the start of the file. The index is of the same file.
func NewChecker(src io.ReaderAt, size int64, index *Index, cursor []byte) (*Checker, error) {
	c := &Checker{scan: lines.New(src, size), first: make(map[string]uint64, len(index.Entries))}
	for _, e := range index.Entries {
		if _, seen := c.first[e.ID]; !seen {
			c.first[e.ID] = e.Line
		}
	}
	if len(cursor) > 0 {
		if err := c.state.decode(cursor); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Cursor tells where the next Step begins.
func (c *Checker) Cursor() []byte { return c.state.append(nil) }

// Conversations counts the conversations seen so far.
func (c *Checker) Conversations() uint64 { return c.state.conversations }

// Step checks about maxBytes bytes and gives at most maxFaults faults, both at least 1. done is true after the last row.
// Every fault of the file comes exactly once over all steps, in file order.
func (c *Checker) Step(maxFaults int, maxBytes int64) (faults []sdk.Fault, done bool, err error) {
	stop := c.state.offset + max(maxBytes, 1)
	c.scan.Resume(c.state.offset, c.state.number)
	maxFaults = max(maxFaults, 1)
	for c.state.offset < stop {
		next := c.state.clone()
		var found []sdk.Fault
		if c.scan.Scan() {
			found = next.row(Line{c.scan.Bytes(), c.scan.Offset(), c.scan.Line()}, c.first)
		} else if err := c.scan.Err(); err == nil {
			found, done = next.finish(), true
		} else if errors.Is(err, lines.ErrTooLong) {
			found, done = next.tooLong(c.scan), true
		} else {
			return faults, false, fmt.Errorf("read the data set: %w", err)
		}
		found = found[min(c.state.skip, len(found)):]
		if room := maxFaults - len(faults); len(found) > room {
			c.state.skip += room
			return append(faults, found[:room]...), false, nil
		}
		faults = append(faults, found...)
		if done {
			return faults, true, nil
		}
		c.state = next
		c.state.skip, c.state.offset, c.state.number = 0, c.scan.Next(), c.scan.Line()
	}
	return faults, false, nil
}

// CheckAll runs a whole check in one go.
func CheckAll(src io.ReaderAt, size int64, index *Index) ([]sdk.Fault, error) {
	c, err := NewChecker(src, size, index, nil)
	if err != nil {
		return nil, err
	}
	var all []sdk.Fault
	for {
		faults, done, err := c.Step(1<<20, 1<<62)
		all = append(all, faults...)
		if done || err != nil {
			return all, err
		}
	}
}

// tooLong ends the check at a row that cannot be read.
func (s *state) tooLong(scan *lines.Scanner) []sdk.Fault {
	return []sdk.Fault{{Line: scan.Line() + 1, Offset: uint64(scan.Next()), Code: "row-too-long",
		Message:  fmt.Sprintf("the row is longer than %d bytes; what follows it was not looked at", MaxRow),
		Expected: fmt.Sprintf("at most %d bytes", MaxRow)}}
}

// finish gives the faults that show only at the end of the file.
func (s *state) finish() []sdk.Fault {
	if s.rows == 0 {
		return []sdk.Fault{{Code: "empty-input", Message: "the data set has no rows", Expected: "one JSON object per line"}}
	}
	faults := s.endConversation()
	for i, name := range columnNames {
		if s.columns&(1<<i) == 0 {
			faults = append(faults, sdk.Fault{Pointer: "/" + name, Code: "missing-column",
				Message: fmt.Sprintf("no row of the data set has the field %q", name), Expected: "a field of every row"})
		}
	}
	return faults
}

// endConversation gives the faults that show only at the end of a conversation.
func (s *state) endConversation() []sdk.Fault {
	if s.id == "" || s.users > 0 || s.resumed {
		return nil
	}
	return []sdk.Fault{{Line: s.firstLine, Offset: uint64(s.firstOffset), Pointer: "/role", Code: "no-user-turn",
		Message: fmt.Sprintf("conversation %q has no user turn", s.id), Expected: "a row with role \"user\" first"}}
}
