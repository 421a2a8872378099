package host

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paceline/core/digest"
	"paceline/core/seed"
	g "paceline/plugins/guesttest"
	"paceline/plugins/lock"
)

func caseFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "cases", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// echo answers with the request's first byte plus 1, after special has run where that byte is 3.
func echo(special []byte) []byte {
	return g.Code(
		g.Get(1), g.Load8(), g.Const(3), g.Eq(), g.If(special),
		g.Const(g.ReplyAt), g.Const(0), g.Store8(),
		g.Const(g.ReplyAt+1), g.Get(1), g.Load8(), g.Const(1), g.Add(), g.Store8(),
		g.Packed(2))
}

// TestCase68 calls a guest that never returns, 20 times, and one whose start function never returns.
func TestCase68(t *testing.T) {
	h := newHost(t, Options{})
	limits := lock.Limits{Batch: 30 * time.Millisecond, Open: 5 * time.Second}
	c := mustOpen(t, mustLoad(t, h, guest(loop).Bytes()), ComponentOptions{Limits: limits})
	_, _ = c.send(t.Context(), nil)
	before := runtime.NumGoroutine()
	for range 20 {
		_, err := c.send(t.Context(), nil)
		wantCause(t, err, Timeout)
	}
	if n := h.Workers(); n > 1 {
		t.Errorf("%d workers are left", n)
	}
	if grown := runtime.NumGoroutine() - before; grown > 2 {
		t.Errorf("%d goroutines more than before", grown)
	}

	start := guest(g.Packed(1))
	start.Funcs, start.Start = []g.Func{{Body: g.Forever()}}, true
	initialize := guest(g.Packed(1))
	initialize.Funcs = []g.Func{{Export: "_initialize", Body: g.Forever()}}
	for _, gst := range []g.Guest{start, initialize} {
		_, err := mustLoad(t, h, gst.Bytes()).Open(t.Context(), ComponentOptions{Name: "comp", Limits: lock.Limits{Open: 3 * time.Second}})
		if e := wantCause(t, err, Timeout); e.Call != "start" {
			t.Errorf("call %q", e.Call)
		}
	}
}

// TestCase70 lets a guest take all memory that it can get, and loads one that wants too much.
func TestCase70(t *testing.T) {
	grow := guest(g.Code(
		[]byte{0x02, 0x40, 0x03, 0x40}, // block, loop
		g.Const(64), g.MemoryGrow(), g.Const(-1), g.Eq(), []byte{0x0d, 1},
		g.MemorySize(), g.Const(1), g.Sub(), g.Const(16), g.Shl(), g.Const(1), g.Store32(),
		[]byte{0x0c, 0, 0x0b, 0x0b}, // br, end, end
		g.Const(g.ReplyAt), g.Const(0), g.Store8(),
		g.Const(g.ReplyAt+1), g.MemorySize(), g.Store32(), g.Packed(5)))
	grow.Pages = [2]int{17, 32768}
	h := newHost(t, Options{})
	limits := lock.Limits{Memory: 512 << 16, Batch: 5 * time.Second}
	c := mustOpen(t, mustLoad(t, h, grow.Bytes()), ComponentOptions{Limits: limits})
	for range 50 {
		inst, err := c.Fresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		reply, err := inst.send(t.Context(), score, nil)
		if err != nil {
			t.Fatal(err)
		}
		if pages := binary.LittleEndian.Uint32(reply); pages < 449 || pages > 512 {
			t.Fatalf("the guest got %d pages", pages)
		}
		_ = inst.Close()
	}
	if rss, ok := residentMemory(pidOf(c)[0]); ok && rss > 128<<20 {
		t.Errorf("the worker keeps %d MiB after its instances were closed", rss>>20)
	}

	big := guest(g.Packed(1))
	big.Pages = [2]int{40000, 65536}
	_, err := mustLoad(t, h, big.Bytes()).Open(t.Context(), ComponentOptions{Name: "comp", Limits: limits})
	wantCause(t, err, Interface)
	if text := err.Error(); !strings.Contains(text, "40000 pages") || !strings.Contains(text, "512 pages") {
		t.Errorf("got %q, want both numbers", text)
	}

	for _, pages := range []int64{-1, 70000} {
		_, err := mustLoad(t, h, grow.Bytes()).Open(t.Context(), ComponentOptions{Name: "comp", Limits: lock.Limits{Memory: pages << 16}})
		wantCause(t, err, Interface)
	}
}

