package wasmworker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"paceline/core/digest"
	"paceline/plugins/privatedir"
)

// CollectCache drops the compiled code of modules that keep does not want, and entries that do not say whose they are. It gives
// the number of entries and their bytes; with dry nothing is dropped. A worker that was about to read an entry compiles anew.
func CollectCache(dir string, keep func(digest.SHA256) bool, dry bool) (entries int, size int64, err error) {
	if err := privatedir.Check(dir); err != nil {
		return 0, 0, fmt.Errorf("compile cache: %w", err)
	}
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, fmt.Errorf("compile cache: %w", err)
	}
	for _, e := range list {
		if !e.IsDir() || strings.HasPrefix(e.Name(), "new-") || strings.HasPrefix(e.Name(), "old-") {
			continue // workers sweep these
		}
		c := &cache{base: dir, entry: filepath.Join(dir, e.Name())}
		text, err := os.ReadFile(filepath.Join(c.entry, moduleFile))
		var module digest.SHA256
		if err == nil && module.UnmarshalText(text) == nil && keep(module) {
			continue
		}
		entries++
		size += sizeOf(c.entry)
		if !dry {
			c.drop(&Loaded{}, "")
		}
	}
	return entries, size, nil
}

func sizeOf(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			if info, err := d.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}
