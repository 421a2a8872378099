package coretest

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
)

// bufferSize is how many bytes one direction of a connection holds before a
// write waits for its reader, as a socket buffer would.
const bufferSize = 1 << 20

// stream is one direction of a connection. All fields are guarded by mu; waits
// use cond, which is durably blocking in a bubble where a mutex is not.
type stream struct {
	mu   sync.Mutex
	cond sync.Cond

	buf []byte // written and not yet read
	off int    // start of the unread part of buf

	finished bool          // the writer sent its last byte
	aborted  bool          // the reader gets a reset after buf
	gone     bool          // the reader closed; a write meets nobody
	broken   syscall.Errno // what every further write gets, 0 for none

	readerClosed bool
	writerClosed bool
	readBy       deadline
	writeBy      deadline
}

func newStream() *stream {
	s := new(stream)
	s.cond.L = &s.mu
	s.readBy.stream, s.writeBy.stream = s, s
	return s
}

// read follows Linux: bytes that came before a reset are still delivered.
func (s *stream) read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		switch {
		case s.readerClosed:
			return 0, net.ErrClosed
		case s.readBy.passed:
			return 0, os.ErrDeadlineExceeded
		case len(p) == 0:
			return 0, nil
		case s.off < len(s.buf):
			n := copy(p, s.buf[s.off:])
			s.off += n
			if s.off == len(s.buf) {
				s.buf, s.off = s.buf[:0], 0
			}
			s.cond.Broadcast()
			return n, nil
		case s.finished:
			return 0, io.EOF
		case s.aborted:
			return 0, os.NewSyscallError("read", syscall.ECONNRESET)
		}
		s.cond.Wait()
	}
}

// write returns once every byte is in the buffer. The first write to a reader
// that has closed is lost without an error, as the first segment to a closed
// socket is; later ones get EPIPE.
func (s *stream) write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	done := 0
	for {
		switch {
		case s.writerClosed:
			return done, net.ErrClosed
		case s.writeBy.passed:
			return done, os.ErrDeadlineExceeded
		case s.broken != 0:
			return done, os.NewSyscallError("write", s.broken)
		case s.finished:
			return done, os.NewSyscallError("write", syscall.EPIPE)
		case s.gone:
			s.broken = syscall.EPIPE
			return len(p), nil
		}
		if room := bufferSize - (len(s.buf) - s.off); room > 0 {
			n := min(room, len(p)-done)
			s.buf = append(s.buf, p[done:done+n]...)
			done += n
			s.cond.Broadcast()
		}
		if done == len(p) {
			return done, nil
		}
		s.cond.Wait()
	}
}

// change runs f under the lock and wakes everybody who waits.
func (s *stream) change(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	s.cond.Broadcast()
}

// deadline is one of the two deadlines of a stream, guarded by the stream's lock.
type deadline struct {
	stream *stream
	timer  *time.Timer
	passed bool
}

// set replaces the deadline; the zero time means none.
func (d *deadline) set(t time.Time) {
	d.stream.change(func() {
		d.stop()
		d.passed = false
		if t.IsZero() {
			return
		}
		wait := time.Until(t)
		if wait <= 0 {
			d.passed = true
			return
		}
		var own *time.Timer
		own = time.AfterFunc(wait, func() {
			d.stream.change(func() {
				if d.timer == own { // else a later deadline has replaced it
					d.passed = true
				}
			})
		})
		d.timer = own
	})
}

func (d *deadline) stop() {
	if d.timer != nil {
		d.timer.Stop()
		d.timer = nil
	}
}
