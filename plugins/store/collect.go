package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"paceline/plugins/artifact"
)

// Damage is one thing on the shelf that is not as it should be.
type Damage struct {
	What  string // its path, or a name
	Error string
}

// Verify reads everything that is on the shelf and names what does not fit its digest, with the number of things that were
// looked at.
func (s *Shelf) Verify(ctx context.Context) (int, []Damage, error) {
	var bad []Damage
	n := 0
	note := func(what string, err error) {
		if n++; err != nil {
			bad = append(bad, Damage{What: what, Error: err.Error()})
		}
	}
	blobs, err := s.list(blobsFolder)
	if err != nil {
		return 0, nil, err
	}
	for _, file := range blobs {
		note(filepath.Join(s.Dir, blobsFolder, file), s.whole(ctx, file))
	}
	roots, err := s.list(shelvedFolder)
	if err != nil {
		return 0, nil, err
	}
	for _, file := range roots {
		note(filepath.Join(s.Dir, shelvedFolder, file), s.complete(ctx, file))
	}
	names, err := s.Names()
	if err != nil {
		return 0, nil, err
	}
	for _, name := range names {
		in, err := s.Named(name)
		if err == nil {
			_, err = s.Root(in.Root)
		}
		note(name, err)
	}
	return n, bad, ctx.Err()
}

func (s *Shelf) whole(ctx context.Context, file string) error {
	d, err := artifact.ParseDigest("sha256:" + file)
	if err != nil {
		return err
	}
	info, err := os.Lstat(filepath.Join(s.Dir, blobsFolder, file))
	if err != nil {
		return err
	}
	blob := artifact.Descriptor{Digest: d, Size: info.Size()}
	if info.Size() > artifact.MaxExecutable {
		return fmt.Errorf("%d bytes, and at most %d are allowed", info.Size(), artifact.MaxExecutable)
	}
	_, err = s.Blob(ctx, blob)
	return err
}

func (s *Shelf) complete(ctx context.Context, file string) error {
	hex, _ := strings.CutSuffix(file, ".json")
	root, err := artifact.ParseDigest("sha256:" + hex)
	if err != nil {
		return err
	}
	d, err := s.Root(root)
	if err != nil {
		return err
	}
	_, err = artifact.Read(ctx, s, d, func(string, string) bool { return false })
	return err
}

// Collected is what Collect dropped or would drop.
type Collected struct {
	Plugins []string `json:"plugins"` // digests of roots
	Files   int      `json:"files"`
	Bytes   int64    `json:"bytes"`
}

// Collect drops the plugins that no name and no digest of keep refers to: a root's, or that of any of its files. With dry
// nothing is dropped.
func (s *Shelf) Collect(keep map[artifact.Digest]bool, dry bool) (*Collected, error) {
	c := &Collected{Plugins: []string{}}
	if !dry {
		s.sweep()
	}
	wanted, err := s.wanted(keep, c)
	if err != nil {
		return nil, err
	}
	drop := func(folder, file string) error {
		path := filepath.Join(s.Dir, folder, file)
		if info, err := os.Lstat(path); err == nil {
			c.Files++
			c.Bytes += info.Size()
		}
		if dry {
			return nil
		}
		return os.Remove(path)
	}
	for _, root := range c.Plugins { // records first, so that none names what is gone
		if err := drop(shelvedFolder, strings.TrimPrefix(root, "sha256:")+".json"); err != nil {
			return nil, fmt.Errorf("plugin store: %w", err)
		}
	}
	blobs, err := s.list(blobsFolder)
	if err != nil {
		return nil, err
	}
	for _, file := range blobs {
		if d, err := artifact.ParseDigest("sha256:" + file); err == nil && wanted[d] {
			continue
		}
		if err := drop(blobsFolder, file); err != nil {
			return nil, fmt.Errorf("plugin store: %w", err)
		}
	}
	return c, nil
}

// wanted gives the blobs that stay and lists the roots that do not.
func (s *Shelf) wanted(keep map[artifact.Digest]bool, c *Collected) (map[artifact.Digest]bool, error) {
	named := map[artifact.Digest]bool{}
	names, err := s.Names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		in, err := s.Named(name)
		if err != nil {
			return nil, fmt.Errorf("%w; `runner plugin remove %s` takes it away", err, name)
		}
		named[in.Root] = true
	}
	roots, err := s.list(shelvedFolder)
	if err != nil {
		return nil, err
	}
	blobs := map[artifact.Digest]bool{}
	for _, file := range roots {
		hex, _ := strings.CutSuffix(file, ".json")
		root, err := artifact.ParseDigest("sha256:" + hex)
		if err != nil {
			continue
		}
		record, err := s.shelved(root)
		if err != nil || !named[root] && !keep[root] && !anyOf(record.Blobs, keep) {
			c.Plugins = append(c.Plugins, root.String())
			continue
		}
		for _, d := range record.Blobs {
			blobs[d] = true
		}
	}
	return blobs, nil
}

func anyOf(list []artifact.Digest, keep map[artifact.Digest]bool) bool {
	for _, d := range list {
		if keep[d] {
			return true
		}
	}
	return false
}

// Roots lists the digests of all plugins on the shelf.
func (s *Shelf) Roots() ([]artifact.Digest, error) {
	files, err := s.list(shelvedFolder)
	var list []artifact.Digest
	for _, file := range files {
		if d, err := artifact.ParseDigest("sha256:" + strings.TrimSuffix(file, ".json")); err == nil {
			list = append(list, d)
		}
	}
	return list, err
}

// Modules lists the digests of everything on the shelf, so that what was compiled of it can be kept.
func (s *Shelf) Modules() (map[artifact.Digest]bool, error) {
	blobs, err := s.list(blobsFolder)
	all := map[artifact.Digest]bool{}
	for _, file := range blobs {
		if d, err := artifact.ParseDigest("sha256:" + file); err == nil {
			all[d] = true
		}
	}
	return all, err
}

// sweep removes what killed processes were writing.
func (s *Shelf) sweep() {
	const old = time.Hour
	left, _ := filepath.Glob(filepath.Join(s.Dir, "*", newPrefix+"*"))
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && time.Since(info.ModTime()) > old {
			_ = os.Remove(path)
		}
	}
}
