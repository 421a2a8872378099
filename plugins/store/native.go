package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"paceline/core/digest"
	"paceline/plugins/lock"
)

// wasmMagic begins every wasm module.
const wasmMagic = "\x00asm"

// manifestSuffix is how the name of a native plugin's manifest ends; it lies beside the executable.
const manifestSuffix = ".manifest.json"

// Native is what a native plugin has beside its executable.
type Native struct {
	Manifest *lock.Manifest
	Text     []byte // of the manifest
	Path     string // of the manifest
	Size     int64
	SHA256   digest.SHA256 // of the manifest's bytes
}

// fetchNative reads a native plugin from the path of its executable, whose bytes are given, or of its manifest. A file
// without a manifest beside it is no native plugin: nil.
func fetchNative(name, path string, data []byte) (*Module, error) {
	text, at := data, path
	isManifest := strings.HasSuffix(path, manifestSuffix)
	if !isManifest {
		at = strings.TrimSuffix(path, ".exe") + manifestSuffix
		f, err := os.Open(at)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil //nolint:nilnil // some other file
		}
		if err != nil {
			return nil, fmt.Errorf("plugin %s: %w", name, err)
		}
		defer f.Close()
		if text, err = readAll(f, "manifest "+at); err != nil {
			return nil, err
		}
	}
	manifest, err := lock.ParseManifest(text)
	if err != nil {
		return nil, fmt.Errorf("plugin %s (%s): %w", name, at, err)
	}
	said, ok := manifest.Executable(runtime.GOOS, runtime.GOARCH)
	if !ok {
		return nil, fmt.Errorf("plugin %s (%s): no executable for %s/%s", name, at, runtime.GOOS, runtime.GOARCH)
	}
	executable := filepath.Join(filepath.Dir(at), said.File)
	if isManifest {
		f, err := os.Open(executable)
		if err != nil {
			return nil, fmt.Errorf("plugin %s: %w", name, err)
		}
		defer f.Close()
		if data, err = readAll(f, "plugin "+name); err != nil {
			return nil, err
		}
	} else if filepath.Base(path) != said.File {
		return nil, fmt.Errorf("plugin %s: the manifest beside %s names the executable %s for %s/%s", name, path, said.File, runtime.GOOS, runtime.GOARCH)
	}
	return &Module{Name: name, Source: FileSource, Path: executable, Bytes: data, Digest: digest.Of(data), Official: true,
		Native: &Native{Manifest: manifest, Text: text, Path: at, Size: int64(len(text)), SHA256: digest.Of(text)}}, nil
}

// files are the manifest and the executables of all platforms, so that a lock holds on each of them.
func (n *Native) files() []lock.File {
	list := []lock.File{{Name: filepath.Base(n.Path), Size: n.Size, SHA256: n.SHA256}}
	for _, e := range n.Manifest.Native {
		list = append(list, lock.File{Name: e.OS + "/" + e.Arch + "/" + e.File, Size: e.Size, SHA256: e.SHA256})
	}
	slices.SortFunc(list, func(a, b lock.File) int { return cmp.Compare(a.Name, b.Name) })
	return list
}
