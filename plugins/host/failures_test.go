package host

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	g "paceline/plugins/guesttest"
	"paceline/plugins/lock"
)

// recursion calls itself: function FuncBase of a guest without imports is number 3.
func recursion(times int) []g.Func {
	var body []byte
	for range times {
		body = append(body, g.Call(3)...)
	}
	return []g.Func{{Body: body}}
}

// exponential is code without a loop that runs practically for ever: function k calls function k+1 twice.
func exponential(depth int) []g.Func {
	var all []g.Func
	for k := range depth {
		f := g.Func{}
		if k < depth-1 {
			f.Body = g.Code(g.Call(4+k), g.Call(4+k))
		}
		all = append(all, f)
	}
	return all
}

// TestFailures has one guest for each way in which a call can fail, and checks the error and that the next call of
// another request is answered.
func TestFailures(t *testing.T) {
	exit := []g.Import{{Module: "wasi_snapshot_preview1", Name: "proc_exit", Params: g.I32}}
	ok := g.Code(g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Packed(1))
	// bad guests fail where the request's first byte is 1, and else answer with one byte 0.
	bad := func(body []byte) []byte {
		return g.Code(g.Get(1), g.Load8(), g.If(g.Code(body, g.Return())), ok)
	}
	tests := []struct {
		name  string
		guest g.Guest
		cause Cause
		text  string
	}{
		{"trap", guest(bad(g.Unreachable())), Trap, "unreachable"},
		{"out of bounds", guest(bad(g.Code(g.Const(-8), g.Load64()))), Trap, "out of bounds"},
		{"exit with code 0", wasiGuest(exit, bad(g.Code(g.Const(0), g.Call(0), g.Unreachable()))), Exit, "(code 0)"},
		{"exit with code 7", wasiGuest(exit, bad(g.Code(g.Const(7), g.Call(0), g.Unreachable()))), Exit, "(code 7)"},
		{"endless loop", guest(bad(g.Code(g.Forever(), g.Unreachable()))), Timeout, "limit of 50ms of CPU time"},
		{"no loop, for ever", g.Guest{Funcs: exponential(60), Invoke: bad(g.Code(g.Call(3), g.Packed(1))), Manifest: guest(nil).Manifest}, Timeout, "limit of 50ms"},
		{"trap where memory does not grow", guest(bad(g.Code(g.Forever(g.Const(64), g.MemoryGrow(), g.Const(-1), g.Eq(), g.If(g.Unreachable())), g.Unreachable()))), Memory,
			"256 MiB for a guest (found a guest that wanted 2"},
		{"exit where memory does not grow", wasiGuest(exit, bad(g.Code(g.Const(1<<14), g.MemoryGrow(), g.Drop(), g.Const(1), g.Call(0), g.Unreachable()))), Memory,
			"wanted 1074855936 bytes): the guest exited"},
		{"ptr 0", guest(bad(g.Const64(5))), Malformed, "address is 0"},
		{"no bytes", guest(bad(g.Const64(5 << 32))), Malformed, "no bytes"},
		{"ptr + len overflows", guest(bad(g.Const64(-1))), Malformed, "the memory at"},
		{"ptr out of bounds", guest(bad(g.Const64(0x7fff0000<<32 | 4))), Malformed, "the memory at"},
		{"end out of bounds", guest(bad(g.Const64(g.ReplyAt<<32 | 17<<16))), Malformed, "the memory at"},
		{"first byte", guest(bad(g.Code(g.Const(g.ReplyAt), g.Const(2), g.Store8(), g.Packed(4)))), Malformed, "first byte is 2"},
		{"status without code", guest(bad(g.Code(g.Const(g.ReplyAt), g.Const(1), g.Store8(), g.Packed(1)))), Malformed, "without its code"},
		{"status of code 17", guest(bad(g.Code(g.Const(g.ReplyAt), g.Const(0x1101), g.Store32(), g.Packed(4)))), Malformed, "code 17"},
		{"status text too long", guest(bad(g.Code(g.Const(g.ReplyAt), g.Const(0x0301), g.Store32(), g.Packed(4<<10+3)))), Malformed, "4097 bytes"},
		{"reply too large", g.Guest{Pages: [2]int{1200, -1}, Invoke: bad(g.Const64(g.ReplyAt<<32 | (64<<20 + 1))), Manifest: guest(nil).Manifest}, BigReply, "67108865 bytes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := newHost(t, Options{})
			c := mustOpen(t, mustLoad(t, h, test.guest.Bytes()), ComponentOptions{Limits: short})
			for range 2 {
				_, err := c.send(t.Context(), []byte{1})
				e := wantCause(t, err, test.cause)
				if e.Call != "Score" || !strings.Contains(err.Error(), test.text) {
					t.Errorf("got %q of call %s, want it to say %q", err, e.Call, test.text)
				}
				if reply, err := c.send(t.Context(), []byte{0}); err != nil || len(reply) != 0 {
					t.Errorf("after the failure: got %v and %v, want an empty message", reply, err)
				}
			}
		})
	}
}

