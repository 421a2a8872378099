package host

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"paceline/core/digest"
	g "paceline/plugins/guesttest"
	"paceline/plugins/wasmworker"
)

// answer opens the guest anew with that cache folder and gives what the cache did; the guest must add one.
func answer(t *testing.T, dir string) (use, note string) {
	t.Helper()
	p := mustLoad(t, newHost(t, Options{CacheDir: dir}), guest(echo(nil)).Bytes())
	c := mustOpen(t, p, ComponentOptions{})
	if reply, err := c.send(t.Context(), []byte{41}); err != nil || !bytes.Equal(reply, []byte{42}) {
		t.Errorf("got %v and %v, want 42", reply, err)
	}
	return p.Cache()
}

// eachEntry changes every file of engine code in the cache.
func eachEntry(t *testing.T, dir string, change func(data []byte) []byte) {
	t.Helper()
	n := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "sha256" {
			return err
		}
		n++
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, change(data), 0o600)
	})
	if err != nil || n == 0 {
		t.Fatalf("%d entries changed: %v", n, err)
	}
}

func TestCase72(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	want := func(step, wantUse string) {
		t.Helper()
		use, note := answer(t, dir)
		if use != wantUse || (use == "hit" || use == "miss") != (note == "") {
			t.Errorf("%s: cache %q with note %q, want %q", step, use, note, wantUse)
		}
	}
	want("first run", "miss")
	want("second run", "hit")
	damages := map[string]func([]byte) []byte{
		"cut to half": func(data []byte) []byte { return data[:len(data)/2] },
		"zero bytes":  func([]byte) []byte { return nil },
		"16 bytes changed": func(data []byte) []byte {
			for i := range 16 {
				data[len(data)/2+i] ^= 0x55
			}
			return data
		},
	}
	for name, change := range damages {
		eachEntry(t, dir, change)
		want(name, "damaged")
		want("after "+name, "hit")
	}
	for _, name := range []string{"renamed", "no digest"} {
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Fatalf("%d entries: %v", len(entries), err)
		}
		entry := filepath.Join(dir, entries[0].Name())
		if name == "no digest" {
			err = os.Remove(filepath.Join(entry, "sha256"))
			if err != nil {
				t.Fatal(err)
			}
			want(name, "damaged")
			continue
		}
		version, err := filepath.Glob(filepath.Join(entry, "wazero-*"))
		if err != nil || len(version) != 1 {
			t.Fatal(version, err)
		}
		if err := os.Rename(version[0], filepath.Join(entry, "wazero-v0.0.1-other")); err != nil {
			t.Fatal(err)
		}
		want(name, "damaged")
	}
	want("at the end", "hit")
	if left, _ := filepath.Glob(filepath.Join(dir, "[no]*-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestCase72Folder: a folder that cannot be used is no error.
func TestCase72Folder(t *testing.T) {
	open := filepath.Join(t.TempDir(), "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"open to others": open, "cannot be made": "/proc/none/cache", "a file": file} {
		if use, note := answer(t, dir); use != "off" || !strings.HasPrefix(note, "compile cache: not used: ") {
			t.Errorf("%s: cache %q with note %q", name, use, note)
		}
	}
	readOnly := filepath.Join(t.TempDir(), "read-only")
	if err := os.Mkdir(readOnly, 0o500); err != nil {
		t.Fatal(err)
	}
	if use, _ := answer(t, readOnly); use != "off" && os.Geteuid() != 0 {
		t.Errorf("read-only: cache %q", use)
	}
}

// TestCase72Together: processes that start at the same time share an empty folder.
func TestCase72Together(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			if use, note := answer(t, dir); use != "hit" && use != "miss" {
				t.Errorf("cache %q with note %q", use, note)
			}
		})
	}
	wg.Wait()
	if use, _ := answer(t, dir); use != "hit" {
		t.Errorf("afterwards: cache %q", use)
	}
}

// TestInterpreter runs without a cache.
func TestInterpreter(t *testing.T) {
	p := mustLoad(t, newHost(t, Options{CacheDir: t.TempDir(), Interpret: true}), guest(echo(g.Unreachable())).Bytes())
	c := mustOpen(t, p, ComponentOptions{})
	checkEcho(t, c, 1)
	checkEcho(t, c, 3)
	checkEcho(t, c, 4)
	if use, _ := p.Cache(); use != "off" {
		t.Errorf("cache %q", use)
	}
}

// TestCollectCache: compiled code of a module that is kept stays, that of others goes and is made anew.
func TestCollectCache(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	if use, _ := answer(t, dir); use != "miss" {
		t.Fatalf("cache %q", use)
	}
	mine := digest.Of(guest(echo(nil)).Bytes())
	for _, c := range []struct {
		keep  digest.SHA256
		dry   bool
		want  int
		after string
	}{{mine, false, 0, "hit"}, {digest.Of(nil), true, 1, "hit"}, {digest.Of(nil), false, 1, "miss"}} {
		n, size, err := wasmworker.CollectCache(dir, func(d digest.SHA256) bool { return d == c.keep }, c.dry)
		if n != c.want || (size > 0) != (n > 0) || err != nil {
			t.Errorf("%d entries of %d bytes, want %d: %v", n, size, c.want, err)
		}
		if use, _ := answer(t, dir); use != c.after {
			t.Errorf("afterwards: cache %q, want %q", use, c.after)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "[no]*-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
