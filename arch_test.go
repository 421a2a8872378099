package paceline

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layer places every package of core: a package may import only packages of a lower layer.
var layer = map[string]int{
	"core/digest": 0, "core/seed": 0, "core/exposition": 0,
	"core/chat": 1, "core/engine": 1, "core/load": 1, "core/stats": 1, "core/verdict": 1,
	"core/trajectory": 2, "core/filler": 3, "core/sample": 3,
	"core/endpoint": 4, "core/journal": 4, "core/sched": 4,
	"core/metrics": 5, "core/judge": 5, "core/relay": 5, "core/survey": 5,
	"core/report": 6, "core/session": 7, "core/audit": 6,
}

// mayImport lists, for each part of the tree outside core, the parts of ours that it may import. The longest prefix wins.
var mayImport = map[string][]string{
	"core":                       {"core"},
	"plugins/wire":               {"core", "plugins", "schemas/gen"},
	"plugins/host":               {"plugins", "core/digest", "core/seed"},
	"plugins/conformance":        {"core", "plugins", "schemas/gen"},
	"plugins/scaffold":           {"plugins/build", "sdk"},
	"plugins":                    {"plugins", "core/digest", "core/seed"},
	"workloads":                  {"workloads", "sdk"},
	"schemas/gen":                {"schemas/gen", "sdk"},
	"mlperf":                     {"mlperf", "core", "plugins/lock", "plugins/strict", "workloads/mlperf"},
	"sweep":                      {"sweep", "core", "plugins/strict"},
	"profile":                    {"profile", "core/seed", "workloads/profiles"},
	"record":                     {"record", "core", "sdk", "workloads/import"},
	"shape":                      {"shape", "core"},
	"traces":                     {"traces", "core", "workloads/import/normal", "sdk"},
	"cmd/runner/internal/config": {"core", "plugins/lock", "plugins/policy"},
	"cmd/runner":                 {"core", "plugins", "workloads", "mlperf", "profile", "record", "shape", "sweep", "traces", "cmd/runner"},
	"bench":                      {"core", "plugins", "workloads", "sdk", "bench", "schemas/gen", "traces"},
	"sdk":                        {"sdk"},
	"tools":                      {"tools", "plugins/lock", "plugins/build"},
}

// owner names the one part of the tree that may import a third-party module in non-test code. RATIONALE.md has a paragraph
// for each.
var owner = map[string][]string{
	"github.com/tetratelabs/wazero":    {"plugins/wasmworker", "bench"},
	"github.com/hashicorp/go-plugin":   {"plugins/native", "sdk/native", "bench"},
	"github.com/hashicorp/go-hclog":    {"plugins/native", "sdk/native", "bench"},
	"github.com/klauspost/compress":    {"core/journal", "plugins/store", "tools"},
	"github.com/knadh/koanf":           {"cmd/runner/internal/config"},
	"github.com/go-viper/mapstructure": {"cmd/runner/internal/config"},
	"go.yaml.in/yaml":                  {"cmd/runner/internal/config", "mlperf"},
	"github.com/spf13/cobra":           {"cmd/runner/internal/cli"},
	"github.com/spf13/pflag":           {"cmd/runner/internal/cli"},
	"golang.org/x/crypto":              {"core/chat", "plugins/sign"},
	"golang.org/x/sys":                 {"plugins", "core/session"},
	"golang.org/x/term":                {"cmd/runner/internal/cli"},
	"google.golang.org/grpc":           {"plugins", "schemas/gen", "sdk/native", "bench"},
	"google.golang.org/protobuf":       {"plugins", "schemas/gen", "tools"},
	"github.com/bufbuild/protocompile": {"tools"},
	"github.com/google/go-cmp":         {},
	"github.com/rogpeppe/go-internal":  {},

	"oras.land/oras-go":                      {"plugins/registry"},
	"github.com/opencontainers":              {"plugins/registry"},
	"github.com/google/go-containerregistry": {},
}

type source struct {
	pkg  string // folder
	file string
	test bool
	doc  bool
	deps []string
}

// sources parses the imports of every Go file of the tree, in this process, so that the test cache sees every change.
func sources(t *testing.T) []source {
	t.Helper()
	var all []source
	root := os.DirFS(".")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		s := source{pkg: path.Dir(name), file: name, test: strings.HasSuffix(name, "_test.go"), doc: f.Doc != nil}
		for _, i := range f.Imports {
			dep, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			s.deps = append(s.deps, dep)
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func within(pkg, part string) bool { return pkg == part || strings.HasPrefix(pkg, part+"/") }

func longest(pkg string) string {
	best := ""
	for part := range mayImport {
		if within(pkg, part) && len(part) > len(best) {
			best = part
		}
	}
	return best
}

func TestLayers(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || s.pkg == "." {
			continue
		}
		part := longest(s.pkg)
		if part == "" {
			t.Errorf("%s: %s is in no part of the map", s.file, s.pkg)
			continue
		}
		for _, dep := range s.deps {
			ours, ok := strings.CutPrefix(dep, "paceline/")
			if !ok {
				continue
			}
			if !slices.ContainsFunc(mayImport[part], func(p string) bool { return within(ours, p) }) {
				t.Errorf("%s imports %s: %s may import only %v", s.file, dep, part, mayImport[part])
			}
			checkCore(t, s, ours)
		}
	}
}

// checkCore keeps the layers inside core. sim and coretest stand beside the layers and may be imported by nobody in core.
func checkCore(t *testing.T, s source, dep string) {
	t.Helper()
	if !within(s.pkg, "core") || !within(dep, "core") || within(dep, s.pkg) || within(s.pkg, dep) {
		return
	}
	if within(s.pkg, "core/sim") || within(s.pkg, "core/coretest") {
		return
	}
	from, ok := layer[top(s.pkg)]
	if !ok {
		t.Errorf("%s: %s has no layer", s.file, s.pkg)
		return
	}
	to, ok := layer[top(dep)]
	if !ok || to >= from {
		t.Errorf("%s (layer %d) imports %s (layer %d): imports go down only", s.file, from, dep, to)
	}
}

func top(pkg string) string {
	parts := strings.SplitN(pkg, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

func TestOwnersOfDependencies(t *testing.T) {
	for _, s := range sources(t) {
		if s.test || within(s.pkg, "core/coretest") {
			continue
		}
		for _, dep := range s.deps {
			if !strings.Contains(strings.SplitN(dep, "/", 2)[0], ".") {
				continue
			}
			checkOwner(t, s, dep)
		}
	}
}

func checkOwner(t *testing.T, s source, dep string) {
	t.Helper()
	for _, module := range slices.Sorted(maps.Keys(owner)) {
		if within(dep, module) {
			if !slices.ContainsFunc(owner[module], func(p string) bool { return within(s.pkg, p) }) {
				t.Errorf("%s imports %s: only %v may", s.file, dep, owner[module])
			}
			return
		}
	}
	t.Errorf("%s imports %s: no owner; name one here and say why in RATIONALE.md", s.file, dep)
}

func TestEachPackageHasOneComment(t *testing.T) {
	docs := map[string][]string{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		if _, ok := docs[s.pkg]; !ok {
			docs[s.pkg] = nil
		}
		if s.doc && !within(s.pkg, "schemas/gen") {
			docs[s.pkg] = append(docs[s.pkg], s.file)
		}
	}
	for _, pkg := range slices.Sorted(maps.Keys(docs)) {
		if len(docs[pkg]) != 1 && !within(pkg, "schemas/gen") {
			t.Errorf("%s has %d package comments, want one: %v", pkg, len(docs[pkg]), docs[pkg])
		}
	}
}
