package coretest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paceline/core/coretest"
)

// caseNames returns the folders with that number.
func caseNames(t *testing.T, number int) []string {
	t.Helper()
	entries, err := os.ReadDir("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), fmt.Sprintf("%02d-", number)) {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestExtract(t *testing.T) {
	c := coretest.LoadCase(t, "41")
	dir := c.Extract(t)
	got, err := os.ReadFile(filepath.Join(dir, "dirty.jsonl"))
	if err != nil || !bytes.Equal(got, c.File(t, "dirty.jsonl")) {
		t.Errorf("extracted %d bytes, %v", len(got), err)
	}
}

func TestGolden(t *testing.T) {
	coretest.Golden(t, "testdata/golden.txt", []byte("line one\nline two\n"))
	if coretest.Updating() {
		return
	}
	other := &recorder{TB: t}
	coretest.Golden(other, "testdata/golden.txt", []byte("line one\nline 2\n"))
	if !strings.Contains(other.text, "line two") {
		t.Errorf("a difference was reported as %q", other.text)
	}
}

// recorder keeps what a helper reports instead of failing the test.
type recorder struct {
	testing.TB
	text string
}

func (r *recorder) Errorf(format string, args ...any) { r.text += fmt.Sprintf(format, args...) }
func (r *recorder) Helper()                           {}
