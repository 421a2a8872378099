package coretest_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"paceline/core/coretest"
)

func TestPipeIsBuffered(t *testing.T) {
	client, server := coretest.Pipe()
	for _, text := range []string{"one ", "two"} {
		if n, err := client.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	client.CloseWrite()
	if got, err := io.ReadAll(server); string(got) != "one two" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
	if _, err := server.Write([]byte("still open")); err != nil {
		t.Errorf("write after the peer's half close: %v", err)
	}
	buf := make([]byte, 32)
	if n, err := client.Read(buf); string(buf[:n]) != "still open" || err != nil {
		t.Errorf("read %q, %v", buf[:n], err)
	}
}

func TestWriteWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := coretest.Pipe()
		big := bytes.Repeat([]byte("x"), 3<<20)
		var took time.Duration
		done := make(chan error)
		start := time.Now()
		go func() {
			_, err := client.Write(big)
			took = time.Since(start)
			client.Close()
			done <- err
		}()
		time.Sleep(time.Second)
		got, err := io.ReadAll(server)
		if err := <-done; err != nil {
			t.Errorf("write: %v", err)
		}
		if !bytes.Equal(got, big) || err != nil {
			t.Errorf("read %d bytes, %v", len(got), err)
		}
		if took != time.Second {
			t.Errorf("write took %v, want 1s", took)
		}
	})
}

func TestDeadlines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := coretest.Pipe()
		start := time.Now()
		client.SetReadDeadline(start.Add(time.Second))
		client.SetReadDeadline(start.Add(2 * time.Second))
		_, err := client.Read(make([]byte, 1))
		var timeout net.Error
		if !errors.Is(err, os.ErrDeadlineExceeded) || !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("read gave %v, want a timeout", err)
		}
		if d := time.Since(start); d != 2*time.Second {
			t.Errorf("read took %v, want 2s", d)
		}
		client.SetReadDeadline(time.Time{})
		server.Write([]byte("x"))
		if n, err := client.Read(make([]byte, 1)); n != 1 || err != nil {
			t.Errorf("read after the deadline was taken back: %d, %v", n, err)
		}
		client.SetWriteDeadline(time.Now().Add(time.Second))
		if n, err := client.Write(make([]byte, 2<<20)); n != 1<<20 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("write gave %d, %v", n, err)
		}
	})
}

func TestEnds(t *testing.T) {
	read := func(c net.Conn) (string, error) {
		b, err := io.ReadAll(c)
		return string(b), err
	}
	t.Run("abort delivers what was sent", func(t *testing.T) {
		client, server := coretest.Pipe()
		server.Write([]byte("part"))
		coretest.Abort(server)
		got, err := read(client)
		var op *net.OpError
		if got != "part" || !errors.Is(err, syscall.ECONNRESET) || !errors.As(err, &op) {
			t.Errorf("read %q, %v", got, err)
		}
		if _, err := client.Write([]byte("x")); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("write gave %v", err)
		}
	})
	t.Run("close", func(t *testing.T) {
		client, server := coretest.Pipe()
		server.Write([]byte("all"))
		server.Close()
		if got, err := read(client); got != "all" || err != nil {
			t.Errorf("read %q, %v", got, err)
		}
		if _, err := client.Write([]byte("lost")); err != nil {
			t.Errorf("first write gave %v", err)
		}
		if _, err := client.Write([]byte("x")); !errors.Is(err, syscall.EPIPE) {
			t.Errorf("second write gave %v", err)
		}
		if err := server.Close(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("second close gave %v", err)
		}
	})
	t.Run("close with unread bytes resets", func(t *testing.T) {
		client, server := coretest.Pipe()
		client.Write([]byte("unread"))
		server.Close()
		if _, err := read(client); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("read gave %v", err)
		}
	})
	t.Run("own close wakes own reader", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client, _ := coretest.Pipe()
			time.AfterFunc(time.Second, func() { client.Close() })
			if _, err := client.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
				t.Errorf("read gave %v", err)
			}
		})
	})
}

func TestNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := coretest.NewNetwork()
		ctx := t.Context()
		var op *net.OpError
		if _, err := n.Dial(ctx, "tcp", "engine:1"); !errors.Is(err, syscall.ECONNREFUSED) || !errors.As(err, &op) {
			t.Errorf("dial to nobody gave %v", err)
		}
		l, err := n.Listen("engine:1")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.Listen("engine:1"); !errors.Is(err, syscall.EADDRINUSE) {
			t.Errorf("second listen gave %v", err)
		}
		waiting, err := n.Dial(ctx, "tcp", "engine:1")
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.Accept()
		if err != nil || c.RemoteAddr().String() != waiting.LocalAddr().String() {
			t.Errorf("accept gave %v, %v", c, err)
		}
		left, _ := n.Dial(ctx, "tcp", "engine:1")
		l.Close()
		if _, err := left.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("read of a connection that nobody accepted gave %v", err)
		}
		if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("accept gave %v", err)
		}
		n.OnDial = func(ctx context.Context, _ string) error { <-ctx.Done(); return ctx.Err() }
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := n.Dial(short, "tcp", "engine:1"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("dial into a black hole gave %v", err)
		}
		if got := n.Dials(); got != 3 {
			t.Errorf("Dials() = %d, want 3", got)
		}
	})
}
