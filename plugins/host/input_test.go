package host

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	g "paceline/plugins/guesttest"
)

// TestInputRead asks for spans of an input: (handle, offset, ptr, len) from the request, 20 bytes little-endian.
func TestInputRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "input")
	if err := os.WriteFile(path, []byte("0123456789 grown later"), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()

	const at = 2048
	gst := guest(g.Code(
		g.Const(g.ReplyAt), g.Const(0), g.Store8(), g.Const(g.ReplyAt+1),
		g.Get(1), g.Load32(),
		g.Get(1), g.Const(4), g.Add(), g.Load64(),
		g.Get(1), g.Const(12), g.Add(), g.Load32(),
		g.Get(1), g.Const(16), g.Add(), g.Load32(),
		g.Call(0), g.Store64(),
		g.Const(g.ReplyAt+9), g.Const(at), g.Load64(), g.Store64(), g.Packed(17)))
	gst.Imports = []g.Import{{Module: "paceline_v1", Name: "input_read", Params: g.I32 + g.I64 + g.I32 + g.I32, Results: g.I64}}
	c := mustOpen(t, mustLoad(t, newHost(t, Options{}), gst.Bytes()), ComponentOptions{Inputs: []Input{{File: file, Size: 10}}})
	// The name may point elsewhere by now: the descriptor is what counts.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name      string
		handle    uint32
		offset    int64
		ptr, size uint32
		want      int64
		text      string
	}{
		{"start", 0, 0, at, 4, 4, "0123"},
		{"middle", 0, 7, at, 2, 2, "78"},
		{"beyond the digested size", 0, 8, at, 8, 2, "89"},
		{"at the end", 0, 10, at, 8, 0, ""},
		{"no bytes", 0, 0, at, 0, 0, ""},
		{"unknown", 1, 0, at, 4, -1, ""},
		{"not granted, large", 1 << 31, 0, at, 4, -1, ""},
		{"outside memory", 0, 0, 1 << 31, 4, -2, ""},
		{"len overflows", 0, 0, at, 1<<32 - 1, -2, ""},
		{"negative", 0, -1, at, 4, -3, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request := binary.LittleEndian.AppendUint32(nil, test.handle)
			request = binary.LittleEndian.AppendUint64(request, uint64(test.offset))
			request = binary.LittleEndian.AppendUint32(request, test.ptr)
			request = binary.LittleEndian.AppendUint32(request, test.size)
			inst, err := c.Fresh(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer inst.Close()
			reply, err := inst.send(t.Context(), score, request)
			if err != nil {
				t.Fatal(err)
			}
			got := int64(binary.LittleEndian.Uint64(reply))
			if got != test.want || got > 0 && string(reply[8:8+got]) != test.text {
				t.Errorf("got %d and %q, want %d and %q", got, reply[8:], test.want, test.text)
			}
		})
	}
	inst, err := c.Fresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer inst.Close()
	reply, err := inst.send(t.Context(), method{1, "Describe", batchLimit}, make([]byte, 20))
	if err != nil || int64(binary.LittleEndian.Uint64(reply)) != -5 {
		t.Errorf("from Describe: got %v and %v, want -5", reply, err)
	}
}