func TestDeepRecursion(t *testing.T) {
	gst := guest(g.Code(g.Call(3), g.Packed(1)))
	gst.Funcs = recursion(1)
	h := newHost(t, Options{})
	c := mustOpen(t, mustLoad(t, h, gst.Bytes()), ComponentOptions{Limits: lock.Limits{Batch: 20 * time.Second}})
	_, err := c.send(t.Context(), nil)
	wantCause(t, err, Trap)
	if !strings.Contains(err.Error(), "stack overflow") {
		t.Errorf("got %v", err)
	}
	// Recursion that branches at each level ends in the same way.
	gst.Funcs = recursion(3)
	c = mustOpen(t, mustLoad(t, h, gst.Bytes()), ComponentOptions{Limits: lock.Limits{Batch: 20 * time.Second}})
	_, err = c.send(t.Context(), nil)
	wantCause(t, err, Trap)
}

// TestNoMemoryForRequest: the guest's own allocator has nothing left.
func TestNoMemoryForRequest(t *testing.T) {
	gst := guest(g.Code(g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Packed(1)))
	c := mustOpen(t, mustLoad(t, newHost(t, Options{}), gst.Bytes()), ComponentOptions{Limits: lock.Limits{Memory: 2 << 20}})
	_, err := c.send(t.Context(), make([]byte, 2<<20))
	wantCause(t, err, Memory)
	if _, err := c.send(t.Context(), make([]byte, 1<<19)); err != nil {
		t.Errorf("a smaller request: %v", err)
	}
}

// TestTableGrowth: tables are not bounded by the page limit; the watch on the process's memory ends their growth.
func TestTableGrowth(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the memory of a process is watched on Linux")
	}
	gst := guest(g.Code(g.Forever(g.TableGrow(1<<20), g.Drop()), g.Unreachable()))
	gst.Mutate = func(m *g.Module) { m.Tables = 1 }
	h := newHost(t, Options{})
	c := mustOpen(t, mustLoad(t, h, gst.Bytes()), ComponentOptions{Limits: lock.Limits{Memory: 2 << 20, Batch: 60 * time.Second}})
	_, err := c.send(t.Context(), nil)
	if e := wantCause(t, err, Memory); e.Limit != "514 MiB for the worker process" {
		t.Errorf("limit %q", e.Limit)
	}
}

// TestResidentMemory: memory that the page limit does not bound is bounded by the watch.
func TestResidentMemory(t *testing.T) {
	h := newHost(t, Options{})
	c := mustOpen(t, mustLoad(t, h, guest(loop).Bytes()), ComponentOptions{Limits: lock.Limits{Batch: 20 * time.Second}})
	s := <-c.slots
	defer c.release(s)
	b := s.bounds(20 * time.Second)
	b.memory = 1 << 20
	_, err := s.run.call(t.Context(), s.pooled.id, score, nil, b)
	if e, ok := errors.AsType[*Error](err); runtime.GOOS == "linux" && (!ok || e.Cause != Memory || e.Limit == "") {
		t.Errorf("got %v", err)
	}
}

func TestBigRequest(t *testing.T) {
	h := newHost(t, Options{})
	c := mustOpen(t, mustLoad(t, h, guest(g.Code(g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Packed(1))).Bytes()), ComponentOptions{})
	_, err := c.send(t.Context(), make([]byte, 16<<20+1))
	if e := wantCause(t, err, BigRequest); e.Limit != "16777216 bytes" {
		t.Errorf("limit %q", e.Limit)
	}
	if _, err := c.send(t.Context(), make([]byte, 16<<20)); err != nil {
		t.Errorf("the largest request: %v", err)
	}
	if n := h.Starts(); n != 1 {
		t.Errorf("%d workers were started, want 1", n)
	}
}

func TestStatusKeepsInstance(t *testing.T) {
	// Counts its calls and answers each with status 5 and that count as text.
	body := g.Code(
		g.GetGlobal(0), g.Const(1), g.Add(), g.SetGlobal(0),
		g.Const(g.ReplyAt), g.Const(0x0501), g.Store32(),
		g.Const(g.ReplyAt+2), g.GetGlobal(0), g.Const('0'), g.Add(), g.Store8(), g.Packed(3))
	gst := guest(body)
	gst.Globals = []int32{0}
	c := mustOpen(t, mustLoad(t, newHost(t, Options{}), gst.Bytes()), ComponentOptions{})
	for _, want := range []string{"1", "2", "3"} {
		_, err := c.send(t.Context(), nil)
		e := wantCause(t, err, Status)
		if e.Code != 5 || e.Text != want || !IsStatus(err, 5) || IsStatus(err, 6) {
			t.Errorf("got %v, want code 5 and text %s", err, want)
		}
	}
}

func TestGivenUp(t *testing.T) {
	h := newHost(t, Options{})
	c := mustOpen(t, mustLoad(t, h, guest(loop).Bytes()), ComponentOptions{Limits: lock.Limits{Batch: 20 * time.Second}})
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	context.AfterFunc(ctx, func() {})
	go cancel(why)
	if _, err := c.send(ctx, nil); !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
