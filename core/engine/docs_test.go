package engine

import (
	"os"
	"strings"
	"testing"
)

// TestDocsNameEverySwitch holds docs/engines.md to the table of switches.
func TestDocsNameEverySwitch(t *testing.T) {
	raw, err := os.ReadFile("../../docs/engines.md")
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.ReplaceAll(string(raw), "`", "")
	for p, list := range switches {
		for _, s := range list {
			for _, word := range append([]string{s.Server, s.Client, s.Page}, s.Params...) {
				if s.Capability == CachedTokens && word == s.Client {
					word = "cached_tokens"
				}
				if word, _, _ = strings.Cut(word, " with a limit"); !strings.Contains(plain, strings.TrimPrefix(word, "GET ")) {
					t.Errorf("%s, %s: docs/engines.md does not have %q", p, s.Capability, word)
				}
			}
		}
	}
	for _, w := range Words() {
		if !strings.Contains(plain, w) {
			t.Errorf("docs/engines.md does not have %s", w)
		}
	}
}