// TestCase71 checks that one bad call spoils no other, in any order and with any number of workers.
func TestCase71(t *testing.T) {
	exit := []g.Import{{Module: "wasi_snapshot_preview1", Name: "proc_exit", Params: g.I32}}
	guests := map[string]g.Guest{
		"trap": guest(echo(g.Unreachable())),
		"exit": wasiGuest(exit, echo(g.Code(g.Const(0), g.Call(0)))),
	}
	for name, gst := range guests {
		t.Run(name, func(t *testing.T) {
			p := mustLoad(t, newHost(t, Options{}), gst.Bytes())
			c := mustOpen(t, p, ComponentOptions{})
			for _, order := range [][]byte{{1, 2, 3, 4, 5, 6}, {3, 1, 2}} {
				for _, n := range order {
					checkEcho(t, c, n)
				}
			}
			four := mustOpen(t, p, ComponentOptions{Workers: 4})
			var wg sync.WaitGroup
			for n := range byte(40) {
				wg.Go(func() { checkEcho(t, four, n%7) })
			}
			wg.Wait()
		})
	}
	counter := guest(g.Code(
		g.GetGlobal(0), g.Const(1), g.Add(), g.SetGlobal(0),
		g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Const(g.ReplyAt+1), g.GetGlobal(0), g.Store8(), g.Packed(2)))
	counter.Globals = []int32{0}
	c := mustOpen(t, mustLoad(t, newHost(t, Options{}), counter.Bytes()), ComponentOptions{})
	for range 6 {
		inst, err := c.Fresh(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if reply, err := inst.send(t.Context(), score, nil); err != nil || reply[0] != 1 {
			t.Errorf("a fresh instance counts %v (%v), want 1", reply, err)
		}
		_ = inst.Close()
	}
}

func checkEcho(t *testing.T, c *Component, n byte) {
	t.Helper()
	reply, err := c.send(t.Context(), []byte{n})
	if n == 3 {
		if err == nil {
			t.Error("3: no error")
		}
		return
	}
	if err != nil || !slices.Equal(reply, []byte{n + 1}) {
		t.Errorf("%d: got %v and %v", n, reply, err)
	}
}

// TestCase71Cancel ends the context right after each of many calls: none may find its module closed.
func TestCase71Cancel(t *testing.T) {
	c := mustOpen(t, mustLoad(t, newHost(t, Options{}), guest(echo(nil)).Bytes()), ComponentOptions{})
	for i := range 10000 {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := c.send(ctx, []byte{1})
		cancel()
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
	}
}

// TestCase73 loads what must be refused before any code runs.
func TestCase73(t *testing.T) {
	const dir = "73-plugin-identity-and-interface/"
	h := newHost(t, Options{})
	for _, name := range []string{"manifest_good.json", "manifest_bad.json"} {
		var manifest struct{ SHA256 digest.SHA256 }
		if err := json.Unmarshal(caseFile(t, dir+name), &manifest); err != nil {
			t.Fatal(err)
		}
		module := caseFile(t, dir+"add_one.wasm")
		_, err := h.Load(Module{Name: "std/test", Path: "add_one.wasm", Bytes: module, Expected: &manifest.SHA256})
		sum := sha256.Sum256(module)
		found := hex.EncodeToString(sum[:])
		isDigest := err != nil && strings.Contains(err.Error(), "add_one.wasm differs: expected sha256 "+manifest.SHA256.String()+", found sha256 "+found)
		if isDigest != (name == "manifest_bad.json") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	texts := map[string]bool{}
	for name, want := range map[string]string{
		"abi2.wasm":      "another version of the plugin interface: found 2, supported 1",
		"not_wasm.wasm":  "not a WebAssembly module",
		"cut.wasm":       "cut off",
		"component.wasm": "component format",
		"add_one.wasm":   "does not export paceline_v1_alloc",
	} {
		_, err := h.Load(Module{Name: "std/test", Path: name, Bytes: caseFile(t, dir+name)})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want %q", name, err, want)
			continue
		}
		texts[err.Error()] = true
	}
	if len(texts) != 5 || h.Starts() != 0 {
		t.Errorf("%d different texts, %d workers started", len(texts), h.Starts())
	}
}

// TestCase75 runs a guest that mixes random bytes and clocks into its answer.
func TestCase75(t *testing.T) {
	imports := []g.Import{
		{Module: "wasi_snapshot_preview1", Name: "random_get", Params: g.I32 + g.I32, Results: g.I32},
		{Module: "wasi_snapshot_preview1", Name: "clock_time_get", Params: g.I32 + g.I64 + g.I32, Results: g.I32},
	}
	gst := wasiGuest(imports, g.Code(
		g.Const(8), g.Const(8), g.Call(0), g.Drop(),
		g.Const(0), g.Const64(1), g.Const(16), g.Call(1), g.Drop(),
		g.Const(g.ReplyAt), g.Const(0), g.Store8(),
		g.Const(g.ReplyAt+1), g.Const(8), g.Load64(), g.Const(16), g.Load64(), g.Xor64(), g.Store64(), g.Packed(9)))
	run := func(workers int, s seed.Seed, opts Options) map[byte]uint64 {
		c := mustOpen(t, mustLoad(t, newHost(t, opts), gst.Bytes()), ComponentOptions{Workers: workers, Seed: s})
		got := map[byte]uint64{}
		var mu sync.Mutex
		var wg sync.WaitGroup
		for n := range byte(6) {
			wg.Go(func() {
				inst, err := c.Fresh(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				defer inst.Close()
				reply, err := inst.send(t.Context(), score, []byte{n})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				defer mu.Unlock()
				got[n] = binary.LittleEndian.Uint64(reply)
			})
		}
		wg.Wait()
		return got
	}
	one := run(1, seed.Seed{1}, Options{})
	for name, other := range map[string]map[byte]uint64{
		"again": run(1, seed.Seed{1}, Options{}), "3 workers": run(3, seed.Seed{1}, Options{}), "interpreter": run(2, seed.Seed{1}, Options{Interpret: true}),
	} {
		for n, v := range one {
			if other[n] != v {
				t.Errorf("%s, sample %d: %x, want %x", name, n, other[n], v)
			}
		}
	}
	if other := run(1, seed.Seed{2}, Options{}); other[0] == one[0] || one[0] == one[1] {
		t.Error("another seed or another request gives the same random bytes")
	}
}
