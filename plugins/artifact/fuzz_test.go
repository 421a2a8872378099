package artifact_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"paceline/plugins/artifact"
)

// memory is a source that holds what the fuzzer gives, and the blobs of a good plugin.
type memory map[artifact.Digest][]byte

func (m memory) Blob(_ context.Context, d artifact.Descriptor) ([]byte, error) {
	data, ok := m[d.Digest]
	if !ok {
		return nil, artifact.ErrNotFound
	}
	return data, nil
}

func (m memory) Referrers(context.Context, artifact.Descriptor) ([]artifact.Descriptor, error) {
	return nil, nil
}

// FuzzRead reads whatever stands where a manifest should. What is taken has exactly the promised bytes.
func FuzzRead(f *testing.F) {
	m := memory{}
	for _, a := range []*artifact.Artifact{wasm(f), native(f)} {
		for _, b := range a.Blobs {
			m[b.Digest] = b.Data
			f.Add(b.Data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		root := artifact.Descriptor{Digest: artifact.DigestOf(data), Size: int64(len(data))}
		all := memory{root.Digest: data}
		for d, b := range m {
			all[d] = b
		}
		a, err := artifact.Read(t.Context(), all, root, artifact.EveryPlatform)
		if err != nil {
			return
		}
		for _, b := range a.Blobs {
			if err := b.Check("blob", b.Data); err != nil {
				t.Error(err)
			}
		}
		if a.Root.Digest != root.Digest || len(a.Blobs) < 3 {
			t.Errorf("got %d blobs of %v", len(a.Blobs), a.Root)
		}
	})
}

// FuzzLayout opens whatever stands where a tar file should.
func FuzzLayout(f *testing.F) {
	path := filepath.Join(f.TempDir(), "good.tar")
	if err := artifact.WriteLayout(path, wasm(f), "1"); err != nil {
		f.Fatal(err)
	}
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:1000])
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := artifact.OpenTar(data)
		if err != nil {
			return
		}
		defer l.Close()
		if root, err := l.Resolve(t.Context(), ""); err == nil {
			_, _ = artifact.Read(t.Context(), l, root, artifact.EveryPlatform)
		}
	})
}

// FuzzParseRef: what is taken means the same when it is written and read again.
func FuzzParseRef(f *testing.F) {
	for _, text := range []string{"oci://h:5/a/b:1", "./dir:1", "x.tar", "oci://h/a@" + artifact.DigestOf(nil).String()} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := artifact.ParseRef(text)
		if err != nil || !r.Remote() {
			return
		}
		again, err := artifact.ParseRef(r.Pinned(artifact.DigestOf(nil)))
		if err != nil || again.Repository != r.Repository || again.Tag != r.Tag {
			t.Errorf("%q: got %+v, then %+v, %v", text, r, again, err)
		}
	})
}
