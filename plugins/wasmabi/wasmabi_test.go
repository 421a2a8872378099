package wasmabi_test

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	g "paceline/plugins/guesttest"
	"paceline/plugins/wasmabi"
)

var manifest = g.Manifest("test", "scorer", "comp", "pure")

func guest(change func(*g.Guest)) []byte {
	gst := g.Guest{Invoke: g.Packed(1), Manifest: manifest}
	if change != nil {
		change(&gst)
	}
	return gst.Bytes()
}

func imports(all ...g.Import) func(*g.Guest) {
	return func(gst *g.Guest) { gst.Imports = all }
}

func mutate(f func(*g.Module)) func(*g.Guest) { return func(gst *g.Guest) { gst.Mutate = f } }

func TestCheck(t *testing.T) {
	tests := []struct {
		name string
		data []byte
		pure bool
		want string // in the error; empty: none
	}{
		{"good", guest(nil), true, ""},
		{"log", guest(imports(g.Import{Module: "paceline_v1", Name: "log", Params: g.I32 + g.I32 + g.I32})), true, ""},
		{"wasi", guest(imports(g.Import{Module: "wasi_snapshot_preview1", Name: "sched_yield", Results: g.I32})), false, ""},
		{"wasi in a pure plugin", guest(imports(g.Import{Module: "wasi_snapshot_preview1", Name: "sched_yield", Results: g.I32})), true, "declares the plugin pure, and the module imports wasi_snapshot_preview1.sched_yield"},
		{"unknown import", guest(imports(g.Import{Module: "env", Name: "abort", Params: g.I32})), false, "does not offer the import env.abort"},
		{"socket", guest(imports(g.Import{Module: "wasi_snapshot_preview1", Name: "sock_accept", Params: g.I32 + g.I32 + g.I32, Results: g.I32})), false, "does not offer the import wasi_snapshot_preview1.sock_accept"},
		{"signature of an import", guest(imports(g.Import{Module: "paceline_v1", Name: "log", Params: g.I32})), false, "signature of import paceline_v1.log: found (i32) -> nothing, supported (i32, i32, i32) -> nothing"},
		{"_start", guest(mutate(func(m *g.Module) { m.Funcs = append(m.Funcs, g.Func{Export: "_start"}) })), false, "_start"},
		{"no free", guest(mutate(func(m *g.Module) { m.Funcs[1].Export = "" })), false, "does not export paceline_v1_free"},
		{"free of one argument", guest(mutate(func(m *g.Module) { m.Funcs[1].Params = g.I32 })), false, "signature of export paceline_v1_free: found (i32) -> nothing, supported (i32, i32) -> nothing"},
		{"version 2", guest(mutate(func(m *g.Module) {
			for i := range m.Funcs {
				m.Funcs[i].Export = strings.Replace(m.Funcs[i].Export, "v1", "v2", 1)
			}
		})), false, "another version of the plugin interface: found 2, supported 1"},
		{"version 1 and 2", guest(mutate(func(m *g.Module) { m.Funcs = append(m.Funcs, g.Func{Export: "paceline_v2_invoke"}) })), false, ""},
		{"initialize with a result", guest(mutate(func(m *g.Module) {
			m.Funcs = append(m.Funcs, g.Func{Export: "_initialize", Results: g.I32, Body: g.Const(0)})
		})), false, "signature of export _initialize"},
		{"two memories", guest(mutate(func(m *g.Module) { m.Memories = append(m.Memories, [2]int{1, -1}) })), false, "number of memories: found 2, supported 1"},
		{"no memory", guest(mutate(func(m *g.Module) { m.Memories = nil })), false, "number of memories: found 0"},
		{"memory not exported", guest(mutate(func(m *g.Module) { m.NoMemory = true })), false, "does not export its memory"},
		{"two manifests", guest(func(gst *g.Guest) { gst.Manifests = 2 }), false, "number of paceline.manifest sections: found 2, supported 1"},
		{"no manifest", guest(func(gst *g.Guest) { gst.Manifest = "" }), false, "number of paceline.manifest sections: found 0"},
		{"too much memory", guest(func(gst *g.Guest) { gst.Pages = [2]int{5000, -1} }), false, "found 5000 pages, supported 4096 pages"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file, err := wasmabi.Parse(test.data)
			if err != nil {
				t.Fatal(err)
			}
			err = wasmabi.Check(file, wasmabi.Rules{Pure: test.pure, MemoryPages: 4096})
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if _, ok := errors.AsType[*wasmabi.InterfaceError](err); err != nil && !ok {
				t.Errorf("got a %T", err)
			}
		})
	}
}

// TestParseCut cuts a module at every length: none is taken for whole, and none panics.
func TestParseCut(t *testing.T) {
	data := guest(nil)
	boundaries := 0
	for n := range data {
		file, err := wasmabi.Parse(data[:n])
		if err != nil {
			continue
		}
		boundaries++ // between two sections behind the code the rest is a module of its own, without the manifest
		if wasmabi.Check(file, wasmabi.Rules{}) == nil {
			t.Errorf("the first %d of %d bytes pass for a plugin", n, len(data))
		}
	}
	if boundaries > 3 {
		t.Errorf("%d cuts pass for modules", boundaries)
	}
}

func TestAppendCustom(t *testing.T) {
	data := wasmabi.AppendCustom(guest(nil), "other", []byte(strings.Repeat("x", 300)))
	file, err := wasmabi.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if got := file.Sections("other"); len(got) != 1 || len(got[0]) != 300 {
		t.Errorf("got %q", got)
	}
}

// TestDocument holds the ABI document to the table of functions.
func TestDocument(t *testing.T) {
	doc, err := os.ReadFile("../../schemas/plugin/v1/ABI.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(doc), "## 4. Imports")
	section, _, _ = strings.Cut(section, "Not linked")
	var named []string
	for _, row := range strings.Split(section, "\n") {
		if !strings.HasPrefix(row, "| `") {
			continue
		}
		cell, _, _ := strings.Cut(row[2:], " | ")
		for _, m := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(cell, -1) {
			named = append(named, m[1])
		}
	}
	var linked []string
	for name := range wasmabi.WASIImports() {
		linked = append(linked, name)
	}
	slices.Sort(named)
	slices.Sort(linked)
	for _, name := range linked {
		if !slices.Contains(named, name) {
			t.Errorf("%s is linked, and the document does not name it", name)
		}
	}
	for _, name := range named {
		if !slices.Contains(linked, name) {
			t.Errorf("the document names %s, and it is not linked", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(guest(nil))
	f.Add([]byte("\x00asm\x01\x00\x00\x00"))
	f.Add([]byte("\x00asm\x0d\x00\x01\x00"))
	f.Fuzz(func(_ *testing.T, data []byte) {
		if file, err := wasmabi.Parse(data); err == nil {
			_ = wasmabi.Check(file, wasmabi.Rules{MemoryPages: 4096})
		}
	})
}
