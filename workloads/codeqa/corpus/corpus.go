// Package corpus is the tree of files that the questions are about. It is part of the module, so that every run asks over
// the same bytes. Project, people and places in it are made up.
package corpus

import (
	"embed"
	"fmt"
	"slices"
	"strings"
)

//go:embed files
var files embed.FS

// Tree is all files by their paths, which have slashes and begin with no dot or slash. It is never changed.
type Tree struct {
	paths []string // sorted
	texts map[string]string
}

// Open reads the bundled tree.
func Open() (*Tree, error) {
	t := &Tree{texts: map[string]string{}}
	if err := t.load(root); err != nil {
		return nil, fmt.Errorf("read the bundled tree: %w", err)
	}
	slices.Sort(t.paths)
	return t, nil
}

// root is the folder of the files, which is no part of their paths.
const root = "files"

// load adds a folder. fs.WalkDir would make the guest larger for nothing.
func (t *Tree) load(folder string) error {
	entries, err := files.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := folder + "/" + e.Name()
		if e.IsDir() {
			if err := t.load(name); err != nil {
				return err
			}
			continue
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		path := strings.TrimPrefix(name, root+"/")
		t.paths, t.texts[path] = append(t.paths, path), string(text)
	}
	return nil
}

// Text returns a file.
func (t *Tree) Text(path string) (text string, ok bool) {
	text, ok = t.texts[path]
	return text, ok
}

// Below returns the paths of all files in a folder and its folders, sorted; "" is the root. For a file it is the file.
func (t *Tree) Below(path string) []string {
	if path == "" {
		return t.paths
	}
	var list []string
	for _, p := range t.paths {
		if p == path || strings.HasPrefix(p, path+"/") {
			list = append(list, p)
		}
	}
	return list
}
