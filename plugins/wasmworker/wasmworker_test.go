package wasmworker

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paceline/core/seed"
	"paceline/plugins/wasmabi"
)

// TestEngineVersion holds the constant to go.mod, since the build's own record is not there in every build.
func TestEngineVersion(t *testing.T) {
	data, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "github.com/tetratelabs/wazero " + EngineVersion; !strings.Contains(string(data), want) {
		t.Errorf("go.mod does not say %q", want)
	}
}

// TestFunctions: what a module may import is what the worker links.
func TestFunctions(t *testing.T) {
	e := &engine{}
	for module, functions := range map[string]map[string]hostFunc{
		wasmabi.HostModule: e.hostFunctions(), wasmabi.WASIModule: wasiFunctions(e),
	} {
		have, want := slices.Sorted(maps.Keys(functions)), slices.Sorted(maps.Keys(wasmabi.Imports(module)))
		if !slices.Equal(have, want) {
			t.Errorf("%s: linked %v, importable %v", module, have, want)
		}
	}
}

func TestFrames(t *testing.T) {
	var b bytes.Buffer
	if err := WriteFrame(&b, KindReply, []byte("ab"), nil, []byte("c")); err != nil {
		t.Fatal(err)
	}
	if want := "\x04\x00\x00\x00Rabc"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
	kind, size, err := ReadHead(&b, 3)
	if kind != KindReply || size != 3 || err != nil {
		t.Errorf("got %q, %d, %v", kind, size, err)
	}
	for _, bad := range []string{"\x00\x00\x00\x00R", "\x05\x00\x00\x00R", "\xff\xff\xff\xffR"} {
		if _, _, err := ReadHead(strings.NewReader(bad), 3); !errors.Is(err, ErrFrame) {
			t.Errorf("%q: got %v", bad, err)
		}
	}
	if _, _, err := ReadHead(strings.NewReader(""), 3); !errors.Is(err, io.EOF) {
		t.Errorf("empty: got %v", err)
	}
}

// FuzzServe gives a worker frames that nobody would send: it must end, without a panic.
func FuzzServe(f *testing.F) {
	for _, kind := range []byte{KindLoad, KindInstantiate, KindCall, KindClose} {
		var b bytes.Buffer
		_ = WriteFrame(&b, kind, []byte("\x02\x00\x00\x00{}{}"))
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) >= 4 && data[3] > 0 {
			return // a length of gigabytes only costs memory here
		}
		w := &worker{out: bufio.NewWriter(io.Discard), cpu: &cpuBackstop{}}
		_ = w.serve(t.Context(), bytes.NewReader(data))
	})
}

func TestClocksAndRandom(t *testing.T) {
	c := newClocks()
	if a, b := c.read(realtime), c.read(realtime); a != 946684800e9 || b != a+1e6 {
		t.Errorf("realtime: %d, %d", a, b)
	}
	if a, b := c.read(monotonic), c.read(monotonic); a != 0 || b != 1e6 {
		t.Errorf("monotonic: %d, %d", a, b)
	}
	stream := func(method uint32, request string, parts ...int) string {
		r := random{component: seed.Seed{9}}
		r.reset(method, []byte(request))
		var out []byte
		for _, n := range parts {
			p := make([]byte, n)
			r.fill(p)
			out = append(out, p...)
		}
		return string(out)
	}
	if stream(16, "a", 16) != stream(16, "a", 3, 5, 8) {
		t.Error("the stream depends on how it is read")
	}
	if stream(16, "a", 8) == stream(17, "a", 8) || stream(16, "a", 8) == stream(16, "b", 8) {
		t.Error("the stream does not depend on method and request")
	}
}

func TestEntrySum(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	one, err := entrySum(dir, "k")
	other, _ := entrySum(dir, "k2")
	if err != nil || one == other {
		t.Errorf("got %s and %s (%v)", one, other, err)
	}
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "b")); err != nil {
		t.Skip("no symbolic links here")
	}
	if _, err := entrySum(dir, "k"); err == nil {
		t.Error("a link in an entry is not refused")
	}
}
