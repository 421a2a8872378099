package wasmworker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Kinds of frames.
const (
	KindLoad        = 'L'
	KindInstantiate = 'I'
	KindCall        = 'C'
	KindClose       = 'X'

	KindReply   = 'R'
	KindOK      = 'K'
	KindFailure = 'F'
	KindLog     = 'G'
	KindDropped = 'D'
)

const (
	headSize = 5
	// CallHead is the length of a call's body before the message.
	CallHead = 12
	// Slack is what a frame may be longer than the message in it.
	Slack = 64 << 10
)

// ErrFrame says that the other side sent a frame that cannot be understood.
var ErrFrame = errors.New("malformed frame")

// WriteFrame writes one frame whose body is the parts one after another. It does not keep the parts.
func WriteFrame(w io.Writer, kind byte, parts ...[]byte) error {
	size := 1
	for _, p := range parts {
		size += len(p)
	}
	var head [headSize]byte
	binary.LittleEndian.PutUint32(head[:], uint32(size))
	head[4] = kind
	if _, err := w.Write(head[:]); err != nil {
		return err
	}
	for _, p := range parts {
		if len(p) == 0 {
			continue
		}
		if _, err := w.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// ReadHead reads a frame's kind and the length of its body, which the caller reads next. A length above limit is
// [ErrFrame]; the end of the stream before a frame is io.EOF.
func ReadHead(r io.Reader, limit int) (kind byte, size int, err error) {
	var head [headSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, 0, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n < 1 || int64(n)-1 > int64(limit) {
		return 0, 0, fmt.Errorf("%w: %d bytes, and at most %d are allowed", ErrFrame, int64(n)-1, limit)
	}
	return head[4], int(n) - 1, nil
}

// PutCallHead fills the head of a call's body.
func PutCallHead(b *[CallHead]byte, instance, method, cpuMillis uint32) {
	binary.LittleEndian.PutUint32(b[0:], instance)
	binary.LittleEndian.PutUint32(b[4:], method)
	binary.LittleEndian.PutUint32(b[8:], cpuMillis)
}

// U32 is a number as a part of a frame.
func U32(v uint32) []byte { return binary.LittleEndian.AppendUint32(nil, v) }

func takeU32(b []byte) (uint32, []byte, error) {
	if len(b) < 4 {
		return 0, nil, ErrFrame
	}
	return binary.LittleEndian.Uint32(b), b[4:], nil
}
