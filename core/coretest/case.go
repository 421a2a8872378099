package coretest

import (
	"embed"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"
)

//go:embed testdata/engines
var engines embed.FS

//go:embed testdata/cases
var cases embed.FS

// Case is one folder of testdata/cases: a stream, a data set or a server's
// script, and what a right client makes of it.
type Case struct {
	Name string
	FS   fs.FS
}

// LoadCase returns the case of that name, or the only one whose name starts with
// it: "12" or "12-cut-stream-keeps-evidence".
func LoadCase(t testing.TB, name string) Case {
	t.Helper()
	entries, err := cases.ReadDir("testdata/cases")
	if err != nil {
		t.Fatalf("list cases: %v", err)
	}
	for _, e := range entries {
		if e.Name() == name || strings.HasPrefix(e.Name(), name+"-") {
			sub, err := fs.Sub(cases, path.Join("testdata/cases", e.Name()))
			if err != nil {
				t.Fatalf("open case %s: %v", e.Name(), err)
			}
			return Case{Name: e.Name(), FS: sub}
		}
	}
	t.Fatalf("no case %q under core/coretest/testdata/cases", name)
	return Case{}
}

// File returns the bytes of one of the case's files.
func (c Case) File(t testing.TB, name string) []byte {
	t.Helper()
	data, err := fs.ReadFile(c.FS, name)
	if err != nil {
		t.Fatalf("case %s: %v", c.Name, err)
	}
	return data
}

// Decode reads one of the case's JSON files into v. Fields that v lacks are
// ignored.
func (c Case) Decode(t testing.TB, name string, v any) {
	t.Helper()
	if err := json.Unmarshal(c.File(t, name), v); err != nil {
		t.Fatalf("case %s: read %s: %v", c.Name, name, err)
	}
}

// Extract writes the case's files into a new temporary folder and returns it,
// for code that wants paths.
func (c Case) Extract(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := copyTree(dir, c.FS); err != nil {
		t.Fatalf("case %s: extract: %v", c.Name, err)
	}
	return dir
}

// Script reads the case's server.json.
func (c Case) Script(t testing.TB) *Script {
	t.Helper()
	return c.ScriptOf(t, "replies")
}

// ScriptOf reads server.json with the replies under another key, for cases that
// hold several servers ("run1", "run2").
func (c Case) ScriptOf(t testing.TB, key string) *Script {
	t.Helper()
	script, err := ParseScript(c.File(t, "server.json"), key, func(name string) ([]byte, error) {
		return fs.ReadFile(c.FS, name)
	})
	if err != nil {
		t.Fatalf("case %s: %v", c.Name, err)
	}
	return script
}
