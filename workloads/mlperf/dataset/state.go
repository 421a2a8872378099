package dataset

import (
	"encoding/binary"
	"errors"
	"slices"
)

// columnNames are the fields that some row of the file must have.
var columnNames = [...]string{"conversation_id", "turn", "role", "content"}

// state is all that a check carries from row to row.
type state struct {
	offset, firstOffset int64
	number              uint64 // line before offset
	skip                int    // faults of the next row that were given already
	rows, conversations uint64
	columns             uint64 // bit i: columnNames[i] was seen

	// Of the conversation that is being read:
	id        string
	firstLine uint64
	expect    int64    // the next turn
	role      string   // of the row before; empty at the start
	calls     []string // ids of the tool calls of the assistant row before
	users     uint64
	loose     bool // the row before was broken: the next one is not held against it
	callsBad  bool // the calls of the row before were faulty: results are not held against them
	resumed   bool // the conversation began elsewhere in the file
}

func (s *state) clone() state {
	c := *s
	c.calls = slices.Clone(s.calls)
	return c
}

func (s *state) append(dst []byte) []byte {
	flags := uint64(0)
	for i, set := range []bool{s.loose, s.callsBad, s.resumed} {
		if set {
			flags |= 1 << i
		}
	}
	for _, n := range []uint64{
		uint64(s.offset), uint64(s.firstOffset), s.number, uint64(s.skip), s.rows, s.conversations, s.columns,
		s.firstLine, uint64(s.expect), s.users, flags,
	} {
		dst = binary.AppendUvarint(dst, n)
	}
	for _, text := range append([]string{s.id, s.role}, s.calls...) {
		dst = binary.AppendUvarint(dst, uint64(len(text)))
		dst = append(dst, text...)
	}
	return dst
}

func (s *state) decode(data []byte) error {
	d := decoder{rest: data}
	s.offset, s.firstOffset, s.number, s.skip = int64(d.number()), int64(d.number()), d.number(), int(d.number())
	s.rows, s.conversations, s.columns = d.number(), d.number(), d.number()
	s.firstLine, s.expect, s.users = d.number(), int64(d.number()), d.number()
	flags := d.number()
	s.loose, s.callsBad, s.resumed = flags&1 != 0, flags&2 != 0, flags&4 != 0
	s.id, s.role = d.text(int(d.number())), d.text(int(d.number()))
	for len(d.rest) > 0 {
		s.calls = append(s.calls, d.text(int(d.number())))
	}
	if d.bad || s.offset < 0 || s.skip < 0 {
		return errors.New("read the cursor: it is damaged")
	}
	return nil
}
