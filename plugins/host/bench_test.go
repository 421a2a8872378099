package host

import (
	"fmt"
	"testing"
	"time"

	g "paceline/plugins/guesttest"
	"paceline/plugins/lock"
)

// echoGuest answers with its request, behind a first byte 0.
func echoGuest() g.Guest {
	copyOver := []byte{0xfc, 10, 0, 0} // memory.copy
	return guest(g.Code(
		g.Get(1), g.Const(1), g.Sub(), g.Const(0), g.Store8(), // alloc leaves room before the request
		g.Const(g.ReplyAt), g.Get(1), g.Const(1), g.Sub(), g.Get(2), g.Const(1), g.Add(), copyOver,
		g.Const64(g.ReplyAt<<32), g.Get(2), g.Const(1), g.Add(), g.Extend(), g.Or64()))
}

func benchOpen(b *testing.B, module []byte, limits lock.Limits) *Component {
	b.Helper()
	h, err := New(Options{NoCache: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = h.Close() })
	p, err := h.Load(Module{Name: "std/test", Bytes: module})
	if err != nil {
		b.Fatal(err)
	}
	c, err := p.Open(b.Context(), ComponentOptions{Name: "comp", Limits: limits})
	if err != nil {
		b.Fatal(err)
	}
	return c
}

func BenchmarkCall(b *testing.B) {
	for _, size := range []int{100, 10_000, 500_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			c := benchOpen(b, echoGuest().Bytes(), lock.Limits{})
			request := make([]byte, size)
			for b.Loop() {
				if _, err := c.send(b.Context(), request); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFresh(b *testing.B) {
	c := benchOpen(b, echoGuest().Bytes(), lock.Limits{})
	for b.Loop() {
		inst, err := c.Fresh(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		if _, err := inst.send(b.Context(), score, []byte{1}); err != nil {
			b.Fatal(err)
		}
		_ = inst.Close()
	}
}

// BenchmarkKill is a call that passes a limit of 20 ms, and the next call's answer from a new worker.
func BenchmarkKill(b *testing.B) {
	c := benchOpen(b, guest(g.Code(g.Get(1), g.Load8(), g.If(loop), g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Packed(1))).Bytes(), lock.Limits{Batch: 20 * time.Millisecond})
	for b.Loop() {
		if _, err := c.send(b.Context(), []byte{1}); err == nil {
			b.Fatal("no error")
		}
		if _, err := c.send(b.Context(), []byte{0}); err != nil {
			b.Fatal(err)
		}
	}
}
