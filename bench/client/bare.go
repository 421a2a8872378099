package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// bareUser is a kept-alive connection and a buffer, and nothing else.
type bareUser struct {
	conn   net.Conn
	buf    []byte
	stream bool
	reads  int64
}

// bare plays role A: each user writes requests and reads to the end of each answer.
func bare(ctx context.Context, o *Options) (*Measured, error) {
	requests, err := o.requests(o.trajectories(turnsEach))
	if err != nil {
		return nil, err
	}
	users := make([]*bareUser, o.Users)
	for i := range users {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", o.Address)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		defer context.AfterFunc(ctx, func() { conn.Close() })()
		users[i] = &bareUser{conn: conn, buf: make([]byte, 64<<10), stream: !o.NoStream}
	}
	if err := each(users, func(i int, u *bareUser) error { return u.turn(requests[i%distinct][0]) }); err != nil {
		return nil, fmt.Errorf("warm up: %w", err)
	}
	for _, u := range users {
		u.reads = 0
	}
	var meter meter
	if err := meter.begin(o); err != nil {
		return nil, err
	}
	var next atomic.Int64
	n := int64(o.Users * o.conversations())
	err = each(users, func(_ int, u *bareUser) error {
		for {
			k := next.Add(1) - 1
			if k >= n {
				return nil
			}
			for i, request := range requests[k%distinct] {
				if i > 0 {
					time.Sleep(o.Delay)
				}
				if err := u.turn(request); err != nil {
					return err
				}
			}
		}
	})
	if err != nil {
		return nil, err
	}
	m, err := meter.end(int(n) * turnsEach)
	if err != nil {
		return nil, err
	}
	var reads int64
	for _, u := range users {
		reads += u.reads
	}
	if !o.NoStream {
		m.ChunksPerRead = round2(float64(m.Turns*o.script().Writes()) / float64(reads))
	}
	return m, nil
}

// each runs f for every user at once and returns the first error in their order.
func each(users []*bareUser, f func(int, *bareUser) error) error {
	errs := make([]error, len(users))
	var wg sync.WaitGroup
	for i, u := range users {
		wg.Go(func() { errs[i] = f(i, u) })
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("user %d: %w", i, err)
		}
	}
	return nil
}

var (
	endOfChunks = []byte("\r\n0\r\n\r\n")
	endOfHead   = []byte("\r\n\r\n")
)

func (u *bareUser) turn(request []byte) error {
	if _, err := u.conn.Write(request); err != nil {
		return err
	}
	for have, whole := 0, 0; ; {
		if have == len(u.buf) { // only the end matters
			have = copy(u.buf, u.buf[have-64:])
		}
		n, err := u.conn.Read(u.buf[have:])
		if err != nil {
			return err
		}
		u.reads++
		have += n
		switch {
		case u.stream && bytes.HasSuffix(u.buf[:have], endOfChunks):
			return nil
		case u.stream:
			continue
		case whole == 0:
			if whole, err = lengthOf(u.buf[:have]); err != nil {
				return err
			}
			if whole > len(u.buf) {
				u.buf = append(u.buf, make([]byte, whole)...)
			}
		}
		if whole > 0 && have >= whole {
			return nil
		}
	}
}

// lengthOf returns the length of a whole answer with its head, 0 as long as the head is not there.
func lengthOf(b []byte) (int, error) {
	end := bytes.Index(b, endOfHead)
	if end < 0 {
		return 0, nil
	}
	_, text, _ := bytes.Cut(b[:end], []byte("Content-Length: "))
	n, err := strconv.Atoi(string(bytes.TrimSpace(text)))
	return end + len(endOfHead) + n, err
}
