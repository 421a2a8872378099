package endpoint

import (
	"net"
	"strconv"

	"paceline/core/chat"
)

const (
	sendBuffer    = 64 << 10
	smallFragment = 4 << 10 // fragments below this are copied together: each one costs the kernel more than copying it
	maxVector     = 64      // fragments in one write
)

// sender writes one request: small fragments joined in a buffer of fixed size, large ones from where they are. It is held
// only while a request is written, so a client needs about as many as it has processors, however many requests wait.
type sender struct {
	scratch []byte
	from    int // the scratch before this is in bufs already
	bufs    net.Buffers
	out     net.Buffers // what is left of bufs while it is written
	line    []byte      // one header
}

func (c *Client) takeSender() *sender {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := len(c.senders); n > 0 {
		s := c.senders[n-1]
		c.senders = c.senders[:n-1]
		return s
	}
	return &sender{scratch: make([]byte, 0, sendBuffer)}
}

func (c *Client) giveSender(s *sender) {
	s.clear()
	c.mu.Lock()
	c.senders = append(c.senders, s)
	c.mu.Unlock()
}

func (s *sender) clear() {
	clear(s.bufs)
	s.scratch, s.from, s.bufs = s.scratch[:0], 0, s.bufs[:0]
}

// plan tells the flight what is to be sent.
func (f *flight) plan(head []byte, own []chat.Header, body [][]byte) {
	f.head, f.own, f.body = head, own, body
	for _, b := range body {
		f.size += int64(len(b))
	}
}

// send hands the request to the kernel.
func (f *flight) send() error {
	s := f.client.takeSender()
	defer f.client.giveSender(s)
	if err := f.sendHead(s); err != nil {
		return err
	}
	for _, b := range f.body {
		if err := f.add(s, b); err != nil {
			return err
		}
	}
	return f.flush(s)
}

func (f *flight) sendHead(s *sender) error {
	if err := f.add(s, f.head); err != nil {
		return err
	}
	for _, h := range f.own {
		if name, value, ok := clean(h); ok {
			s.line = append(append(append(append(s.line[:0], name...), ": "...), value...), "\r\n"...)
			if err := f.add(s, s.line); err != nil {
				return err
			}
			if len(s.line) >= smallFragment {
				s.line = nil // it was not copied
			}
		}
	}
	s.line = s.line[:0]
	if f.body != nil {
		s.line = strconv.AppendInt(append(s.line, "Content-Length: "...), f.size, 10)
		s.line = append(s.line, "\r\n"...)
	}
	s.line = append(s.line, "\r\n"...)
	return f.add(s, s.line)
}

// add takes one fragment and writes what has gathered where there is no more room.
func (f *flight) add(s *sender, b []byte) error {
	if len(b) < smallFragment {
		if len(s.scratch)+len(b) > cap(s.scratch) {
			if err := f.flush(s); err != nil {
				return err
			}
		}
		s.scratch = append(s.scratch, b...)
		return nil
	}
	s.pending()
	s.bufs = append(s.bufs, b)
	if len(s.bufs) >= maxVector {
		return f.flush(s)
	}
	return nil
}

// pending closes the joined fragments so far.
func (s *sender) pending() {
	if n := len(s.scratch); n > s.from {
		s.bufs = append(s.bufs, s.scratch[s.from:n:n])
		s.from = n
	}
}

// flush writes what has gathered. The first one is the first write of the request.
func (f *flight) flush(s *sender) error {
	s.pending()
	if t := &f.x.Timing; !t.Sent.Set() {
		t.Sent = f.now()
	}
	var err error
	switch len(s.bufs) {
	case 0:
	case 1:
		_, err = f.conn.Write(s.bufs[0])
	default:
		s.out = append(s.out[:0], s.bufs...)
		whole := s.out // writing takes s.out apart
		_, err = s.out.WriteTo(f.conn)
		s.out = whole[:0]
	}
	s.clear()
	return err
}
