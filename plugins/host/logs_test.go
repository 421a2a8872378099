package host

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	g "paceline/plugins/guesttest"
	"paceline/plugins/lock"
)

var logImport = []g.Import{{Module: "paceline_v1", Name: "log", Params: g.I32 + g.I32 + g.I32}}

func TestLog(t *testing.T) {
	text := "from\xffthe guest"
	gst := guest(g.Code(g.Const(2), g.Const(64), g.Const(int32(len(text))), g.Call(0), g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Packed(1)))
	gst.Imports = logImport
	gst.Data = []g.Data{{At: 64, Bytes: []byte(text)}}
	var got lines
	c := mustOpen(t, mustLoad(t, newHost(t, Options{Log: got.add}), gst.Bytes()), ComponentOptions{})
	if _, err := c.send(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"2 from\uFFFDthe guest"}, got.texts()); diff != "" {
		t.Error(diff)
	}
}

func TestLogOutsideMemoryTraps(t *testing.T) {
	gst := guest(g.Code(g.Const(2), g.Const(-4), g.Const(100), g.Call(0), g.Packed(1)))
	gst.Imports = logImport
	c := mustOpen(t, mustLoad(t, newHost(t, Options{}), gst.Bytes()), ComponentOptions{})
	_, err := c.send(t.Context(), nil)
	wantCause(t, err, Trap)
}

// TestLogFlood: a flood is cut and counted, and the call it comes from succeeds.
func TestLogFlood(t *testing.T) {
	const size, times = 1 << 12, 1000
	body := g.Code(
		g.Const(times), g.SetGlobal(0),
		[]byte{0x03, 0x40}, // loop
		g.Const(1), g.Const(4096), g.Const(size), g.Call(0),
		g.GetGlobal(0), g.Const(1), g.Sub(), g.SetGlobal(0), g.GetGlobal(0), []byte{0x0d, 0, 0x0b}, // br_if, end
		g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Packed(1))
	gst := guest(body)
	gst.Imports, gst.Globals = logImport, []int32{0}
	gst.Data = []g.Data{{At: 4096, Bytes: []byte(strings.Repeat("a", size))}}
	var got lines
	limits := lock.Limits{Log: 64 << 10}
	c := mustOpen(t, mustLoad(t, newHost(t, Options{Log: got.add}), gst.Bytes()), ComponentOptions{Limits: limits})
	for range 2 {
		if _, err := c.send(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	kept := 0
	for _, line := range got.texts() {
		kept += len(line) - 2
	}
	cutLines, cutBytes := c.LogCut()
	if kept > 64<<10 || kept < 60<<10 || uint64(kept)+cutBytes != 2*times*size || cutLines < 2*times-17 {
		t.Errorf("kept %d bytes, cut %d lines and %d bytes", kept, cutLines, cutBytes)
	}
}

// TestPrint: what a guest prints becomes log lines, whole ones where they are.
func TestPrint(t *testing.T) {
	imports := []g.Import{{Module: "wasi_snapshot_preview1", Name: "fd_write", Params: g.I32 + g.I32 + g.I32 + g.I32, Results: g.I32}}
	gst := wasiGuest(imports, g.Code(
		g.Const(1), g.Const(64), g.Const(2), g.Const(32), g.Call(0), g.Drop(),
		g.Const(2), g.Const(64), g.Const(1), g.Const(32), g.Call(0), g.Drop(),
		g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Packed(1)))
	vectors := []byte{100, 0, 0, 0, 6, 0, 0, 0, 106, 0, 0, 0, 5, 0, 0, 0}
	gst.Data = []g.Data{{At: 64, Bytes: vectors}, {At: 100, Bytes: []byte("one\ntw" + "o\nend")}}
	var got lines
	c := mustOpen(t, mustLoad(t, newHost(t, Options{Log: got.add}), gst.Bytes()), ComponentOptions{})
	if _, err := c.send(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1 one", "1 two", "2 one", "1 end", "2 tw"}, got.texts()); diff != "" {
		t.Error(diff)
	}
}
