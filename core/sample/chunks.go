package sample

import (
	"encoding/binary"
	"errors"
	"iter"
	"paceline/core/chat"
)

// Chunks is the list of a stream's events that carried generated text, in the journal's packed form: for each chunk the
// unsigned varints gap (microseconds since the chunk before; for the first one since Sent), flags (channel, plus 8 where
// the server told the tokens), bytes (UTF-8 bytes of generated text), and tokens where told. An event that fills two
// channels gives two chunks, the second with gap 0.
type Chunks []byte

// Chunk is one unpacked entry of Chunks.
type Chunk struct {
	GapMicros uint64
	Channel   chat.Channel
	Bytes     uint64
	Tokens    uint64
	Told      bool // Tokens came from the server
}

const toldFlag = 8

// Add appends one chunk.
func (c Chunks) Add(k Chunk) Chunks {
	flags := uint64(k.Channel)
	if k.Told {
		flags |= toldFlag
	}
	c = binary.AppendUvarint(c, k.GapMicros)
	c = binary.AppendUvarint(c, flags)
	c = binary.AppendUvarint(c, k.Bytes)
	if k.Told {
		c = binary.AppendUvarint(c, k.Tokens)
	}
	return c
}

// All returns the chunks in order. It stops at the first malformed byte; Check tells whether there is one.
func (c Chunks) All() iter.Seq[Chunk] {
	return func(yield func(Chunk) bool) {
		for rest := []byte(c); len(rest) > 0; {
			k, n := next(rest)
			if n <= 0 || !yield(k) {
				return
			}
			rest = rest[n:]
		}
	}
}

// Check reports whether the packed form is well formed.
func (c Chunks) Check() error {
	for rest := []byte(c); len(rest) > 0; {
		_, n := next(rest)
		if n <= 0 {
			return errors.New("chunks: malformed packed list")
		}
		rest = rest[n:]
	}
	return nil
}

func next(b []byte) (k Chunk, n int) {
	read := func() uint64 {
		v, m := binary.Uvarint(b[max(n, 0):])
		if m <= 0 || n < 0 {
			n = -1
			return 0
		}
		n += m
		return v
	}
	k.GapMicros = read()
	flags := read()
	k.Bytes = read()
	k.Channel, k.Told = chat.Channel(flags&^toldFlag), flags&toldFlag != 0
	if k.Told {
		k.Tokens = read()
	}
	return k, n
}
