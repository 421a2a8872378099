package artifact

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// Bounds of a tar file.
const (
	maxEntries = 10_000
	maxTar     = 2 << 30
)

// tarFile is a layout in a tar file: where each regular file's bytes are.
type tarFile struct {
	file    archive
	entries map[string]span
}

// archive is an open file.
type archive interface {
	io.ReadSeeker
	io.ReaderAt
	io.Closer
}

type span struct{ at, size int64 }

func (t *tarFile) close() error { return t.file.Close() }

func (t *tarFile) open(name string) (io.ReadCloser, int64, error) {
	s, ok := t.entries[name]
	if !ok {
		return nil, 0, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	}
	return io.NopCloser(io.NewSectionReader(t.file, s.at, s.size)), s.size, nil
}

// openTar looks at every entry before anything is read: only folders and regular files may be there, each once, with names
// that stay inside.
func openTar(path string) (*tarFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	t := &tarFile{file: f, entries: map[string]span{}}
	if err == nil {
		err = t.scan(info.Size())
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return t, nil
}

func (t *tarFile) scan(size int64) error {
	if size > maxTar {
		return fmt.Errorf("%d bytes, and at most %d are allowed", size, maxTar)
	}
	r := tar.NewReader(t.file)
	for n := 0; ; n++ {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("not a tar file that can be read: %w", err)
		}
		if n >= maxEntries {
			return fmt.Errorf("more than %d entries", maxEntries)
		}
		if err := t.entry(h, size); err != nil {
			return err
		}
	}
}

func (t *tarFile) entry(h *tar.Header, size int64) error {
	name := strings.TrimSuffix(strings.TrimPrefix(h.Name, "./"), "/")
	if name == "" || name == "." && h.Typeflag == tar.TypeDir {
		return nil
	}
	if !fs.ValidPath(name) || strings.ContainsAny(name, "\\\x00") {
		return fmt.Errorf("entry %q: its name leads out of the archive or is no plain path", cutText(h.Name))
	}
	switch h.Typeflag {
	case tar.TypeDir:
		return nil
	case tar.TypeReg:
	default:
		return fmt.Errorf("entry %q: a link, a device or another thing that is no regular file (type %q)", cutText(h.Name), h.Typeflag)
	}
	if _, twice := t.entries[name]; twice {
		return fmt.Errorf("entry %q: it is there twice", cutText(h.Name))
	}
	at, err := t.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if h.Size < 0 || at+h.Size > size {
		return fmt.Errorf("entry %q: the archive is cut off", cutText(h.Name))
	}
	t.entries[name] = span{at: at, size: h.Size}
	return nil
}
