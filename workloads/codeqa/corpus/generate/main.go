// Command generate writes those files of the bundled tree that are tables rather than prose: stations, data, migrations
// and texts. The same bytes each time:
//
//	go run ./workloads/codeqa/corpus/generate workloads/codeqa/corpus/files
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// file is one file of the tree; its path has slashes and no leading one.
type file struct{ path, text string }

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: generate FOLDER")
		os.Exit(2)
	}
	if err := write(os.Args[1], files()); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// files makes all generated files.
func files() []file {
	return append(append(append(stations(), tables()...), migrations()...), texts()...)
}

func write(folder string, list []file) error {
	for _, f := range list {
		path := filepath.Join(folder, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(f.text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
