package check

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const document = "../../docs/submission-check.md"

// TestDocument keeps the tables of docs/submission-check.md true. PACELINE_UPDATE=1 writes them.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	want := between(t, string(text), "official", table(Official(), shown(t)))
	want = between(t, want, "strict", table(Strict(), nil))
	if want == string(text) {
		return
	}
	if os.Getenv("PACELINE_UPDATE") == "" {
		t.Fatal("the tables are not those of the code; PACELINE_UPDATE=1 go test ./mlperf/check -run TestDocument writes them")
	}
	if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// between puts a table between the two marks of that name.
func between(t *testing.T, text, name, table string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, "<!-- "+name+" -->\n")
	_, tail, ok2 := strings.Cut(rest, "<!-- end -->\n")
	if !ok || !ok2 {
		t.Fatalf("%s has no marks for the table %s", document, name)
	}
	return head + "<!-- " + name + " -->\n" + table + "<!-- end -->\n" + tail
}

func table(all []Rule, variants map[string][]string) string {
	var b strings.Builder
	b.WriteString("| rule | is | section | wants |")
	if variants != nil {
		b.WriteString(" shown by |")
	}
	b.WriteString("\n|---|---|---|---|")
	if variants != nil {
		b.WriteString("---|")
	}
	b.WriteString("\n")
	for _, r := range all {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |", r.ID, r.Severity, r.Spec, r.Wants)
		if variants != nil {
			fmt.Fprintf(&b, " %s |", strings.Join(variants[r.ID], ", "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// shown are the variants by the rule that they were made for.
func shown(t *testing.T) map[string][]string {
	t.Helper()
	var all map[string]variant
	decode(t, "testdata/variants.json", &all)
	out := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		out[all[name].Wanted] = append(out[all[name].Wanted], name)
	}
	return out
}

// TestCatalogue holds the catalogue against the code: every rule that the code names is in it once, every entry is named, and nothing
// has another severity than it says.
func TestCatalogue(t *testing.T) {
	entries := map[string]Rule{}
	for _, r := range append(Official(), Strict()...) {
		if entries[r.ID].ID != "" || r.Title == "" || r.Wants == "" || r.Spec == "" {
			t.Errorf("%s is there twice, or not complete", r.ID)
		}
		entries[r.ID] = r
	}
	used := calls(t)
	for id := range used {
		if entries[id].ID == "" {
			t.Errorf("%s is in no list", id)
		}
	}
	for id, r := range entries {
		if len(used[id]) == 0 {
			t.Errorf("%s is in a list, but no code names it", id)
		}
		errs, warns := used[id]["fail"], used[id]["warn"]
		says := map[string]bool{onlyError: errs && !warns, onlyWarning: warns && !errs, either: errs && warns, onlyInfo: !errs && !warns}
		if !says[r.Severity] && !used[id][""] {
			t.Errorf("%s is said to be %s, but the code has errors: %t, warnings: %t", id, r.Severity, errs, warns)
		}
	}
}

// calls finds which rules are given to pass, warn and fail; "" where an id stands elsewhere and is handed on.
func calls(t *testing.T) map[string]map[string]bool {
	t.Helper()
	ids := map[string]bool{}
	for _, r := range append(Official(), Strict()...) {
		ids[r.ID] = true
	}
	used := map[string]map[string]bool{}
	note := func(id, how string) {
		if used[id] == nil {
			used[id] = map[string]bool{}
		}
		used[id][how] = true
	}
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") || f.Name() == "catalogue.go" {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && len(n.Args) > 2 && slices.Contains([]string{"pass", "warn", "fail"}, s.Sel.Name) {
					if id, ok := literal(n.Args[0]); ok {
						note(id, s.Sel.Name)
					}
				}
			case *ast.BasicLit:
				if id, ok := literal(n); ok && ids[id] && f.Name() != "strict.go" {
					note(id, "")
				}
			}
			return true
		})
	}
	for id, how := range used { // where the id is a literal of each call, nothing is handed on
		if how["fail"] || how["warn"] || how["pass"] {
			delete(used[id], "")
		}
	}
	return used
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}
