package check

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// TestDifferential compares with the official checker on packages that .ci/checker broke; it sets the folder.
func TestDifferential(t *testing.T) {
	dir := os.Getenv("PACELINE_CHECKER_CASES")
	if dir == "" {
		t.Skip("PACELINE_CHECKER_CASES is not set; .ci/checker makes the packages and runs this")
	}
	var cases []struct {
		Case     int      `json:"case"`
		Done     []string `json:"done"`
		Verdict  string   `json:"verdict"`
		Rules    []string `json:"rules"`
		Messages []string `json:"messages"`
	}
	decode(t, filepath.Join(dir, "official.json"), &cases)
	crashed := 0
	for _, c := range cases {
		r, err := Dir(filepath.Join(dir, strconv.Itoa(c.Case), "org"), Options{})
		if err != nil {
			t.Errorf("%d: %v", c.Case, err)
			continue
		}
		if c.Verdict == "CRASH" {
			if crashed++; r.Passed {
				t.Errorf("%d passes, though the official checker crashes: %v %v", c.Case, c.Done, c.Messages)
			}
			continue
		}
		if got := findings(r); !slices.Equal(got, c.Rules) || r.Passed != (c.Verdict == "PASS") {
			t.Errorf("%d %v\n ours:     %v\n official: %v\n ours:     %v\n official: %v", c.Case, c.Done, got, c.Rules, show(r), c.Messages)
		}
	}
	t.Logf("%d packages, of which %d crash the official checker", len(cases), crashed)
}
