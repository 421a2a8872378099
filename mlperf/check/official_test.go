package check

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
)

func decode(t testing.TB, file string, v any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

// TestGolden holds the two complete packages.
func TestGolden(t *testing.T) {
	r := run(t, load(t, "testdata/golden"), Options{})
	if !r.Passed || len(r.Errors)+len(r.Warnings) != 0 {
		t.Errorf("golden: %v", show(r))
	}
	r = run(t, load(t, "testdata/golden_min"), Options{})
	if !r.Passed || len(r.Warnings) != 7 || !slices.Equal(findings(r), []string{"warning:steady-state-basis"}) {
		t.Errorf("golden_min: %v", show(r))
	}
}

func show(r *Report) []string {
	var all []string
	for _, f := range append(slices.Clone(r.Errors), r.Warnings...) {
		all = append(all, string(f.Severity)+":"+f.Rule+": "+f.Message)
	}
	return all
}

// variant is what the official checker said about a broken package.
type variant struct {
	Wanted   string   `json:"wanted"`
	Passed   bool     `json:"passed"`
	Findings []string `json:"findings"`
}

// TestVariants breaks the golden package in 84 ways and compares with what the official checker said.
func TestVariants(t *testing.T) {
	var all map[string]variant
	decode(t, "testdata/variants.json", &all)
	golden := load(t, "testdata/golden")
	failed, warned := 0, 0
	for name, want := range all {
		diff, err := os.ReadFile("testdata/variants/" + name + ".diff")
		if err != nil {
			t.Fatal(err)
		}
		r := run(t, patch(t, golden, string(diff)), Options{})
		if got := findings(r); !slices.Equal(got, want.Findings) || r.Passed != want.Passed {
			t.Errorf("%s: got %v, want %v\n%v", name, got, want.Findings, show(r))
		}
		if r.Passed {
			warned++
		} else {
			failed++
		}
	}
	if failed != 75 || warned != 9 {
		t.Errorf("%d errors and %d warnings, want 75 and 9", failed, warned)
	}
}
