package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"

	"paceline/core/digest"
	"paceline/plugins/lock"
)

// maxModule bounds a module's bytes.
const maxModule = 256 << 20

// Store finds plugins. It holds nothing open and may be used concurrently.
type Store struct {
	// Std holds the shipped modules: NAME.wasm.zst and NAME.wasm.sha256, at the top or in a folder NAME.
	Std fs.FS
	// Dev takes a file for a plugin of that name, past the lock; such a plugin is not official.
	Dev map[string]string
}

// Module is a plugin's module as it was read.
type Module struct {
	Name     string // canonical
	Source   string // std, or file
	Path     string // of the file, or of the module inside the runner
	Bytes    []byte
	Digest   digest.SHA256 // of Bytes
	Native   *Native       // nil: a wasm module
	Official bool          // false: a file of Dev

	Envelopes [][]byte // signatures that came with it, not checked yet
	Faults    []error  // what is wrong with signatures that were left out
}

// NotFoundError says that there is no such plugin.
type NotFoundError struct {
	Name  string
	Known []string // the plugins of std
}

// Error names what there is.
func (e *NotFoundError) Error() string {
	return fmt.Sprintf("no plugin %s; shipped ones: %s; a file is named by its path, ending in .wasm", e.Name, strings.Join(e.Known, ", "))
}

// Fetch reads the module of a plugin.
func (s *Store) Fetch(plugin string) (*Module, error) {
	name := Canonical(plugin)
	for dev, path := range s.Dev {
		if Canonical(dev) == name {
			m, err := fetchFile(name, path)
			if err != nil {
				return nil, err
			}
			m.Official = false
			return m, nil
		}
	}
	if IsFile(name) {
		return fetchFile(name, name)
	}
	source, short, _ := strings.Cut(name, "/")
	if source != StdSource || s.Std == nil {
		return nil, &NotFoundError{Name: name, Known: s.Shipped()}
	}
	return s.fetchStd(name, short)
}

func fetchFile(name, path string) (*Module, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("plugin %s: %w", name, err)
	}
	defer f.Close()
	data, err := readAll(f, "plugin "+name)
	if err != nil {
		return nil, err
	}
	if !bytes.HasPrefix(data, []byte(wasmMagic)) {
		if m, err := fetchNative(name, path, data); m != nil || err != nil {
			if m != nil {
				m.readSignatures(m.Native.Path)
			}
			return m, err
		}
	}
	m := &Module{Name: name, Source: FileSource, Path: path, Bytes: data, Digest: digest.Of(data), Official: true}
	m.readSignatures(path)
	return m, nil
}

func readAll(r io.Reader, what string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxModule+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if len(data) > maxModule {
		return nil, fmt.Errorf("%s: more than %d bytes", what, maxModule)
	}
	return data, nil
}

// fetchStd unpacks a shipped module and holds it to the digest that ships with it.
func (s *Store) fetchStd(name, short string) (*Module, error) {
	packed, path, err := s.readStd(short, ".wasm.zst")
	if err != nil {
		return nil, err
	}
	sum, _, err := s.readStd(short, ".wasm.sha256")
	if err != nil {
		return nil, err
	}
	d, err := zstd.NewReader(bytes.NewReader(packed), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxModule))
	if err != nil {
		return nil, fmt.Errorf("plugin %s: %w", name, err)
	}
	defer d.Close()
	data, err := readAll(d, "plugin "+name)
	if err != nil {
		return nil, err
	}
	var want digest.SHA256
	first, _, _ := strings.Cut(strings.TrimSpace(string(sum)), " ")
	if err := want.UnmarshalText([]byte(first)); err != nil {
		return nil, fmt.Errorf("plugin %s: the digest that ships with it cannot be read: %w", name, err)
	}
	if found := digest.Of(data); found != want {
		return nil, fmt.Errorf("plugin %s: %s has sha256 %s, and %s ships with it", name, path, found, want)
	}
	return &Module{Name: name, Source: StdSource, Path: path, Bytes: data, Digest: want, Official: true}, nil
}

func (s *Store) readStd(short, suffix string) (data []byte, path string, err error) {
	if !fs.ValidPath(short) || strings.Contains(short, "/") {
		return nil, "", &NotFoundError{Name: StdSource + "/" + short, Known: s.Shipped()}
	}
	for _, path := range []string{short + suffix, short + "/" + short + suffix} {
		data, err = fs.ReadFile(s.Std, path)
		if err == nil {
			return data, path, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", fmt.Errorf("plugin %s/%s: %w", StdSource, short, err)
		}
	}
	return nil, "", &NotFoundError{Name: StdSource + "/" + short, Known: s.Shipped()}
}

// Shipped lists the canonical names of the plugins that ship inside the runner, sorted.
func (s *Store) Shipped() []string {
	if s.Std == nil {
		return nil
	}
	var names []string
	_ = fs.WalkDir(s.Std, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // what cannot be read is not there
		}
		if name, ok := strings.CutSuffix(d.Name(), ".wasm.zst"); ok && (path == d.Name() || path == name+"/"+d.Name()) {
			names = append(names, StdSource+"/"+name)
		}
		return nil
	})
	return names
}

// Entry is the module's entry in a lock.
func (m *Module) Entry(version string, granted []lock.Capability, limits lock.Limits) lock.Plugin {
	if m.Native != nil {
		return lock.Plugin{Name: m.Name, Source: m.Source, Version: version, Native: true, Granted: granted, Limits: limits.WithDefaults(),
			Official: m.Official, Files: m.Native.files()}
	}
	return lock.Plugin{Name: m.Name, Source: m.Source, Version: version, Granted: granted, Limits: limits.WithDefaults(), Official: m.Official,
		Files: []lock.File{{Name: filepath.Base(strings.TrimSuffix(m.Path, ".zst")), Size: int64(len(m.Bytes)), SHA256: m.Digest}}}
}
