package traces

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
)

// blockBytes is the length of a block of made-up text: eight bytes of words, then the mark. So any twelve bytes of a text
// hold a whole mark, and no original text holds one.
const (
	blockBytes = 10
	wordBytes  = blockBytes - markBytes
	markBytes  = 2
)

// long are words of seven letters, short ones of three: a block is a space and a long word, or two spaces and two short
// ones, which gives about as many tokens as other text of that length has.
var (
	long = [...]string{
		"between", "nothing", "another", "through", "because", "without", "himself", "against", "several", "already",
		"general", "problem", "picture", "company", "morning", "history", "perhaps", "natural", "example", "usually",
		"century", "certain", "finally", "provide", "science", "special", "control", "written", "brought", "teacher",
		"student", "process",
	}
	short = [...]string{
		"the", "and", "one", "two", "new", "old", "way", "day", "man", "air", "sea", "sun", "red", "big", "top", "end",
		"car", "bus", "map", "key", "pen", "box", "ice", "oil", "art", "law", "job", "age", "arm", "eye", "war", "sky",
	}
)

// writer makes up texts. What it writes of a text depends on that text and the key alone, and texts that begin alike are
// written alike up to the block in which they part.
type writer struct {
	key  [sha256.Size]byte
	mark [markBytes]byte
	met  bool // a text held the mark
}

// text writes a text of the same length in bytes.
func (w *writer) text(original []byte) []byte {
	w.look(original)
	out := make([]byte, 0, len(original)+blockBytes)
	sum := w.key
	for at := 0; at < len(original); at += blockBytes {
		part := original[at:min(at+blockBytes, len(original))]
		sum = sha256.Sum256(append(sum[:], part...))
		out = w.block(out, binary.BigEndian.Uint64(sum[:8]))
	}
	return out[:len(original)]
}

// look notes whether a text holds the mark.
func (w *writer) look(original []byte) {
	w.met = w.met || bytes.Contains(original, w.mark[:])
}

func (w *writer) block(out []byte, draw uint64) []byte {
	out = append(out, ' ')
	if draw&1 == 0 {
		out = append(out, long[draw>>1%uint64(len(long))]...)
	} else {
		out = append(out, short[draw>>1%uint64(len(short))]...)
		out = append(out, ' ')
		out = append(out, short[draw>>8%uint64(len(short))]...)
	}
	return append(out, w.mark[:]...)
}

// marks are the signs that a mark is made of, the rarest together first.
const marks = "~^`|;!?@#$%&*+="

// markOf gives the mark of a number; ok is false beyond the last.
func markOf(number int) (mark [markBytes]byte, ok bool) {
	a, b := number/len(marks), number%len(marks)
	if a >= len(marks) {
		return mark, false
	}
	return [markBytes]byte{marks[a], marks[(a+1+b)%len(marks)]}, true
}
