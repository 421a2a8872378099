package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"paceline/plugins/build"
)

//go:embed all:templates
var templates embed.FS

// Kinds are what a project can be made for.
func Kinds() []string { return []string{"workload", "live", "validator", "scorer"} }

// components names the one component of a project, by its kind.
func components() map[string]string {
	return map[string]string{"workload": "tasks", "live": "agent", "validator": "check", "scorer": "score"}
}

// Options say what project is written.
type Options struct {
	Name string // of the plugin: lower-case letters, digits and hyphens, a letter first
	Kind string // one of Kinds
	Lang build.Lang
	Dir  string // of the project; it must not be there, or be empty
}

// Result is a project that was written.
type Result struct {
	Name      string     `json:"name"`
	Kind      string     `json:"kind"`
	Language  build.Lang `json:"language"`
	Component string     `json:"component"`
	Dir       string     `json:"dir"`
	Files     []string   `json:"files"` // of the project itself, sorted; those of the SDK are not listed
	Test      string     `json:"test"`  // the command that tests it, in Dir
	File      string     `json:"file"`  // what `runner plugin build` makes, in Dir
}

// ErrUsage says that a name, a kind or a language cannot be.
var ErrUsage = errors.New("a project cannot be written")

// ErrNoSDK says that this build came without the sources of a language's SDK.
var ErrNoSDK = fmt.Errorf("%w: its SDK is not in this build", ErrUsage)

// Write writes a project. Errors about the options are ErrUsage; then nothing was written.
func Write(o Options) (*Result, error) {
	p, err := o.check()
	if err != nil {
		return nil, err
	}
	files, err := render(o.Lang, p)
	if err != nil {
		return nil, err
	}
	r := &Result{Name: o.Name, Kind: o.Kind, Language: o.Lang, Component: p.Component, Dir: o.Dir, Test: p.Test, File: p.File}
	for name := range files {
		r.Files = append(r.Files, name)
	}
	slices.Sort(r.Files)
	if err := addSDK(o.Lang, files); err != nil {
		return nil, err
	}
	if err := claim(o.Dir); err != nil {
		return nil, err
	}
	return r, writeFiles(o.Dir, files)
}

// values are what the templates are filled with.
type values struct {
	Name      string // hello-world
	Snake     string // hello_world
	Kind      string // of the project
	Type      string // of the component: live projects have a workload
	Component string
	Purity    string
	Summary   string
	Schema    string // of the configuration, as the code has it
	Test      string
	File      string
	Lang      string
	Native    bool
}

func (o Options) check() (values, error) {
	p := values{Name: o.Name, Snake: strings.ReplaceAll(o.Name, "-", "_"), Kind: o.Kind, Type: o.Kind, Component: components()[o.Kind], Lang: string(o.Lang), File: o.Name + ".wasm"}
	switch {
	case !validName(o.Name):
		return p, fmt.Errorf("%w: name %q: lower-case letters, digits and hyphens, a letter first, 64 at most", ErrUsage, o.Name)
	case p.Component == "":
		return p, fmt.Errorf("%w: unknown kind %q; one of %s is expected", ErrUsage, o.Kind, strings.Join(Kinds(), ", "))
	}
	if p.Kind == "live" {
		p.Type = "workload"
	}
	how, ok := languages()[o.Lang]
	if !ok {
		return p, fmt.Errorf("%w: unknown language %q; one of %s is expected", ErrUsage, o.Lang, build.LangNames())
	}
	if _, err := fs.Stat(templates, path.Join("templates", string(o.Lang), o.Kind)); err != nil {
		return p, fmt.Errorf("%w: there is no project of kind %s in %s yet", ErrUsage, o.Kind, o.Lang)
	}
	p.Purity, p.Test, p.Native = how.purity, how.test, how.purity == "native"
	if p.Native {
		p.File = o.Name + ".pyz"
	}
	p.Summary = map[string]string{"workload": "asks for sums", "live": "an agent that adds numbers with a tool", "validator": "wants an answer in every turn",
		"scorer": "share of answers that equal the truth"}[o.Kind]
	p.Schema = schemas()[p.Type]
	return p, nil
}

// schemas describe the configurations, by the component's kind.
func schemas() map[string]string {
	object := func(properties string) string {
		return `{"type": "object", "additionalProperties": false, "properties": {` + properties + `}}`
	}
	return map[string]string{
		"workload":  object(`"tasks": {"type": "integer", "minimum": 1, "maximum": 10000, "default": 8, "description": "how many sums are asked for"}`),
		"validator": object(`"max_empty": {"type": "integer", "minimum": 0, "default": 0, "description": "turns without an answer that are allowed"}`),
		"scorer":    object(`"trim": {"type": "boolean", "default": true, "description": "ignore white space around an answer"}`),
	}
}

func validName(s string) bool {
	for i, r := range s {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || (r < '0' || r > '9') && r != '-') {
			return false
		}
	}
	return s != "" && len(s) <= 64 && !strings.HasSuffix(s, "-")
}

// templateSuffix ends the names of templates, so that no tool takes one for code.
const templateSuffix = ".tmpl"

// render fills the templates of all languages, of the language and of the kind.
func render(lang build.Lang, p values) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, dir := range []string{"templates/any", path.Join("templates", string(lang), "any"), path.Join("templates", string(lang), p.Kind)} {
		err := fs.WalkDir(templates, dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(templates, name)
			if err != nil {
				return err
			}
			t, err := template.New(name).Delims("[[", "]]").Option("missingkey=error").Parse(string(text))
			if err != nil {
				return err
			}
			var b bytes.Buffer
			if err := t.Execute(&b, p); err != nil {
				return err
			}
			if len(bytes.TrimSpace(b.Bytes())) == 0 {
				return nil // not for this kind
			}
			out := strings.TrimSuffix(strings.TrimPrefix(name, dir+"/"), templateSuffix)
			files[strings.ReplaceAll(out, "NAME", p.Snake)] = b.Bytes()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// claim makes the project's folder, or takes one that is empty.
func claim(dir string) error {
	list, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUsage, err)
	}
	if len(list) > 0 {
		return fmt.Errorf("%w: folder %s is not empty", ErrUsage, dir)
	}
	return nil
}

func writeFiles(dir string, files map[string][]byte) error {
	for name, data := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		if err := os.WriteFile(file, data, mode); err != nil {
			return err
		}
	}
	return nil
}
