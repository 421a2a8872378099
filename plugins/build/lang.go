package build

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Lang is the language of a project.
type Lang string

// Languages.
const (
	Auto           Lang = "auto"
	Go             Lang = "go"
	Rust           Lang = "rust"
	C              Lang = "c"
	AssemblyScript Lang = "assemblyscript"
	Python         Lang = "python"
)

// Langs are the languages that there is an SDK for.
func Langs() []Lang { return []Lang{Go, Rust, C, AssemblyScript, Python} }

// LangNames lists them for people.
func LangNames() string {
	var names []string
	for _, l := range Langs() {
		names = append(names, string(l))
	}
	return strings.Join(names, ", ")
}

// ParseLang reads the name of a language, or auto.
func ParseLang(name string) (Lang, error) {
	if l := Lang(name); l == Auto || slices.Contains(Langs(), l) {
		return l, nil
	}
	return "", fmt.Errorf("unknown language %q; one of %s is expected", name, LangNames())
}

// Detect tells the language of a project by the file that its compiler starts from.
func Detect(dir string) (Lang, error) {
	marks := []struct {
		pattern string
		lang    Lang
	}{{"Cargo.toml", Rust}, {"index.ts", AssemblyScript}, {"plugin.py", Python}, {"go.mod", Go}, {"*.go", Go}, {"*.c", C}}
	for _, m := range marks {
		found, err := filepath.Glob(filepath.Join(escapeGlob(dir), m.pattern))
		if err != nil {
			return "", err
		}
		if len(found) > 0 {
			return m.lang, nil
		}
	}
	return "", fmt.Errorf("%s: no project of a known language: none of Cargo.toml, index.ts, plugin.py, *.go and *.c is there (--lang names one of %s)", dir, LangNames())
}

// escapeGlob lets a folder's name stand for itself in a pattern.
func escapeGlob(dir string) string {
	if os.PathSeparator == '\\' {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// above finds a file by its name in a folder or in one of those above it; empty: it is in none.
func above(dir, name string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		file := filepath.Join(dir, name)
		if _, err := os.Stat(file); err == nil {
			return file, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}
