package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"paceline/plugins/artifact"
	"paceline/plugins/privatedir"
	"paceline/plugins/strict"
)

// Shelf keeps plugins by the digest of their content, in a folder that only its user may enter. Nothing is believed because
// it lies there: bytes are held to their digest whenever they are read. A Shelf may be used by several processes at once.
type Shelf struct {
	Dir string
}

// Schemas of the shelf's own files.
const (
	shelvedSchema = "paceline/shelved/v1"
	nameSchema    = "paceline/installed/v1"
)

// Folders of a shelf.
const (
	blobsFolder   = "blobs"
	shelvedFolder = "artifacts"
	namesFolder   = "names"
)

// maxRecord bounds the shelf's own files.
const maxRecord = 1 << 20

// shelved says what belongs to one plugin: its root, everything below it, and its signatures.
type shelved struct {
	Schema     string                `json:"schema"`
	Root       artifact.Descriptor   `json:"root"`
	Blobs      []artifact.Digest     `json:"blobs"`
	Signatures []artifact.Descriptor `json:"signatures"`
}

// Put keeps a plugin with its signatures; signatures that were known before stay.
func (s *Shelf) Put(a *artifact.Artifact) error {
	if err := s.ready(); err != nil {
		return err
	}
	for _, b := range a.Blobs {
		if err := s.write(filepath.Join(blobsFolder, b.Digest.Hex()), b.Data); err != nil {
			return err
		}
	}
	record := shelved{Schema: shelvedSchema, Root: a.Root, Blobs: []artifact.Digest{}, Signatures: []artifact.Descriptor{}}
	if have, err := s.shelved(a.Root.Digest); err == nil {
		record = *have
	}
	for _, b := range a.Blobs {
		if !slices.Contains(record.Blobs, b.Digest) {
			record.Blobs = append(record.Blobs, b.Digest)
		}
	}
	for _, d := range a.Signatures {
		if !slices.ContainsFunc(record.Signatures, func(h artifact.Descriptor) bool { return h.Digest == d.Digest }) {
			record.Signatures = append(record.Signatures, d)
		}
	}
	slices.SortFunc(record.Blobs, func(x, y artifact.Digest) int { return slices.Compare(x[:], y[:]) })
	slices.SortFunc(record.Signatures, func(x, y artifact.Descriptor) int { return slices.Compare(x.Digest[:], y.Digest[:]) })
	return s.record(recordPath(a.Root.Digest), &record)
}

func recordPath(root artifact.Digest) string {
	return filepath.Join(shelvedFolder, root.Hex()+".json")
}

// Root finds a plugin by the digest of its root. Without it the error is artifact.ErrNotFound.
func (s *Shelf) Root(root artifact.Digest) (artifact.Descriptor, error) {
	record, err := s.shelved(root)
	if err != nil {
		return artifact.Descriptor{}, err
	}
	return record.Root, nil
}

// Blob reads content and holds it to its digest.
func (s *Shelf) Blob(_ context.Context, d artifact.Descriptor) ([]byte, error) {
	data, err := s.read(filepath.Join(blobsFolder, d.Digest.Hex()), d.Size)
	if err != nil {
		return nil, err
	}
	return data, d.Check("plugin store "+s.Dir, data)
}

// Referrers lists the signatures that are kept with a plugin.
func (s *Shelf) Referrers(_ context.Context, root artifact.Descriptor) ([]artifact.Descriptor, error) {
	record, err := s.shelved(root.Digest)
	if err != nil {
		return nil, err
	}
	return record.Signatures, nil
}

func (s *Shelf) shelved(root artifact.Digest) (*shelved, error) {
	var record shelved
	path := recordPath(root)
	if err := s.load(path, &record); err != nil {
		return nil, err
	}
	if record.Schema != shelvedSchema {
		return nil, fmt.Errorf("plugin store %s: schema: found %q, supported %s", filepath.Join(s.Dir, path), record.Schema, shelvedSchema)
	}
	if record.Root.Digest != root {
		return nil, &artifact.MismatchError{What: "plugin store " + filepath.Join(s.Dir, path), Want: root.String(), Found: record.Root.Digest.String()}
	}
	return &record, nil
}

// ready makes the folder, and refuses one that others may enter.
func (s *Shelf) ready() error {
	if s.Dir == "" {
		return errors.New("plugin store: there is no cache folder; set PACELINE_CACHE_DIR")
	}
	for _, dir := range []string{s.Dir, filepath.Join(s.Dir, blobsFolder), filepath.Join(s.Dir, shelvedFolder), filepath.Join(s.Dir, namesFolder)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("plugin store: %w", err)
		}
	}
	return s.private()
}

func (s *Shelf) private() error {
	if err := privatedir.Check(s.Dir); err != nil {
		return fmt.Errorf("plugin store: %w", err)
	}
	return nil
}

// read reads a file of the shelf up to a limit.
func (s *Shelf) read(name string, limit int64) ([]byte, error) {
	if s.Dir == "" {
		return nil, fmt.Errorf("plugin store: %w: there is no cache folder", artifact.ErrNotFound)
	}
	if err := s.private(); err != nil {
		return nil, err
	}
	path := filepath.Join(s.Dir, name)
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("plugin store: %w: %s", artifact.ErrNotFound, path)
	}
	if err != nil {
		return nil, fmt.Errorf("plugin store: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("plugin store: %s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("plugin store: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, fmt.Errorf("plugin store %s: %w", path, err)
	}
	return data, nil
}

func (s *Shelf) load(name string, v any) error {
	data, err := s.read(name, maxRecord)
	if err != nil {
		return err
	}
	if len(data) > maxRecord {
		return fmt.Errorf("plugin store %s: more than %d bytes", filepath.Join(s.Dir, name), maxRecord)
	}
	if err := strict.Decode(data, v); err != nil {
		return fmt.Errorf("plugin store %s: %w", filepath.Join(s.Dir, name), err)
	}
	return nil
}

func (s *Shelf) record(name string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return s.write(name, append(data, '\n'))
}

// write puts a file into its place whole. One that has these bytes already is left alone.
func (s *Shelf) write(name string, data []byte) error {
	path := filepath.Join(s.Dir, name)
	if have, err := s.read(name, int64(len(data))); err == nil && string(have) == string(data) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("plugin store: %w", err)
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), newPrefix)
	if err != nil {
		return fmt.Errorf("plugin store: %w", err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("plugin store: %w", err)
	}
	return nil
}

// newPrefix begins the names of files that are being written.
const newPrefix = ".new-"

// list names the files of one of the shelf's folders, sorted, but for those that are being written.
func (s *Shelf) list(folder string) ([]string, error) {
	if s.Dir == "" {
		return nil, nil
	}
	if err := s.private(); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(filepath.Join(s.Dir, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("plugin store: %w", err)
	}
	var names []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), newPrefix) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}
