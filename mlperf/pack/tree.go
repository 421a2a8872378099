package pack

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/mlperf/export"
)

// Names of the evidence.
const (
	EvidenceDir  = "docs/evidence"
	ManifestFile = EvidenceDir + "/manifest.json"
	manifestForm = "paceline/manifest-of-package/v1"
)

// Tree are the files of a package by their slash-separated paths: bytes, or a file elsewhere that is copied.
type Tree map[string]Content

// Content is one of the two.
type Content struct {
	Bytes []byte
	From  string
}

// put adds a file; two different ones of one path are an error.
func (t Tree) put(name string, c Content) error {
	had, ok := t[name]
	if !ok {
		t[name] = c
		return nil
	}
	a, err := had.read()
	if err != nil {
		return err
	}
	b, err := c.read()
	if err != nil {
		return err
	}
	if string(a) != string(b) {
		return fmt.Errorf("%s comes with two different contents", name)
	}
	return nil
}

func (c Content) read() ([]byte, error) {
	if c.From == "" {
		return c.Bytes, nil
	}
	return readSmall(c.From)
}

// Bounds of folders that are copied into a package.
const maxCopied = 10_000

// putFolder adds the regular files of a folder. Links and anything else that is no file are refused.
func (t Tree) putFolder(name, dir string) error {
	n := 0
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is no regular file; a package holds only those", file)
		}
		if n++; n > maxCopied {
			return fmt.Errorf("%s holds more than %d files", dir, maxCopied)
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		return t.put(path.Join(name, filepath.ToSlash(rel)), Content{From: file})
	})
}

// Manifest lists every file of a package but itself.
type Manifest struct {
	Schema string         `json:"schema"`
	Files  []ManifestItem `json:"files"` // by path
}

// ManifestItem is one file.
type ManifestItem struct {
	Path   string        `json:"path"`
	Size   int64         `json:"size"`
	SHA256 digest.SHA256 `json:"sha256"`
}

// write puts the files below dir, which is new, and their manifest last: a package without one is not whole.
func (t Tree) write(dir string) error {
	m := Manifest{Schema: manifestForm, Files: []ManifestItem{}}
	for _, name := range slices.Sorted(maps.Keys(t)) {
		item, err := t[name].write(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		item.Path = name
		m.Files = append(m.Files, item)
	}
	text, err := export.JSON(m)
	if err != nil {
		return err
	}
	_, err = Content{Bytes: text}.write(filepath.Join(dir, filepath.FromSlash(ManifestFile)))
	return err
}

func (c Content) write(file string) (item ManifestItem, err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return item, err
	}
	sum := sha256.New()
	err = journal.WriteWhole(file, func(w io.Writer) error {
		to := io.MultiWriter(w, sum)
		if c.From == "" {
			n, err := to.Write(c.Bytes)
			item.Size = int64(n)
			return err
		}
		from, err := os.Open(c.From)
		if err != nil {
			return err
		}
		defer from.Close()
		item.Size, err = io.Copy(to, from)
		return err
	})
	copy(item.SHA256[:], sum.Sum(nil))
	return item, err
}

// below are the files of a part of the tree, by their paths inside it.
func (t Tree) below(part string) Tree {
	out := Tree{}
	for name, c := range t {
		if rest, ok := strings.CutPrefix(name, part+"/"); ok {
			out[rest] = c
		}
	}
	return out
}
