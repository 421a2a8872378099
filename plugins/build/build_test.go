package build

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	g "paceline/plugins/guesttest"
)

func project(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestDetect(t *testing.T) {
	for want, names := range map[Lang][]string{
		Go: {"main.go", "manifest.json"}, Rust: {"Cargo.toml", "build.go"}, C: {"main.c"},
		AssemblyScript: {"index.ts", "package.json"}, Python: {"plugin.py", "helper.c"},
	} {
		if got, err := Detect(project(t, names...)); err != nil || got != want {
			t.Errorf("%v: got %s, %v; want %s", names, got, err, want)
		}
	}
	if _, err := Detect(project(t, "readme.txt")); err == nil || !strings.Contains(err.Error(), "--lang names one of go, rust") {
		t.Errorf("got %v", err)
	}
}

func TestParseLang(t *testing.T) {
	for _, name := range []string{"auto", "go", "assemblyscript"} {
		if l, err := ParseLang(name); err != nil || string(l) != name {
			t.Errorf("%s: got %s, %v", name, l, err)
		}
	}
	for _, name := range []string{"", "Go", "typescript"} {
		if _, err := ParseLang(name); err == nil {
			t.Errorf("%q: accepted", name)
		}
	}
}

func TestAbove(t *testing.T) {
	dir := project(t, "mark")
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := above(deep, "mark"); err != nil || got != filepath.Join(dir, "mark") {
		t.Errorf("got %s, %v", got, err)
	}
	if got, err := above(deep, "there-is-no-such-mark"); err != nil || got != "" {
		t.Errorf("got %s, %v", got, err)
	}
}

// TestBuildRefuses: what is missing is named, and nothing is written.
func TestBuildRefuses(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.wasm")
	for name, c := range map[string]struct {
		dir, says string
	}{
		"no folder":         {filepath.Join(t.TempDir(), "none"), "none"},
		"no project":        {t.TempDir(), "no project of a known language"},
		"no manifest":       {project(t, "main.go"), "a plugin's project has a manifest"},
		"no C SDK":          {cProject(t), "no C SDK"},
		"no AssemblyScript": {withManifest(t, project(t, "index.ts")), "npm install"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Build(t.Context(), Options{Dir: c.dir, Lang: Auto, Out: out})
			if err == nil || !strings.Contains(err.Error(), c.says) && !strings.Contains(err.Error(), "is not on PATH: install") {
				t.Errorf("got %v, want %q", err, c.says)
			}
			if _, err := os.Stat(out); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is there: %v", out, err)
			}
		})
	}
}

func cProject(t *testing.T) string { return withManifest(t, project(t, "main.c")) }

func withManifest(t *testing.T, dir string) string {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, ManifestFile), []byte(g.Manifest("test", "scorer", "comp", "pure")), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestWriteWhole(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a")
	for _, text := range []string{"one", "two"} {
		if err := writeWhole(file, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("left behind: %v, %v", list, err)
	}
	if err := writeWhole(filepath.Join(dir, "none", "a"), nil); err == nil {
		t.Error("wrote into a folder that is not there")
	}
}
