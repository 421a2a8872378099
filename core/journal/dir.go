package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
)

// Names of the files of a run.
const (
	RunFile        = "run.json"
	LockFile       = "paceline.lock"
	ContentFile    = "content.jsonl.zst"
	JudgementsFile = "judgements.jsonl.zst"
)

// ErrNotEmpty is why a folder cannot become the folder of a new run.
var ErrNotEmpty = errors.New("folder is not empty")

// Create makes dir the folder of a new run: it is made where it is missing, and refused with ErrNotEmpty where it holds
// anything at all, so that nothing of two runs is ever mixed.
func Create(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create run folder: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("create run folder: %w", err)
	}
	if len(entries) > 0 {
		return fmt.Errorf("create run folder %s: %w (it holds %s): give a new or an empty one", dir, ErrNotEmpty, entries[0].Name())
	}
	return nil
}

// SegmentFile returns the name of the nth segment, counted from 1.
func SegmentFile(n int) string { return fmt.Sprintf("journal-%06d.jsonl.zst", n) }

var segmentName = regexp.MustCompile(`^journal-(\d{6,9})\.jsonl\.zst$`)

// segments lists the numbers of the segments in dir, ascending.
func segments(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("list segments: %w", err)
	}
	var list []int
	for _, e := range entries {
		m := segmentName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		if n, err := strconv.Atoi(m[1]); err == nil && SegmentFile(n) == e.Name() {
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return list, nil
}

// WriteWhole writes a file so that it appears whole or not at all: into a temporary file of the same folder, which is
// synced and renamed. On an error the old file stays as it was and the temporary one is removed; the error names the file.
func WriteWhole(path string, write func(io.Writer) error) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".tmp-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, ignoreMissing(os.Remove(f.Name())))
		}
	}()
	err = errors.Join(write(f), f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// syncDir makes a rename or a new file last. File systems that cannot sync a folder are no error.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync() // not every file system can; the file itself is synced
	return d.Close()
}

// Discard removes a run folder in which nothing was recorded that anyone could want: the files that a new run begins with,
// and the folder where nothing else is in it.
func Discard(dir string) error {
	var errs []error
	for _, name := range []string{SegmentFile(1), ContentFile, RunFile, LockFile} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	_ = os.Remove(dir) // fails where something else is in it, and then it stays
	return errors.Join(errs...)
}
