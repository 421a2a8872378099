package coretest

import (
	"bytes"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Updating reports whether the tests run with -update.
func Updating() bool { return *update }

// Golden compares got with the file, a path relative to the test's package
// (testdata/report.txt), byte for byte. With -update it writes the file.
func Golden(t testing.TB, file string, got []byte) {
	t.Helper()
	if *update {
		if err := writeGolden(file, got); err != nil {
			t.Fatalf("update golden file: %v", err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read golden file (make it with -update): %v", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs (-want +got), rerun with -update if that is right:\n%s",
			file, cmp.Diff(string(want), string(got)))
	}
}

func writeGolden(file string, got []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, got, 0o644)
}

// copyTree writes the plain files of src under dir.
func copyTree(dir string, src fs.FS) error {
	return fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(src, name)
		if err != nil {
			return err
		}
		return writeGolden(filepath.Join(dir, name), data)
	})
}
