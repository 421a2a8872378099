package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFilesAreThose holds the files that are checked in against what the generator makes.
func TestFilesAreThose(t *testing.T) {
	for _, f := range files() {
		text, err := os.ReadFile(filepath.Join("..", "files", filepath.FromSlash(f.path)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f.text, string(text)); diff != "" {
			t.Errorf("%s is not what the generator makes: %s", f.path, diff)
		}
	}
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	if err := write(dir, []file{{"a/b.txt", "x"}}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a", "b.txt")); err != nil || string(text) != "x" {
		t.Errorf("got %q, %v", text, err)
	}
}
