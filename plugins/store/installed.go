package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"paceline/core/digest"
	"paceline/plugins/artifact"
)

// Installed is a plugin that was given a name on this machine.
type Installed struct {
	Schema string          `json:"schema"`
	Name   string          `json:"name"`   // source/plugin, as a run file names it
	Source string          `json:"source"` // as a lock names it
	Root   artifact.Digest `json:"root"`
}

// CheckName says whether a plugin may be installed under that name.
func CheckName(name string) error {
	source, plugin, ok := strings.Cut(name, "/")
	if !ok || !isPart(source) || !isPart(plugin) {
		return fmt.Errorf("name %q: SOURCE/PLUGIN is expected, each of a-z, 0-9 and -, starting with a letter", name)
	}
	if source == StdSource {
		return fmt.Errorf("name %q: %s is for the plugins that ship inside the runner", name, StdSource)
	}
	return nil
}

func isPart(s string) bool {
	return s != "" && len(s) <= 64 && s[0] >= 'a' && s[0] <= 'z' && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

func namePath(name string) string {
	return filepath.Join(namesFolder, strings.ReplaceAll(name, "/", "__")+".json")
}

// Install gives a name to a plugin that is on the shelf.
func (s *Shelf) Install(name, source string, root artifact.Digest) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return s.record(namePath(name), &Installed{Schema: nameSchema, Name: name, Source: source, Root: root})
}

// Named finds what is installed under a name. Without it the error is artifact.ErrNotFound.
func (s *Shelf) Named(name string) (*Installed, error) {
	if err := CheckName(name); err != nil {
		return nil, fmt.Errorf("%w: %w", artifact.ErrNotFound, err)
	}
	var in Installed
	if err := s.load(namePath(name), &in); err != nil {
		return nil, err
	}
	if in.Schema != nameSchema || in.Name != name {
		return nil, fmt.Errorf("plugin store %s: it says %q and %q of itself", filepath.Join(s.Dir, namePath(name)), in.Schema, in.Name)
	}
	return &in, nil
}

// Names lists what is installed, sorted.
func (s *Shelf) Names() ([]string, error) {
	files, err := s.list(namesFolder)
	var names []string
	for _, file := range files {
		if name, ok := strings.CutSuffix(strings.Replace(file, "__", "/", 1), ".json"); ok {
			names = append(names, name)
		}
	}
	return names, err
}

// Remove takes a name away; what it named stays until it is collected.
func (s *Shelf) Remove(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	if err := s.private(); err != nil {
		return err
	}
	err := os.Remove(filepath.Join(s.Dir, namePath(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("plugin %s: %w: it is not installed", name, artifact.ErrNotFound)
	}
	return err
}

// Fetch reads a plugin of the shelf for this platform.
func (s *Shelf) Fetch(ctx context.Context, name, source string, root artifact.Digest) (*Module, error) {
	d, err := s.Root(root)
	if err != nil {
		return nil, err
	}
	a, err := artifact.Read(ctx, s, d, artifact.Only(runtime.GOOS, runtime.GOARCH))
	if err != nil {
		return nil, err
	}
	return FromArtifact(name, source, a)
}

// FromArtifact is a plugin as it was read from OCI content. Source is how a lock names where it came from.
func FromArtifact(name, source string, a *artifact.Artifact) (*Module, error) {
	file, data := a.Head()
	path := source + "/" + file
	m := &Module{Name: name, Source: source, Path: path, Bytes: data, Digest: digest.Of(data), Official: true, Envelopes: a.Envelopes, Faults: a.Faults}
	if a.Manifest == nil {
		return m, nil
	}
	if _, ok := a.Manifest.Executable(runtime.GOOS, runtime.GOARCH); !ok {
		return nil, fmt.Errorf("plugin %s (%s): no executable for %s/%s", name, source, runtime.GOOS, runtime.GOARCH)
	}
	m.Native = &Native{Manifest: a.Manifest, Text: data, Path: path, Size: int64(len(data)), SHA256: m.Digest}
	m.Bytes, m.Digest = a.Executable, digest.Of(a.Executable)
	return m, nil
}
