package corpus

import (
	"testing"
	"unicode/utf8"
)

// TestTree holds the tree to the sizes that the documents name.
func TestTree(t *testing.T) {
	tree, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, path := range tree.Below("") {
		text, ok := tree.Text(path)
		if !ok || text == "" || !utf8.ValidString(text) || text[len(text)-1] != '\n' {
			t.Errorf("%s is empty, no UTF-8, or its last line has no end", path)
		}
		size += len(text)
	}
	if n := len(tree.Below("")); n < 40 || n > 60 || size < 60_000 || size > 120_000 {
		t.Errorf("%d files with %d bytes", n, size)
	}
	if got := tree.Below("docs/adr"); len(got) != 2 || got[0] != "docs/adr/0003-idempotent-bookings.md" {
		t.Errorf("below docs/adr: %q", got)
	}
	if got := tree.Below("OWNERS"); len(got) != 1 {
		t.Errorf("a file: %q", got)
	}
	if got := tree.Below("doc"); got != nil {
		t.Errorf("half a name: %q", got)
	}
}
