package native

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"sync"
	"time"
)

// What a plugin may print: above it lines are dropped and counted. The component's log limit comes on top.
const (
	printRate  = 256 << 10 // bytes a second
	printBurst = 1 << 20
	maxLine    = 8 << 10 // a longer line is broken
)

// relay passes on what a plugin prints, line by line.
type relay struct {
	mu    sync.Mutex
	out   io.Writer
	left  float64
	last  time.Time
	lines uint64 // dropped
	bytes uint64
}

func newRelay(out io.Writer) *relay { return &relay{out: out, left: printBurst, last: time.Now()} }

// line passes one line on if the rate allows it.
func (r *relay) line(line []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	r.left = min(r.left+now.Sub(r.last).Seconds()*printRate, printBurst)
	r.last = now
	if float64(len(line)) > r.left {
		r.lines++
		r.bytes += uint64(len(line))
		return
	}
	r.left -= float64(len(line))
	if !bytes.HasSuffix(line, []byte("\n")) {
		line = append(line[:len(line):len(line)], '\n')
	}
	_, _ = r.out.Write(line) // the runner may have gone; the guard hears of that otherwise
}

// dropped tells how much was dropped.
func (r *relay) dropped() (lines, bytes uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lines, r.bytes
}

// copyLines relays everything of in. The first line goes to first instead, where that is not nil.
func (r *relay) copyLines(in io.Reader, first io.Writer) {
	b := bufio.NewReaderSize(in, maxLine)
	for {
		line, err := b.ReadSlice('\n')
		switch {
		case len(line) == 0:
		case first != nil:
			_, _ = first.Write(append(bytes.TrimRight(line, "\n"), '\n'))
			first = nil
		default:
			r.line(line)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}
