package artifact

import (
	"archive/tar"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// WriteLayout adds the plugin to the layout at path under a tag, which may be empty. A folder is made or added to; a tar file
// must be new. The same plugins in the same layout have the same bytes.
func WriteLayout(path string, a *Artifact, tag string) error {
	var err error
	if strings.HasSuffix(path, ".tar") {
		err = writeTar(path, a, tag)
	} else {
		err = writeFolder(path, a, tag)
	}
	if err != nil {
		return fmt.Errorf("layout %s: %w", path, err)
	}
	return nil
}

// entries are what an index has to name for the plugin.
func (a *Artifact) entries(tag string) []Descriptor {
	root := a.Root
	if tag != "" {
		root.Annotations = map[string]string{annotationTag: tag}
	}
	if a.Manifest != nil {
		root.ArtifactType = typeNative
	}
	list := []Descriptor{root}
	for _, s := range a.Signatures {
		s.ArtifactType = TypeSignature
		list = append(list, s)
	}
	return list
}

// merged adds entries to those of an index: a tag goes on to the newest, and nothing is there twice. Without a tag a plugin that
// is there keeps those that it has.
func merged(have, add []Descriptor) []Descriptor {
	tag := add[0].Annotations[annotationTag]
	list := slices.DeleteFunc(slices.Clone(have), func(d Descriptor) bool { return tag != "" && d.Annotations[annotationTag] == tag })
	for _, d := range add {
		same := func(h Descriptor) bool {
			return h.Digest == d.Digest && (d.Annotations[annotationTag] == "" || h.Annotations[annotationTag] == d.Annotations[annotationTag])
		}
		if !slices.ContainsFunc(list, same) {
			list = append(list, d)
		}
	}
	slices.SortFunc(list, func(x, y Descriptor) int {
		return cmp.Or(cmp.Compare(x.ArtifactType, y.ArtifactType), cmp.Compare(x.Annotations[annotationTag], y.Annotations[annotationTag]),
			slices.Compare(x.Digest[:], y.Digest[:]))
	})
	return list
}

func indexText(list []Descriptor) ([]byte, error) {
	return json.Marshal(document{SchemaVersion: 2, MediaType: typeIndex, Manifests: list})
}

func writeFolder(dir string, a *Artifact, tag string) (err error) {
	var have []Descriptor
	made, err := makeLayout(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil && made {
			_ = os.RemoveAll(dir)
		}
	}()
	if !made {
		l, err := OpenLayout(dir)
		if err != nil {
			return err
		}
		have = l.index.Manifests
		_ = l.Close()
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	if err := root.MkdirAll(blobFolder, 0o755); err != nil {
		return err
	}
	for _, b := range a.Blobs {
		if err := writeBlob(root, b); err != nil {
			return err
		}
	}
	text, err := indexText(merged(have, a.entries(tag)))
	if err != nil {
		return err
	}
	if err := put(root, layoutFile, []byte(layoutVersion)); err != nil {
		return err
	}
	return put(root, indexFile, text)
}

// makeLayout makes the folder if it is not there; one with other things in it is left alone.
func makeLayout(dir string) (made bool, err error) {
	list, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, os.MkdirAll(dir, 0o755)
	case err != nil:
		return false, err
	case len(list) == 0:
		return true, nil
	}
	if _, err := os.Lstat(filepath.Join(dir, layoutFile)); err != nil {
		return false, errors.New("the folder is neither empty nor an OCI layout")
	}
	return false, nil
}

// writeBlob writes a blob unless its bytes are there.
func writeBlob(root *os.Root, b Blob) error {
	name := path.Join(blobFolder, b.Digest.Hex())
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() && info.Size() == b.Size {
		if data, err := root.ReadFile(name); err == nil && DigestOf(data) == b.Digest {
			return nil
		}
	}
	return put(root, name, b.Data)
}

// put writes a file beside its place, syncs it and renames it, so that it is there whole or not at all.
func put(root *os.Root, name string, data []byte) error {
	tmp := name + ".new"
	_ = root.Remove(tmp)
	f, err := root.OpenFile(tmp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(tmp, name)
	}
	if err != nil {
		_ = root.Remove(tmp)
	}
	return err
}

// writeTar writes a new tar file with a fixed time, sorted.
func writeTar(name string, a *Artifact, tag string) error {
	if _, err := os.Lstat(name); err == nil {
		return errors.New("the file is there already")
	}
	text, err := indexText(merged(nil, a.entries(tag)))
	if err != nil {
		return err
	}
	files := map[string][]byte{layoutFile: []byte(layoutVersion), indexFile: text}
	for _, b := range a.Blobs {
		files[path.Join(blobFolder, b.Digest.Hex())] = b.Data
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	err = tarInto(tmp, files)
	if err = errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

func tarInto(w io.Writer, files map[string][]byte) error {
	t := tar.NewWriter(w)
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(files[name])), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(files[name]); err != nil {
			return err
		}
	}
	return t.Close()
}
