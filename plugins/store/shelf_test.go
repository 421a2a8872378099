package store_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"paceline/plugins/artifact"
	"paceline/plugins/store"
)

func shelfOf(t *testing.T) *store.Shelf {
	t.Helper()
	return &store.Shelf{Dir: filepath.Join(t.TempDir(), "plugins")}
}

func pack(t *testing.T, module string) *artifact.Artifact {
	t.Helper()
	a, err := artifact.PackWasm([]byte("\x00asm"+module), "mine")
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestShelf(t *testing.T) {
	s := shelfOf(t)
	a := pack(t, "one")
	if err := a.AddSignature([]byte(`{"payloadType":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Root(a.Root.Digest); !errors.Is(err, artifact.ErrNotFound) {
		t.Errorf("an empty shelf: got %v", err)
	}
	if err := s.Put(a); err != nil {
		t.Fatal(err)
	}
	if err := s.Put(pack(t, "one")); err != nil { // without its signature, which stays
		t.Fatal(err)
	}
	if err := s.Install("acme/mine", "file", a.Root.Digest); err != nil {
		t.Fatal(err)
	}
	in, err := s.Named("acme/mine")
	if err != nil || in.Root != a.Root.Digest {
		t.Fatalf("got %+v and %v", in, err)
	}
	m, err := s.Fetch(t.Context(), "acme/mine", in.Source, in.Root)
	if err != nil || !bytes.Equal(m.Bytes, a.Module) || len(m.Envelopes) != 1 || m.Source != "file" || !m.Official {
		t.Fatalf("got %+v and %v", m, err)
	}
	if info, err := os.Stat(s.Dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if n, bad, err := s.Verify(t.Context()); n != 8 || len(bad) > 0 || err != nil {
		t.Errorf("%d looked at: %v, %v", n, bad, err)
	}
	for _, bad := range []string{"mine", "std/mine", "Acme/mine", "acme/../x", "a/b/c", ""} {
		if err := s.Install(bad, "file", a.Root.Digest); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// TestShelfFlipped changes one byte in each file of the shelf: the plugin is refused with both digests, or where it is one of
// the shelf's own files, refused.
func TestShelfFlipped(t *testing.T) {
	s := shelfOf(t)
	a := pack(t, "one")
	if err := a.AddSignature([]byte(`{"payloadType":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Put(a), s.Install("acme/mine", "file", a.Root.Digest)); err != nil {
		t.Fatal(err)
	}
	blobs, _ := filepath.Glob(filepath.Join(s.Dir, "blobs", "*"))
	if len(blobs) != 6 {
		t.Fatal(blobs)
	}
	for _, file := range blobs {
		data, _ := os.ReadFile(file)
		bad := bytes.Clone(data)
		bad[len(bad)/2] ^= 4
		_ = os.WriteFile(file, bad, 0o600)
		_, err := s.Fetch(t.Context(), "acme/mine", "file", a.Root.Digest)
		if err == nil || !strings.Contains(err.Error(), "sha256:"+filepath.Base(file)) || !strings.Contains(err.Error(), artifact.DigestOf(bad).String()) {
			t.Errorf("%s: got %v", filepath.Base(file), err)
		}
		if _, found, err := s.Verify(t.Context()); len(found) == 0 || err != nil {
			t.Errorf("%s: not found by Verify (%v)", filepath.Base(file), err)
		}
		if err := s.Put(a); err != nil { // installing again mends it
			t.Fatal(err)
		}
	}
	record := filepath.Join(s.Dir, "artifacts", a.Root.Digest.Hex()+".json")
	data, _ := os.ReadFile(record)
	other := pack(t, "two").Root.Digest
	_ = os.WriteFile(record, bytes.Replace(data, []byte(`"digest": "`+a.Root.Digest.String()), []byte(`"digest": "`+other.String()), 1), 0o600)
	if _, err := s.Fetch(t.Context(), "acme/mine", "file", a.Root.Digest); err == nil || !strings.Contains(err.Error(), other.String()) {
		t.Errorf("another root in the record: got %v", err)
	}
}

func TestShelfOfOthers(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("folders of users are private by the system's own rules here")
	}
	s := shelfOf(t)
	a := pack(t, "one")
	if err := s.Put(a); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Root(a.Root.Digest); err == nil || !strings.Contains(err.Error(), "open to other users") {
		t.Errorf("reading: got %v", err)
	}
	if err := s.Put(a); err == nil {
		t.Error("writing: it was used")
	}
	none := &store.Shelf{}
	if _, err := none.Root(a.Root.Digest); !errors.Is(err, artifact.ErrNotFound) {
		t.Errorf("no folder: got %v", err)
	}
}

func TestCollect(t *testing.T) {
	s := shelfOf(t)
	named, locked, lost := pack(t, "named"), pack(t, "locked"), pack(t, "lost")
	if err := errors.Join(s.Put(named), s.Put(locked), s.Put(lost), s.Install("acme/mine", "file", named.Root.Digest)); err != nil {
		t.Fatal(err)
	}
	keep := map[artifact.Digest]bool{artifact.DigestOf(locked.Module): true}
	for _, dry := range []bool{true, false} {
		c, err := s.Collect(keep, dry)
		if err != nil || len(c.Plugins) != 1 || c.Plugins[0] != lost.Root.Digest.String() || c.Files != 4 || c.Bytes == 0 {
			t.Fatalf("dry %v: got %+v and %v", dry, c, err)
		}
	}
	half := filepath.Join(s.Dir, "blobs", ".new-123")
	if err := errors.Join(os.WriteFile(half, nil, 0o600), os.Chtimes(half, time.Time{}, time.Now().Add(-2*time.Hour))); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if _, err := os.Lstat(half); err == nil {
			t.Error("what a killed process was writing is still there")
		}
	}()
	if c, err := s.Collect(keep, false); err != nil || c.Files != 0 {
		t.Errorf("again: got %+v and %v", c, err)
	}
	for _, a := range []*artifact.Artifact{named, locked} {
		if _, err := s.Fetch(t.Context(), "x", "file", a.Root.Digest); err != nil {
			t.Error(err)
		}
	}
	if err := s.Remove("acme/mine"); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove("acme/mine"); !errors.Is(err, artifact.ErrNotFound) {
		t.Errorf("got %v", err)
	}
	if c, err := s.Collect(nil, false); err != nil || len(c.Plugins) != 2 {
		t.Errorf("without names: got %+v and %v", c, err)
	}
}

func TestShelfTogether(t *testing.T) {
	s := shelfOf(t)
	a := pack(t, "one")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := s.Put(a); err != nil {
				t.Error(err)
				return
			}
			if _, err := s.Fetch(t.Context(), "x", "file", a.Root.Digest); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if left, _ := filepath.Glob(filepath.Join(s.Dir, "*", ".new-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
