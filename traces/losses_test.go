package traces

import (
	"slices"
	"testing"
)

func TestAnonymousLosses(t *testing.T) {
	got := AnonymousLosses([]string{
		"names of models: the run names it: 4",
		`field "our secret \"name\": 7", which this importer does not know: 3`,
		`field "another", which this importer does not know: 2`,
		"whatever a plugin says",
	})
	want := []string{
		"names of models: the run names it: 4",
		"field which this importer does not know: 5",
		"a loss whose text is not told, since it may hold text of the file: 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
