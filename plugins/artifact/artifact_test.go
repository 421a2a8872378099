package artifact_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"paceline/core/digest"
	"paceline/plugins/artifact"
	"paceline/plugins/lock"
)

var module = []byte("\x00asm and more")

func wasm(t testing.TB) *artifact.Artifact {
	t.Helper()
	a, err := artifact.PackWasm(module, "mine")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AddSignature([]byte(`{"payloadType":"x"}`)); err != nil {
		t.Fatal(err)
	}
	return a
}

// code is the executable of a platform.
func code(platform string) []byte { return []byte("#!/bin/sh\n# " + platform + "\n") }

func nativeText() []byte {
	var list []string
	for _, p := range []string{"plan9/mips", runtime.GOOS + "/" + runtime.GOARCH} {
		goos, arch, _ := strings.Cut(p, "/")
		list = append(list, fmt.Sprintf(`{"os":%q,"arch":%q,"file":"acme-%s","size":%d,"sha256":%q}`, goos, arch, goos, len(code(p)), digest.Of(code(p))))
	}
	return fmt.Appendf(nil, `{"schema":"paceline/manifest/v1","name":"acme","version":"1.0.0","contract":1,"license":"Apache-2.0",`+
		`"components":[{"kind":"workload","name":"w","purity":"native"}],"native":[%s]}`, strings.Join(list, ","))
}

