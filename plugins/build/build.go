package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"paceline/core/digest"
	"paceline/plugins/lock"
)

// MaxSize bounds a plugin's file in bytes, as the host does that loads it.
const MaxSize = 256 << 20

// ManifestFile is the manifest's source in a project's folder.
const ManifestFile = "manifest.json"

// Options say what is built.
type Options struct {
	Dir  string // of the project; it has a manifest.json
	Lang Lang   // Auto: by the files of the folder
	Out  string // file to write; empty: named after the plugin, in Dir
}

// Result is a plugin that was built.
type Result struct {
	Name     string        `json:"name"`
	Version  string        `json:"version"`
	Language Lang          `json:"language"`
	File     string        `json:"file"`
	Size     int64         `json:"size"`
	SHA256   digest.SHA256 `json:"sha256"`
	Native   bool          `json:"native"` // an executable; its manifest is beside it
}

// Build builds a project into one file, which appears whole or not at all.
func Build(ctx context.Context, o Options) (*Result, error) {
	lang, err := o.language()
	if err != nil {
		return nil, err
	}
	if lang == Python {
		return buildPython(ctx, o)
	}
	source, manifest, err := readManifest(o.Dir)
	if err != nil {
		return nil, err
	}
	module, err := Compile(ctx, o.Dir, lang, "")
	if err != nil {
		return nil, err
	}
	whole, _, err := lock.Annotate(module, source)
	if err != nil {
		return nil, fmt.Errorf("what was built is no plugin: %w", err)
	}
	if len(whole) > MaxSize {
		return nil, fmt.Errorf("the module has %d bytes, and %d are allowed", len(whole), MaxSize)
	}
	r := &Result{Name: manifest.Name, Version: manifest.Version, Language: lang, File: o.Out, Size: int64(len(whole)), SHA256: digest.Of(whole)}
	if r.File == "" {
		r.File = filepath.Join(o.Dir, manifest.Name+".wasm")
	}
	return r, writeWhole(r.File, whole)
}

func (o Options) language() (Lang, error) {
	info, err := os.Stat(o.Dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", o.Dir)
	}
	if o.Lang != Auto {
		return o.Lang, nil
	}
	return Detect(o.Dir)
}

// readManifest reads a project's manifest as it is written, and what it says.
func readManifest(dir string) ([]byte, *lock.Manifest, error) {
	file := filepath.Join(dir, ManifestFile)
	source, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%s: a plugin's project has a manifest, as schemas/manifest/v1 describes it: %w", file, fs.ErrNotExist)
	}
	if err != nil {
		return nil, nil, err
	}
	m, err := lock.ParseManifest(source)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	return source, m, nil
}

// Compile builds a project's module without its manifest. cache is the build cache of Go; empty: the usual one.
func Compile(ctx context.Context, dir string, lang Lang, cache string) ([]byte, error) {
	switch lang {
	case Go:
		return CompileGo(ctx, dir, cache)
	case Rust:
		return compileRust(ctx, dir)
	case C:
		return compileC(ctx, dir)
	case AssemblyScript:
		return compileAssemblyScript(ctx, dir)
	}
	return nil, fmt.Errorf("%s is not built into a module", lang)
}

// writeWhole writes a file that appears whole or not at all.
func writeWhole(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
