package store

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"

	"paceline/core/digest"
	"paceline/plugins/lock"
)

// Input is an input file, open and digested. Whoever reads it reads this descriptor, and never the path again.
type Input struct {
	Path   string // as given, for messages
	File   *os.File
	Size   int64
	SHA256 digest.SHA256
	info   fs.FileInfo
}

// OpenInput opens a file and digests it through the descriptor. The caller closes it.
func OpenInput(path string) (*Input, error) {
	// Opening a pipe would wait for its other end, so its kind is looked at before, and again on the descriptor.
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("input %s: not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	in, err := digestInput(path, f)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return in, nil
}

func digestInput(path string, f *os.File) (*Input, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("input: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("input %s: not a regular file", path)
	}
	h := sha256.New()
	n, err := io.Copy(h, f)
	if err != nil {
		return nil, fmt.Errorf("input %s: %w", path, err)
	}
	in := &Input{Path: path, File: f, Size: n, SHA256: digest.SHA256(h.Sum(nil)), info: info}
	if n != info.Size() {
		return nil, fmt.Errorf("input %s: it changed while it was read: %d bytes at first, then %d", path, info.Size(), n)
	}
	return in, in.Unchanged()
}

// Unchanged reports, by size and time of change, whether the open file is still what was digested. It cannot see a change
// that puts the time back.
func (in *Input) Unchanged() error {
	now, err := in.File.Stat()
	if err != nil {
		return fmt.Errorf("input %s: %w", in.Path, err)
	}
	if now.Size() != in.info.Size() || !now.ModTime().Equal(in.info.ModTime()) {
		return fmt.Errorf("input %s: the file changed after it was digested", in.Path)
	}
	return nil
}

// Close closes the file.
func (in *Input) Close() error { return in.File.Close() }

// Entry is the input's entry in a lock.
func (in *Input) Entry(component, name string) lock.Input {
	return lock.Input{Component: component, Name: name, Size: in.Size, SHA256: in.SHA256}
}
