package recompute

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paceline/mlperf/pack"
)

func TestCompare(t *testing.T) {
	for _, c := range []struct{ recorded, again, at, was, is string }{
		{`{"a":{"b":[1,2,3]},"z":1}`, `{"a":{"b":[1,9,3]},"z":2}`, "a.b[1]", "2", "9"},
		{`{"a":1}`, `{"a":1,"b":null}`, "b", "nothing", "null"},
		{`[1,2]`, `[1]`, "", "2 items", "1 items"},
		{`{"a":[]}`, `{"a":{}}`, "a", "[]", "{}"},
		{`{"seed":10487924139932647040}`, `{"seed":10487924139932647041}`, "seed", "10487924139932647040", "10487924139932647041"},
		{"{\n}", "{ }", "line 1", "{", "{ }"},
		{"one\ntwo\n", "one\n2\n", "line 2", "two", "2"},
		{"one", "one\ntwo", "line 2", "1 lines", "2 lines"},
	} {
		d := Compare([]byte(c.recorded), []byte(c.again))
		if d == nil || *d != (Difference{c.at, c.was, c.is}) {
			t.Errorf("%s and %s: %+v", c.recorded, c.again, d)
		}
	}
	if d := Compare([]byte("x"), []byte("x")); d != nil {
		t.Error(d)
	}
	long := strings.Repeat("x", 200)
	if d := Compare([]byte(`"`+long+`"`), []byte(`"y"`)); len(d.Recorded) > longest+3 {
		t.Error(d.Recorded)
	}
}

// TestReferencePackage holds a package of the reference client's runs to its manifest: it has no journal.
func TestReferencePackage(t *testing.T) {
	runs, err := filepath.Glob("../pack/testdata/reference/c*")
	if err != nil {
		t.Fatal(err)
	}
	found, err := pack.Find(runs...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := pack.Make(found, &pack.Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	open := func() *Report {
		b, err := Open(out)
		if err != nil {
			t.Fatal(err)
		}
		r, err := b.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := open(); !r.Equal || len(r.Files) != 1 || r.Files[0].State != Recorded {
		t.Errorf("%+v", r)
	}
	root := filepath.Join(out, "sample_org", "sub-0001")
	if err := os.WriteFile(filepath.Join(root, "docs", "more.md"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "results", "sample", "system_power.json")); err != nil {
		t.Fatal(err)
	}
	r := open()
	var lines []string
	for _, f := range r.Files {
		lines = append(lines, f.String())
	}
	if text := strings.Join(lines, "\n"); r.Equal || !strings.Contains(text, "missing results/sample/system_power.json: the manifest lists it") ||
		!strings.Contains(text, "differs docs/more.md: the manifest does not list it") {
		t.Error(text)
	}
	if _, err := Open(t.TempDir()); err == nil || !strings.Contains(err.Error(), "is no package of Paceline's") {
		t.Error(err)
	}
}
