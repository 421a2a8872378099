package recompute

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"paceline/core/digest"
	"paceline/core/journal"
	"paceline/mlperf/describe"
	"paceline/mlperf/pack"
)

// Bundle is a package on disk.
type Bundle struct {
	Root string // of the submission
	Meta *pack.Meta
}

// Open finds the package at dir, or the one below it.
func Open(dir string) (*Bundle, error) {
	for _, pattern := range []string{"", "*", "*/*"} {
		list, err := filepath.Glob(filepath.Join(dir, pattern, filepath.FromSlash(pack.MetaFile)))
		if err != nil {
			return nil, fmt.Errorf("look for a package in %s: %w", dir, err)
		}
		if len(list) > 1 {
			return nil, fmt.Errorf("%s holds %d packages; name one of them", dir, len(list))
		}
		if len(list) == 1 {
			return read(strings.TrimSuffix(list[0], string(filepath.Separator)+filepath.FromSlash(pack.MetaFile)))
		}
	}
	return nil, fmt.Errorf("%s is no package of Paceline's: it has no %s", dir, pack.MetaFile)
}

func read(root string) (*Bundle, error) {
	b := &Bundle{Root: root}
	text, err := os.ReadFile(b.path(pack.MetaFile))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &b.Meta); err != nil {
		return nil, fmt.Errorf("read %s: %w", b.path(pack.MetaFile), err)
	}
	if b.Meta == nil || b.Meta.Client == pack.ClientPaceline && (b.Meta.Seeds == nil || b.Meta.Cohort == nil) {
		return nil, fmt.Errorf("read %s: it does not tell cohort and seeds", b.path(pack.MetaFile))
	}
	return b, nil
}

func (b *Bundle) path(name string) string { return filepath.Join(b.Root, filepath.FromSlash(name)) }

// Dir is the folder of a point's evidence, which is a run folder without its content store.
func (b *Bundle) Dir(concurrency int) string {
	return b.path(fmt.Sprintf("%s/r%d", pack.EvidenceDir, concurrency))
}

// Plugin is the file of a sandboxed plugin in the package; empty: it is not there.
func (b *Bundle) Plugin(sum digest.SHA256) string {
	file := b.path(pack.PluginFile(sum))
	if _, err := os.Stat(file); err != nil {
		return ""
	}
	return file
}

// describe reads the description of the system.
func (b *Bundle) describe() (*describe.Description, error) {
	return describe.Read(b.path(pack.SystemFile))
}

// digests holds every file to the manifest, in the manifest's order, and lists files that it does not have.
func (b *Bundle) digests() ([]File, error) {
	text, err := os.ReadFile(b.path(pack.ManifestFile))
	if err != nil {
		return nil, fmt.Errorf("the package is not whole: %w", err)
	}
	var m pack.Manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, fmt.Errorf("read %s: %w", pack.ManifestFile, err)
	}
	listed := map[string]bool{pack.ManifestFile: true}
	var out []File
	for _, item := range m.Files {
		if !filepath.IsLocal(filepath.FromSlash(item.Path)) {
			return nil, fmt.Errorf("read %s: path %q lies outside of the package", pack.ManifestFile, item.Path)
		}
		listed[item.Path] = true
		if f := b.digest(item); f != nil {
			out = append(out, *f)
		}
	}
	err = filepath.WalkDir(b.Root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(b.Root, file)
		if name := filepath.ToSlash(rel); err == nil && !listed[name] {
			out = append(out, File{Path: name, State: Differs, Why: "the manifest does not list it"})
		}
		return err
	})
	return out, err
}

// digest compares one file; nil: it is as the manifest says.
func (b *Bundle) digest(item pack.ManifestItem) *File {
	data, err := os.ReadFile(b.path(item.Path))
	if errors.Is(err, fs.ErrNotExist) {
		return &File{Path: item.Path, State: Missing, Why: "the manifest lists it"}
	}
	if err != nil {
		return &File{Path: item.Path, State: Differs, Why: err.Error()}
	}
	sum := digest.Of(data)
	if sum == item.SHA256 {
		return nil
	}
	f := &File{Path: item.Path, State: Differs, Why: fmt.Sprintf("its sha256 is %s, the manifest has %s", sum, item.SHA256)}
	if strings.HasSuffix(item.Path, ".jsonl.zst") {
		f.At = damage(b.path(item.Path))
	}
	return f
}

// damage finds the first place of a journal's file that cannot be read; empty: all of it can.
func damage(file string) string {
	records := 0
	for _, err := range journal.Lines(file) {
		if d, hurt := errors.AsType[*journal.Damage](err); hurt {
			return fmt.Sprintf("after record %d, in the frame at byte %d: %s", records, d.Offset, d.Reason)
		}
		if err != nil {
			return err.Error()
		}
		records++
	}
	return ""
}
