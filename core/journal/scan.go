package journal

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

const (
	frameLimit  = 512 << 20 // of decoded bytes in one frame
	resyncLimit = 1000      // places per file where a frame is looked for after damage
)

var frameMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// Damage is a stretch of a file that held no whole record. What a crash leaves lies at the end of a segment; anything else
// was done to the file afterwards.
type Damage struct {
	File   string `json:"file"`   // base name
	Offset int64  `json:"offset"` // of the frame or of the stretch, in bytes of the file
	Bytes  int64  `json:"bytes"`  // 0: a record that is readable and does not fit
	Tail   bool   `json:"tail"`   // it reaches to the end of the file
	Reason string `json:"reason"`
}

// Error implements error.
func (d *Damage) Error() string {
	where := fmt.Sprintf("%s at byte %d", d.File, d.Offset)
	if d.Bytes > 0 {
		where += fmt.Sprintf(", %d bytes", d.Bytes)
	}
	if d.Tail {
		where += " (its end)"
	}
	return where + ": " + d.Reason
}

// Record is one line as it lies in a file.
type Record struct {
	File   string // base name
	Offset int64  // of its frame, in bytes of the file
	Place  int    // of the line in the decoded frame
	Line   []byte // without the newline; valid until the next record
}

// scanner walks the frames of one file. It is made and used by one goroutine, its coder included.
type scanner struct {
	name string
	data []byte
	dec  *zstd.Decoder
	out  []byte // the frame that was decoded last
	// tries counts the places that were looked at after damage, so that no file can make reading long.
	tries int
}

func newScanner(name string, data []byte) (*scanner, error) {
	dec, err := newDecoder()
	if err != nil {
		return nil, err
	}
	return &scanner{name: name, data: data, dec: dec}, nil
}

func newDecoder() (*zstd.Decoder, error) {
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(frameLimit))
	if err != nil {
		return nil, fmt.Errorf("make zstd decoder: %w", err)
	}
	return dec, nil
}

// each calls yield for every line, and hurt for every damage, in file order, until one of them returns false.
func (s *scanner) each(yield func(Record) bool, hurt func(*Damage) bool) {
	defer s.dec.Close()
	for at := 0; at < len(s.data); {
		n, err := s.frame(at)
		if err != nil {
			next := s.resync(at + 1)
			if !hurt(s.damage(at, next-at, next == len(s.data), err.Error())) {
				return
			}
			at = next
			continue
		}
		if !s.lines(at, n, yield, hurt) {
			return
		}
		at += n
	}
}

// lines calls yield for the lines of the decoded frame.
func (s *scanner) lines(at, n int, yield func(Record) bool, hurt func(*Damage) bool) bool {
	for place := 0; place < len(s.out); {
		rest := s.out[place:]
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return hurt(s.damage(at, len(rest), at+n == len(s.data), "a line without its end"))
		}
		if end > 0 && !yield(Record{File: s.name, Offset: int64(at), Place: place, Line: rest[:end]}) {
			return false
		}
		place += end + 1
	}
	return true
}

func (s *scanner) damage(at, n int, tail bool, reason string) *Damage {
	return &Damage{File: s.name, Offset: int64(at), Bytes: int64(n), Tail: tail, Reason: reason}
}

// resync returns where the next whole frame begins, or the end of the file.
func (s *scanner) resync(from int) int {
	for ; s.tries < resyncLimit && from < len(s.data); s.tries++ {
		i := bytes.Index(s.data[from:], frameMagic)
		if i < 0 {
			break
		}
		if _, err := s.frame(from + i); err == nil {
			return from + i
		}
		from += i + 1
	}
	return len(s.data)
}

// frame decodes the frame that begins at the given place into s.out and returns its length in the file.
func (s *scanner) frame(at int) (int, error) {
	n, err := extent(s.data[at:])
	if err != nil {
		return 0, err
	}
	s.out, err = s.dec.DecodeAll(s.data[at:at+n], s.out[:0])
	return n, err
}

var errCut = errors.New("the frame is cut short")

// extent returns the length of the frame at the start of b, found without decoding it.
func extent(b []byte) (int, error) {
	var h zstd.Header
	if err := h.Decode(b); err != nil {
		return 0, fmt.Errorf("no frame: %w", err)
	}
	n := h.HeaderSize
	if h.Skippable {
		n += int(h.SkippableSize)
	}
	for last := h.Skippable; !last; {
		if n+3 > len(b) {
			return 0, errCut
		}
		head := uint32(b[n]) | uint32(b[n+1])<<8 | uint32(b[n+2])<<16
		last = head&1 == 1
		size := int(head >> 3)
		if head>>1&3 == 1 { // one byte, repeated
			size = 1
		}
		n += 3 + size
	}
	if h.HasCheckSum {
		n += 4
	}
	if n > len(b) {
		return 0, errCut
	}
	return n, nil
}
