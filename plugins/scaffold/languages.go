package scaffold

import (
	"io/fs"
	"path"
	"slices"
	"strings"

	"paceline/plugins/build"
	"paceline/sdk"
)

// language is how a project of a language is written.
type language struct {
	purity string // of a component
	test   string // command that tests the project, in its folder
	source func() fs.FS
	root   string // folder of the SDK in the project
	keep   func(name string) bool
}

// languages are those that projects can be written in.
func languages() map[build.Lang]language {
	return map[build.Lang]language{
		build.Go: {purity: "wasi_deterministic", test: "go test ./...", source: sdk.Source, root: "sdk", keep: goFile},
	}
}

// goFile leaves out the SDK's tests, and the file that embeds what is not there in a project.
func goFile(name string) bool {
	return !strings.HasSuffix(name, "_test.go") && name != "embed.go" && !strings.HasPrefix(name, "sdktest/testdata")
}

// addSDK adds the SDK's sources to a project's files.
func addSDK(lang build.Lang, files map[string][]byte) error {
	how := languages()[lang]
	source := how.source()
	return fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains([]string{"node_modules", "target", "build", "__pycache__"}, d.Name()) {
				return fs.SkipDir
			}
			return nil
		}
		if !how.keep(name) {
			return nil
		}
		data, err := fs.ReadFile(source, name)
		if err != nil {
			return err
		}
		files[path.Join(how.root, name)] = data
		return nil
	})
}
