// Package stub is the target of the benchmarks: it answers every request with the same bytes, one chunk per write with a
// gap before each, over raw TCP. It knows just enough HTTP to find where a request ends, so that what it costs is small.
package stub

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"time"
)

// Serve answers on ln until ctx ends, then closes every connection and returns when their goroutines are gone. posted, if
// not nil, is told the instant at which the head of a POST was read; it is called from many goroutines.
func Serve(ctx context.Context, ln net.Listener, s Script, posted func(time.Time)) {
	writes := s.render()
	var conns sync.WaitGroup
	defer conns.Wait()
	stop := context.AfterFunc(ctx, func() { ln.Close() })
	defer stop()
	for number := uint64(0); ; number++ {
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		c := &connection{script: s, writes: writes, posted: posted, conn: conn, random: rand.New(rand.NewPCG(1, number))}
		conns.Go(func() {
			closing := context.AfterFunc(ctx, func() { conn.Close() })
			defer closing()
			defer conn.Close()
			c.serve()
		})
	}
}

type connection struct {
	script Script
	writes [][]byte
	posted func(time.Time)
	conn   net.Conn
	random *rand.Rand // of the waits before first chunks: without them all users would march in step
}

// serve answers one request after another; any fault ends the connection, which the client then sees.
func (c *connection) serve() {
	in := bufio.NewReaderSize(c.conn, 64<<10)
	for {
		post, err := c.request(in)
		if err != nil {
			return
		}
		if !post {
			_, err = c.conn.Write(answer(models))
		} else {
			err = c.reply()
		}
		if err != nil {
			return
		}
	}
}

// request reads one request to its end and reports whether it is a POST.
func (c *connection) request(in *bufio.Reader) (post bool, err error) {
	size := 0
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return false, err
		}
		if first {
			post = bytes.HasPrefix(line, []byte("POST "))
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if name, value, ok := bytes.Cut(line, []byte{':'}); ok && bytes.EqualFold(name, []byte("content-length")) {
			if size, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return false, fmt.Errorf("read content length: %w", err)
			}
		}
	}
	if post && c.posted != nil {
		c.posted(time.Now())
	}
	_, err = in.Discard(size)
	return post, err
}

func (c *connection) reply() error {
	s := c.script
	if s.Gap > 0 {
		time.Sleep(time.Duration(c.random.Int64N(int64(firstGaps * s.Gap))))
	}
	if !s.Stream && s.Gap > 0 {
		time.Sleep(s.Gap * time.Duration(s.Chunks))
	}
	for i, w := range c.writes {
		if s.Stream && s.Gap > 0 && i > 0 && i <= s.Chunks {
			time.Sleep(s.Gap)
		}
		if _, err := c.conn.Write(w); err != nil {
			return err
		}
	}
	return nil
}
