package wasmworker

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/cpu"

	"paceline/core/digest"
	"paceline/plugins/privatedir"
)

// cache is the compile cache of one module with one set of settings. An entry is a folder that was made elsewhere and
// renamed into its place, so that it is there whole or not at all, with a file that holds the digest of the others.
type cache struct {
	base   string // empty: no cache
	entry  string
	module digest.SHA256
}

// sumFile holds the digest of an entry's other files, moduleFile that of the module that was compiled.
const (
	sumFile    = "sha256"
	moduleFile = "module"
)

// openCache finds the entry's place. Without a usable folder the cache is off.
func openCache(req Load) *cache {
	if req.CacheDir == "" || req.Mode == Interpreter {
		return &cache{}
	}
	key := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s %s\x00%s/%s\x00%+v %+v\x00%s\x00%d",
		req.Digest, EngineName, EngineVersion, runtime.GOOS, runtime.GOARCH, cpu.X86, cpu.ARM64, req.Mode, req.MemoryPages))
	return &cache{base: req.CacheDir, entry: filepath.Join(req.CacheDir, hex.EncodeToString(key[:])), module: req.Digest}
}

// lookup tells whether the entry is there and whole, and drops one that is not.
func (c *cache) lookup(loaded *Loaded) (string, bool) {
	if c.base == "" {
		return "", false
	}
	if err := privatedir.Check(c.base); err != nil {
		c.off(loaded, err)
		return "", false
	}
	want, err := os.ReadFile(filepath.Join(c.entry, sumFile))
	if err != nil {
		if _, err := os.Lstat(c.entry); err == nil {
			c.drop(loaded, "it has no digest")
		}
		return "", false
	}
	got, err := entrySum(c.entry, c.key())
	if err != nil || got != string(want) {
		c.drop(loaded, "its digest does not fit its bytes")
		return "", false
	}
	loaded.Cache = CacheHit
	return c.entry, true
}

// prepare makes a folder for a new entry.
func (c *cache) prepare(loaded *Loaded) (string, bool) {
	if c.base == "" {
		return "", false
	}
	if err := os.MkdirAll(c.base, 0o700); err != nil {
		c.off(loaded, err)
		return "", false
	}
	if err := privatedir.Check(c.base); err != nil {
		c.off(loaded, err)
		return "", false
	}
	c.sweep()
	dir, err := os.MkdirTemp(c.base, "new-")
	if err != nil {
		c.off(loaded, err)
		return "", false
	}
	return dir, true
}

// sweep removes what killed workers left behind.
func (c *cache) sweep() {
	const old = time.Hour
	entries, _ := os.ReadDir(c.base)
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "new-") && !strings.HasPrefix(e.Name(), "old-") {
			continue
		}
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > old {
			_ = os.RemoveAll(filepath.Join(c.base, e.Name()))
		}
	}
}

// store puts a filled folder into its place. Where another process was faster, its entry stays.
func (c *cache) store(dir string, loaded *Loaded) {
	err := os.WriteFile(filepath.Join(dir, moduleFile), []byte(c.module.String()), 0o600)
	var sum string
	if err == nil {
		sum, err = entrySum(dir, c.key())
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, sumFile), []byte(sum), 0o600)
	}
	if err == nil {
		err = os.Rename(dir, c.entry)
	}
	if err != nil {
		c.abandon(dir)
		if _, there := os.Lstat(c.entry); there != nil {
			c.off(loaded, err)
			return
		}
	}
	if loaded.Cache == "" {
		loaded.Cache = CacheMiss
	}
}

// abandon removes a folder that did not become an entry.
func (c *cache) abandon(dir string) { _ = os.RemoveAll(dir) }

// drop removes an entry that cannot be used: out of its place first, so that no other process finds half of it.
func (c *cache) drop(loaded *Loaded, why string) {
	loaded.Cache, loaded.Note = CacheDamaged, "compile cache: an entry was made anew: "+why
	trash, err := os.MkdirTemp(c.base, "old-")
	if err != nil {
		c.off(loaded, err)
		c.base = ""
		return
	}
	_ = os.Rename(c.entry, filepath.Join(trash, "entry"))
	_ = os.RemoveAll(trash)
}

func (c *cache) off(loaded *Loaded, err error) {
	loaded.Cache, loaded.Note = CacheOff, "compile cache: not used: "+err.Error()
	c.base = ""
}

// key names the entry, so that an entry that was copied to another place does not fit there.
func (c *cache) key() string { return filepath.Base(c.entry) }

// entrySum digests the entry's name and the names and bytes of its files, the sum file apart.
func entrySum(dir, key string) (string, error) {
	h := sha256.New()
	_, _ = io.WriteString(h, key+"\n")
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if !d.Type().IsRegular() {
			return fmt.Errorf("%s is no regular file", path)
		}
		names = append(names, path)
		return nil
	})
	if err != nil {
		return "", err
	}
	slices.Sort(names)
	for _, name := range names {
		rel := strings.TrimPrefix(name, dir)
		if rel == string(filepath.Separator)+sumFile {
			continue
		}
		if err := sumInto(h, name, rel); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func sumInto(h io.Writer, name, rel string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(h, "%q %d\n", rel, info.Size())
	_, err = io.Copy(h, f)
	return err
}
