package catalog

import (
	"strings"
	"testing"

	"paceline/workloads/profiles/builtin"
)

// TestAll: each profile says what it is in one line, and whether that is its own numbers.
func TestAll(t *testing.T) {
	list, err := All(t.Context())
	if err != nil || len(list) != len(builtin.Names) {
		t.Fatal(len(list), err)
	}
	for _, e := range list {
		if e.Preset != "profiles/"+e.Name || e.Provenance == "" || e.Source == "" || strings.Contains(e.Source, "\n") || len(e.Source) > 300 {
			t.Errorf("%+v", e)
		}
		if m := e.Medians; m.Turns < 1 || m.FirstPrompt < 1000 || m.LastPrompt <= m.FirstPrompt || m.Output < 100 || m.WaitSeconds <= 0 {
			t.Errorf("%s: %+v", e.Name, m)
		}
		if (e.Provenance == "exact") != (e.Name == "coding") {
			t.Errorf("%s is %s", e.Name, e.Provenance)
		}
	}
}
