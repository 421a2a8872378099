package scaffold

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paceline/plugins/build"
	"paceline/plugins/lock"
)

// TestEveryProject writes each project that there is: whole, with a manifest that says what it is, and recognised by the builder.
func TestEveryProject(t *testing.T) {
	for lang := range languages() {
		for _, kind := range Kinds() {
			if _, err := fs.Stat(templates, "templates/"+string(lang)+"/"+kind); err != nil {
				continue
			}
			t.Run(string(lang)+"/"+kind, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "deep", "er")
				r, err := Write(Options{Name: "my-" + kind, Kind: kind, Lang: lang, Dir: dir})
				if errors.Is(err, ErrNoSDK) {
					t.Skip(err)
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, name := range []string{"README.md", "manifest.json", "ci.sh", ".github/workflows/ci.yml", ".gitignore"} {
					if !slices.Contains(r.Files, name) {
						t.Errorf("no %s", name)
					}
				}
				if got, err := build.Detect(dir); err != nil || got != lang {
					t.Errorf("the builder takes it for %s, %v", got, err)
				}
				checkProject(t, dir, r)
			})
		}
	}
}

func checkProject(t *testing.T, dir string, r *Result) {
	t.Helper()
	for _, name := range r.Files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("[[.")) || bytes.Contains(text, []byte("[[if")) || bytes.Contains(text, []byte("<no value>")) {
			t.Errorf("%s: a template that was not filled", name)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Language == build.Python {
		return // its builder completes the manifest
	}
	m, err := lock.ParseManifest(text)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != r.Name || m.Components[0].Name != r.Component {
		t.Errorf("manifest of %s/%s, want %s/%s", m.Name, m.Components[0].Name, r.Name, r.Component)
	}
	if info, err := os.Stat(filepath.Join(dir, "ci.sh")); err != nil || info.Mode()&0o100 == 0 {
		t.Errorf("ci.sh: %v, %v", info, err)
	}
}

// TestRefused: a name, a kind, a language or a folder that cannot be leaves nothing behind.
func TestRefused(t *testing.T) {
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "mine"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "new")
	for name, o := range map[string]Options{
		"upper case":     {Name: "Hello", Kind: "workload", Lang: build.Go, Dir: dir},
		"a path":         {Name: "a/b", Kind: "workload", Lang: build.Go, Dir: dir},
		"a path up":      {Name: "..", Kind: "workload", Lang: build.Go, Dir: dir},
		"no name":        {Kind: "workload", Lang: build.Go, Dir: dir},
		"a long name":    {Name: strings.Repeat("a", 65), Kind: "workload", Lang: build.Go, Dir: dir},
		"a digit first":  {Name: "1a", Kind: "workload", Lang: build.Go, Dir: dir},
		"a hyphen last":  {Name: "a-", Kind: "workload", Lang: build.Go, Dir: dir},
		"unknown kind":   {Name: "a", Kind: "counter", Lang: build.Go, Dir: dir},
		"no language":    {Name: "a", Kind: "workload", Lang: build.Auto, Dir: dir},
		"a full folder":  {Name: "a", Kind: "workload", Lang: build.Go, Dir: full},
		"a file instead": {Name: "a", Kind: "workload", Lang: build.Go, Dir: filepath.Join(full, "mine")},
	} {
		if _, err := Write(o); !errors.Is(err, ErrUsage) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("%s: the folder is there", name)
		}
	}
	if list, err := os.ReadDir(full); err != nil || len(list) != 1 {
		t.Errorf("the full folder holds %v, %v", list, err)
	}
}