func native(t testing.TB) *artifact.Artifact {
	t.Helper()
	a, err := artifact.PackNative(nativeText(), func(n lock.Native) ([]byte, error) { return code(n.OS + "/" + n.Arch), nil })
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// read reads the plugin that a layout holds.
func read(t *testing.T, path, want string) (*artifact.Artifact, error) {
	t.Helper()
	l, err := artifact.OpenLayout(path)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	root, err := l.Resolve(t.Context(), want)
	if err != nil {
		return nil, err
	}
	return artifact.Read(t.Context(), l, root, artifact.EveryPlatform)
}

func TestLayouts(t *testing.T) {
	for name, a := range map[string]*artifact.Artifact{"wasm": wasm(t), "native": native(t)} {
		for _, path := range []string{filepath.Join(t.TempDir(), "folder"), filepath.Join(t.TempDir(), "file.tar")} {
			if err := artifact.WriteLayout(path, a, "1.0.0"); err != nil {
				t.Fatal(err)
			}
			for _, want := range []string{"", "1.0.0", a.Root.Digest.String()} {
				got, err := read(t, path, want)
				if err != nil {
					t.Fatalf("%s, %s, %q: %v", name, path, want, err)
				}
				if got.Root.Digest != a.Root.Digest || len(got.Signatures) != len(a.Signatures) || len(got.Blobs) != len(a.Blobs) {
					t.Errorf("%s, %q: got %d blobs and %d signatures of %v", name, want, len(got.Blobs), len(got.Signatures), got.Root)
				}
				if !bytes.Equal(got.Module, a.Module) || name == "native" && !bytes.Equal(got.Executable, code(runtime.GOOS+"/"+runtime.GOARCH)) {
					t.Errorf("%s: other bytes came back", name)
				}
			}
			if _, err := read(t, path, "2.0.0"); !errors.Is(err, artifact.ErrNotFound) || !strings.Contains(err.Error(), "1.0.0") {
				t.Errorf("another tag: got %v", err)
			}
		}
	}
}

// TestSameBytes: the same plugins in the same layout have the same bytes, in whatever order they came.
func TestSameBytes(t *testing.T) {
	one, two := filepath.Join(t.TempDir(), "l"), filepath.Join(t.TempDir(), "l")
	for _, step := range []struct {
		dir string
		a   *artifact.Artifact
		tag string
	}{{one, wasm(t), "a"}, {one, native(t), "b"}, {two, native(t), "b"}, {two, wasm(t), "a"}, {two, wasm(t), "a"}} {
		if err := artifact.WriteLayout(step.dir, step.a, step.tag); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := tree(t, one), tree(t, two); a != b {
		t.Errorf("got\n%s\nand\n%s", a, b)
	}
	for _, name := range []string{"a.tar", "b.tar"} {
		if err := artifact.WriteLayout(filepath.Join(filepath.Dir(one), name), wasm(t), "a"); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := os.ReadFile(filepath.Join(filepath.Dir(one), "a.tar"))
	b, _ := os.ReadFile(filepath.Join(filepath.Dir(one), "b.tar"))
	if len(a) == 0 || !bytes.Equal(a, b) {
		t.Error("two tar files differ")
	}
	if err := artifact.WriteLayout(filepath.Join(filepath.Dir(one), "a.tar"), wasm(t), "a"); err == nil {
		t.Error("a tar file was replaced")
	}
}

func tree(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s %s\n", strings.TrimPrefix(path, dir), digest.Of(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestTagMoves: a tag goes on to the newest plugin, and the older one is found by its digest.
func TestTagMoves(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	other, err := artifact.PackWasm([]byte("\x00asm other"), "mine")
	if err != nil {
		t.Fatal(err)
	}
	old := wasm(t)
	for _, a := range []*artifact.Artifact{old, other} {
		if err := artifact.WriteLayout(dir, a, "1"); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := read(t, dir, "1"); err != nil || got.Root.Digest != other.Root.Digest {
		t.Errorf("got %v", err)
	}
	if got, err := read(t, dir, old.Root.Digest.String()); err != nil || !bytes.Equal(got.Module, module) || len(got.Envelopes) != 1 {
		t.Errorf("the older one: %v", err)
	}
}

// TestFlippedBytes changes a byte in the middle of every file of a layout: nothing is read then.
func TestFlippedBytes(t *testing.T) {
	for name, a := range map[string]*artifact.Artifact{"wasm": wasm(t), "native": native(t)} {
		dir := filepath.Join(t.TempDir(), name)
		if err := artifact.WriteLayout(dir, a, "1"); err != nil {
			t.Fatal(err)
		}
		files, _ := filepath.Glob(filepath.Join(dir, "blobs", "sha256", "*"))
		if len(files) != len(a.Blobs) {
			t.Fatal(files)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			bad := bytes.Clone(data)
			bad[len(bad)/2] ^= 1
			_ = os.WriteFile(file, bad, 0o600)
			_, err = read(t, dir, a.Root.Digest.String())
			wrong, ok := errors.AsType[*artifact.MismatchError](err)
			if !ok || wrong.Want != "sha256:"+filepath.Base(file) || wrong.Found != artifact.DigestOf(bad).String() {
				t.Errorf("%s, %s: got %v", name, filepath.Base(file), err)
			}
			_ = os.WriteFile(file, data, 0o600)
		}
		if _, err := read(t, dir, "1"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestHostileTars: what leads out, links and doubles are refused before anything is read.
func TestHostileTars(t *testing.T) {
	good := tar.Header{Typeflag: tar.TypeReg, Name: "oci-layout", Size: 3}
	for name, c := range map[string]struct {
		headers []tar.Header
		want    string
	}{
		"up":         {[]tar.Header{{Typeflag: tar.TypeReg, Name: "../x"}}, "leads out"},
		"up inside":  {[]tar.Header{{Typeflag: tar.TypeReg, Name: "a/../../x"}}, "leads out"},
		"absolute":   {[]tar.Header{{Typeflag: tar.TypeReg, Name: "/etc/x"}}, "leads out"},
		"backslash":  {[]tar.Header{{Typeflag: tar.TypeReg, Name: `a\..\x`}}, "leads out"},
		"symlink":    {[]tar.Header{{Typeflag: tar.TypeSymlink, Name: "x", Linkname: "/etc/passwd"}}, "a link, a device"},
		"hard link":  {[]tar.Header{good, {Typeflag: tar.TypeLink, Name: "x", Linkname: "oci-layout"}}, "a link, a device"},
		"device":     {[]tar.Header{{Typeflag: tar.TypeChar, Name: "x"}}, "a link, a device"},
		"pipe":       {[]tar.Header{{Typeflag: tar.TypeFifo, Name: "x"}}, "a link, a device"},
		"twice":      {[]tar.Header{good, good}, "twice"},
		"no layout":  {[]tar.Header{{Typeflag: tar.TypeReg, Name: "x"}}, "not an OCI layout"},
		"empty":      {nil, "not an OCI layout"},
		"no version": {[]tar.Header{good}, "oci-layout: found"},
	} {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			w := tar.NewWriter(&b)
			for _, h := range c.headers {
				h.ModTime = time.Unix(0, 0)
				if err := w.WriteHeader(&h); err != nil {
					t.Fatal(err)
				}
				_, _ = w.Write([]byte("xyz")[:h.Size])
			}
			_ = w.Close()
			path := filepath.Join(t.TempDir(), "bad.tar")
			_ = os.WriteFile(path, b.Bytes(), 0o600)
			if _, err := artifact.OpenLayout(path); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	path := filepath.Join(t.TempDir(), "cut.tar")
	if err := artifact.WriteLayout(path, wasm(t), "1"); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	_ = os.WriteFile(path, data[:700], 0o600)
	if _, err := artifact.OpenLayout(path); err == nil {
		t.Error("a cut tar file is opened")
	}
}

func TestHostileFolders(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "l")
	a := wasm(t)
	if err := artifact.WriteLayout(dir, a, "1"); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside")
	_ = os.WriteFile(outside, module, 0o600)
	blob := filepath.Join(dir, "blobs", "sha256", artifact.DigestOf(module).Hex())
	_ = os.Remove(blob)
	if err := os.Symlink(outside, blob); err != nil {
		t.Skip("no symbolic links here: ", err)
	}
	if _, err := read(t, dir, "1"); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a link out of the folder: got %v", err)
	}
	if err := artifact.WriteLayout(dir, a, "1"); err != nil {
		t.Error(err)
	}
	if _, err := read(t, dir, "1"); err != nil {
		t.Errorf("after it was written again: %v", err)
	}
	full := t.TempDir()
	_ = os.WriteFile(filepath.Join(full, "mine"), nil, 0o600)
	if err := artifact.WriteLayout(full, a, "1"); err == nil || !strings.Contains(err.Error(), "neither empty nor an OCI layout") {
		t.Errorf("a folder of other things: got %v", err)
	}
}

func TestParseRef(t *testing.T) {
	d := artifact.DigestOf(module)
	for text, want := range map[string]artifact.Ref{
		"oci://127.0.0.1:5000/acme/search":     {Repository: "127.0.0.1:5000/acme/search"},
		"oci://127.0.0.1:5000/acme/search:1.0": {Repository: "127.0.0.1:5000/acme/search", Tag: "1.0"},
		"oci://r.example/a:1.0@" + d.String():  {Repository: "r.example/a", Tag: "1.0", Digest: &d},
		"./dir/":                               {Path: "./dir"},
		"dir.tar:1.0@" + d.String():            {Path: "dir.tar", Tag: "1.0", Digest: &d},
		"/a/b@" + d.String():                   {Path: "/a/b", Digest: &d},
	} {
		got, err := artifact.ParseRef(text)
		if err != nil || got.Repository != want.Repository || got.Path != want.Path || got.Tag != want.Tag || (got.Digest == nil) != (want.Digest == nil) {
			t.Errorf("%s: got %+v, %v", text, got, err)
		}
	}
	for _, bad := range []string{"", "oci://", "oci://host", "oci://host/", "oci://host/Name", "oci://u@host/a", "oci://host/a@sha256:12", "oci://host/a:b:", "oci://host/../a", "oci://host/a?b", "dir:"} {
		if got, err := artifact.ParseRef(bad); err == nil {
			t.Errorf("%q was taken: %+v", bad, got)
		}
	}
	r, _ := artifact.ParseRef("oci://r.example/a:1")
	if got, ok := r.LockedDigest(r.Pinned(d)); !ok || got != d {
		t.Errorf("got %v, %v", got, ok)
	}
	if _, ok := r.LockedDigest("oci://r.example/a:2@" + d.String()); ok {
		t.Error("another tag's digest was taken")
	}
}

func TestIsFileName(t *testing.T) {
	for name, want := range map[string]bool{
		"a.wasm": true, "acme_linux-amd64.exe": true, "": false, ".profile": false, "-rf": false, "a/b": false, `a\b`: false, "..": false,
		"c:x": false, "a b": false, "a\x1b[0m": false, "\u202eexe.a": false, strings.Repeat("a", 129): false,
	} {
		if got := artifact.IsFileName(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}
