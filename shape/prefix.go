package shape

import (
	"encoding/binary"
	"hash/fnv"

	"paceline/core/trajectory"
)

// size is a length in bytes of text and in tokens of filler.
type size struct{ text, filler int64 }

func (s *size) add(o size) { s.text, s.filler = s.text+o.text, s.filler+o.filler }

// weight is the size as one number: bytes, for which a token of filler counts as four.
func (s size) weight() int64 { return s.text + 4*s.filler }

// history is the way of one branch through the tree of prefixes: where it is, and how long it is.
type history struct {
	at   uint64
	size size
}

// tree knows every beginning that a prompt has had, in pieces of texts and as whole fillers, by digest of all up to there.
type tree struct {
	last map[uint64]uint32 // digest -> the trajectory, from 1, that was there last
	full bool
}

// maxNodes bounds the tree: about 1 GB of text.
const maxNodes = 4 << 20

// pieceBytes is the length of the pieces of texts: what two prompts share is counted up to a whole piece.
const pieceBytes = 256

// source tells where a part of a prompt was before.
type source int

const (
	fresh  source = iota // nowhere
	own                  // in the same trajectory
	others               // in another one, but not in this one
)

// step goes on by a piece, and tells whether anyone was there.
func (t *tree) step(h *history, trajectory uint32, piece []byte, length size) source {
	hash := fnv.New64a()
	var before [8]byte
	binary.LittleEndian.PutUint64(before[:], h.at)
	_, _ = hash.Write(before[:])
	_, _ = hash.Write(piece)
	h.at = hash.Sum64()
	h.size.add(length)
	last, known := t.last[h.at]
	if !known && len(t.last) >= maxNodes {
		t.full = true
		return fresh
	}
	t.last[h.at] = trajectory
	switch {
	case !known:
		return fresh
	case last == trajectory:
		return own
	}
	return others
}

// walk is one trajectory's way.
type walk struct {
	tree       *tree
	number     uint32
	trajectory *trajectory.Trajectory
	found      *[3]int64 // weights by source
}

func (w *walk) step(h *history, piece []byte, length size) {
	w.found[w.tree.step(h, w.number, piece, length)] += length.weight()
}

// text goes on by a text.
func (w *walk) text(h *history, text []byte) {
	for len(text) > 0 {
		n := min(len(text), pieceBytes)
		w.step(h, text[:n], size{text: int64(n)})
		text = text[n:]
	}
}

// message goes on by a message.
func (w *walk) message(h *history, m *trajectory.Message) {
	if m.Composed == nil {
		w.text(h, m.JSON)
		return
	}
	w.step(h, []byte("role "+m.Composed.Role), size{})
	for _, p := range m.Composed.Pieces {
		switch {
		case p.Filler != nil:
			w.filler(h, p.Filler)
		case p.AnswerOfTurn != nil:
			w.answer(h, *p.AnswerOfTurn)
		default:
			w.text(h, p.Text)
		}
	}
}

// filler is the same for equal keys, lengths and scopes; within one trajectory only, where its scope says so.
func (w *walk) filler(h *history, f *trajectory.Filler) {
	id := []byte{'f', byte(f.Scope)}
	if f.Scope == trajectory.ScopeTrajectory {
		id = binary.AppendUvarint(id, uint64(w.number))
	}
	id = binary.AppendUvarint(id, uint64(f.Tokens))
	w.step(h, append(id, f.Key...), size{filler: int64(f.Tokens)})
}

// answer is the recorded answer of another turn.
func (w *walk) answer(h *history, turn uint32) {
	for i := range w.trajectory.Turns {
		if t := &w.trajectory.Turns[i]; t.Index == turn && t.Recorded != nil && t.Recorded.Composed == nil {
			w.text(h, t.Recorded.JSON)
			return
		}
	}
}
