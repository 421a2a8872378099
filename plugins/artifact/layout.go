package artifact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Files of a layout.
const (
	layoutFile    = "oci-layout"
	indexFile     = "index.json"
	blobFolder    = "blobs/sha256"
	layoutVersion = `{"imageLayoutVersion":"1.0.0"}`
)

// Layout is an OCI layout, open for reading: a folder or a tar file. Links, devices and names that lead out of it are
// refused.
type Layout struct {
	path  string
	files opener
	index document
}

// opener opens the regular files of a layout by their names with slashes.
type opener interface {
	open(name string) (r io.ReadCloser, size int64, err error)
	close() error
}

// OpenLayout opens the layout at path. It must be closed.
func OpenLayout(path string) (*Layout, error) {
	files, err := openFiles(path)
	if err != nil {
		return nil, fmt.Errorf("layout %s: %w", path, err)
	}
	return newLayout(path, files)
}

func newLayout(path string, files opener) (*Layout, error) {
	l := &Layout{path: path, files: files}
	if err := l.readIndex(); err != nil {
		_ = files.close()
		return nil, fmt.Errorf("layout %s: %w", path, err)
	}
	return l, nil
}

func openFiles(path string) (opener, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		root, err := os.OpenRoot(path)
		return folder{root}, err
	case info.Mode().IsRegular():
		return openTar(path)
	}
	return nil, errors.New("neither a folder nor a tar file")
}

func (l *Layout) readIndex() error {
	text, err := l.read(layoutFile, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("not an OCI layout: it has no file " + layoutFile)
	}
	if err != nil {
		return err
	}
	var version struct {
		Version string `json:"imageLayoutVersion"`
	}
	if err := json.Unmarshal(text, &version); err != nil || version.Version != "1.0.0" {
		return fmt.Errorf("%s: found %q, supported %s", layoutFile, cutText(string(text)), layoutVersion)
	}
	if text, err = l.read(indexFile, MaxManifest); err != nil {
		return err
	}
	doc, err := parseDocument(text)
	if err != nil {
		return fmt.Errorf("%s: %w", indexFile, err)
	}
	l.index = *doc
	return nil
}

// read reads one file whole, up to a limit.
func (l *Layout) read(name string, limit int64) ([]byte, error) {
	r, size, err := l.files.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if size > limit {
		return nil, fmt.Errorf("%s: %d bytes, and at most %d are allowed", name, size, limit)
	}
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: more than %d bytes", name, limit)
	}
	return data, nil
}

// Close closes the layout.
func (l *Layout) Close() error { return l.files.close() }

// Resolve finds what is meant by a tag, a digest, or nothing, which means the only plugin that is there.
func (l *Layout) Resolve(_ context.Context, want string) (Descriptor, error) {
	var found []Descriptor
	var tags []string
	d, notDigest := ParseDigest(want)
	for _, m := range l.index.Manifests {
		tag := m.Annotations[annotationTag]
		if tag != "" {
			tags = append(tags, strconv.Quote(cutText(tag)))
		}
		switch {
		case notDigest == nil && m.Digest == d:
			return m, nil
		case want != "" && tag == want, want == "" && m.ArtifactType != TypeSignature:
			if !slices.ContainsFunc(found, func(have Descriptor) bool { return have.Digest == m.Digest }) {
				found = append(found, m)
			}
		}
	}
	switch {
	case notDigest == nil:
		return l.unlisted(d)
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return Descriptor{}, fmt.Errorf("layout %s: %w: tag %q; it has %s", l.path, ErrNotFound, want, listOr(tags, "no tags"))
	}
	return Descriptor{}, fmt.Errorf("layout %s: several plugins are meant by %q; name one: %s", l.path, want, listOr(tags, "by its digest"))
}

func listOr(list []string, otherwise string) string {
	if len(list) == 0 {
		return otherwise
	}
	slices.Sort(list)
	return strings.Join(list[:min(len(list), 20)], ", ")
}

// unlisted finds a manifest that the index does not name, e.g. since its tag went on to another.
func (l *Layout) unlisted(d Digest) (Descriptor, error) {
	data, err := l.read(path.Join(blobFolder, d.Hex()), MaxManifest)
	if errors.Is(err, fs.ErrNotExist) {
		return Descriptor{}, fmt.Errorf("layout %s: %w: %s; it has %s", l.path, ErrNotFound, d, listOr(l.digests(), "no plugin"))
	}
	if err != nil {
		return Descriptor{}, fmt.Errorf("layout %s: %w", l.path, err)
	}
	return Descriptor{Digest: d, Size: int64(len(data))}, nil
}

func (l *Layout) digests() (list []string) {
	for _, m := range l.index.Manifests {
		if m.ArtifactType != TypeSignature {
			list = append(list, m.Digest.String())
		}
	}
	return list
}

// Blob reads content; its bytes are those of the descriptor.
func (l *Layout) Blob(_ context.Context, d Descriptor) ([]byte, error) {
	data, err := l.read(path.Join(blobFolder, d.Digest.Hex()), d.Size)
	if err != nil {
		return nil, fmt.Errorf("layout %s: %w", l.path, err)
	}
	return data, d.Check(fmt.Sprintf("layout %s: blob", l.path), data)
}

// Referrers lists the signatures over root that the index names.
func (l *Layout) Referrers(ctx context.Context, root Descriptor) ([]Descriptor, error) {
	var list []Descriptor
	for _, m := range l.index.Manifests {
		if m.ArtifactType != TypeSignature {
			continue
		}
		if err := m.within("signature", MaxManifest); err != nil {
			return nil, err
		}
		data, err := l.Blob(ctx, m)
		if err != nil {
			return nil, err
		}
		if doc, err := parseDocument(data); err == nil && doc.Subject != nil && doc.Subject.Digest == root.Digest {
			list = append(list, Descriptor{MediaType: m.MediaType, Digest: m.Digest, Size: m.Size, ArtifactType: m.ArtifactType})
		}
	}
	return list, nil
}

// folder is a layout in a folder.
type folder struct{ root *os.Root }

func (f folder) close() error { return f.root.Close() }

func (f folder) open(name string) (io.ReadCloser, int64, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, fmt.Errorf("%s: not a regular file", name)
	}
	file, err := f.root.Open(name)
	if err != nil {
		return nil, 0, err
	}
	return file, info.Size(), nil
}
