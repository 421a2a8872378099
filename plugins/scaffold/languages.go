package scaffold

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"paceline/plugins/build"
	"paceline/sdk"
	"paceline/sdk/assemblyscript"
	"paceline/sdk/c"
	"paceline/sdk/python"
	"paceline/sdk/rust"
)

// language is how a project of a language is written.
type language struct {
	purity string // of a component
	test   string // command that tests the project, in its folder
	source func() fs.FS
	root   string // folder of the SDK in the project
	keep   func(name string) bool
	// rewrite changes a file of the SDK for its place in a project; nil: nothing changes.
	rewrite func(name string, data []byte) []byte
}

// languages are those that projects can be written in.
func languages() map[build.Lang]language {
	return map[build.Lang]language{
		build.Go:   {purity: "wasi_deterministic", test: "go test ./...", source: sdk.Source, root: "sdk", keep: goFile},
		build.Rust: {purity: "pure", test: "cargo test --quiet --offline", source: rust.Source, root: "sdk", keep: rustFile, rewrite: rustPackage},
		build.C:    {purity: "pure", test: "make --silent -f sdk/Makefile test PLUGIN=. OUT=build", source: c.Source, root: "sdk", keep: cFile},
		build.AssemblyScript: {purity: "pure", test: "npm install --silent --no-audit --no-fund && npm test --silent", source: ofAssemblyScript, root: "sdk",
			keep: func(string) bool { return true }},
		build.Python: {purity: "native", test: "python3 -m venv .venv && .venv/bin/pip install -q ./.sdk && .venv/bin/python -m unittest -q", source: python.Source,
			root: ".sdk", keep: pythonFile}, // hidden: the builder packs what is not
	}
}

// pythonFile leaves out the SDK's examples, and what an interpreter or a build left.
func pythonFile(name string) bool {
	return name == "pyproject.toml" || name == "README.md" ||
		strings.HasPrefix(name, "src/paceline/") && !strings.HasSuffix(name, ".pyc")
}

// rustFile leaves out the SDK's own examples and integration tests.
func rustFile(name string) bool {
	return name == "Cargo.toml" || name == "rustfmt.toml" || strings.HasPrefix(name, "src/")
}

// cFile leaves out the SDK's examples and its own tests.
func cFile(name string) bool {
	return name == "Makefile" || strings.HasPrefix(name, "include/") || strings.HasPrefix(name, "src/") || strings.HasPrefix(name, "testing/")
}

// ofAssemblyScript is the package that an author imports, without the examples beside it.
func ofAssemblyScript() fs.FS {
	own, err := fs.Sub(assemblyscript.Source(), "paceline")
	if err != nil {
		return embed.FS{} // a valid name never fails
	}
	return own
}

// rustPackage cuts the sections of the SDK's Cargo.toml that a crate inside of another workspace must not have.
func rustPackage(name string, data []byte) []byte {
	if name != "Cargo.toml" {
		return data
	}
	var out strings.Builder
	keep := true
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "[") {
			keep = !strings.HasPrefix(line, "[[") && !strings.HasPrefix(line, "[workspace") && !strings.HasPrefix(line, "[profile")
		}
		if keep {
			out.WriteString(line)
		}
	}
	return []byte(out.String())
}

// goFile leaves out the SDK's tests, and the file that embeds what is not there in a project.
func goFile(name string) bool {
	return !strings.HasSuffix(name, "_test.go") && name != "embed.go" && !strings.HasPrefix(name, "sdktest/testdata")
}

// addSDK adds the SDK's sources to a project's files.
func addSDK(lang build.Lang, files map[string][]byte) error {
	how := languages()[lang]
	source, before := how.source(), len(files)
	err := fs.WalkDir(source, ".", func(name string, d fs.DirEntry, err error) error {
		if name == "." && errors.Is(err, fs.ErrNotExist) {
			return fs.SkipDir
		}
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
		if how.rewrite != nil {
			data = how.rewrite(name, data)
		}
		files[path.Join(how.root, name)] = data
		return nil
	})
	if err == nil && len(files) == before {
		return fmt.Errorf("%w (%s)", ErrNoSDK, lang)
	}
	return err
}
