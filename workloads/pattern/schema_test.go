package pattern

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// patterns mean the same to regexp, and are held against it.
var patterns = []string{
	``, `a`, `^a$`, `a|b`, `^(a|bc)+$`, `^[a-z0-9_]+$`, `[^a-z]`, `\d{3}`, `^\d{1,3}(\.\d{1,3}){3}$`, `^(?:[A-Z][a-z]*)?$`, `a*b+c?`,
	`^.{2,4}$`, `\bfoo\b`, `^\S+@\S+\.[a-z]{2,}$`, `[\w.-]+`, `^[^\s]+$`, `x{0}y`, `^(a|)b`, `(a*)*b`, `[-a]`, `[a\-z]`, `\/`, `^\x41\t`, `a+?b`,
	`^(\+|-)?[0-9]+$`, `[\D]`, `\Ba`, `^$`, `é.`, `(((a)))|b|c`, `^(a{2}){3}$`,
}

var texts = []string{
	"", "a", "b", "abc", "bc", "abcbc", "foo", "a foo b", "xfoo", "192.168.0.1", "192.168.0", "me@example.org", "12", "123", "A\t", "aab", "y", "xy",
	"-7", "+x", "é!", "aaaaaa", "Hello", "a b", "\n", "a/b", "-", "ba",
}

func TestSchemaAsTheStandardLibrary(t *testing.T) {
	for _, p := range patterns {
		mine, err := Compile(p, Schema, false)
		if err != nil {
			t.Errorf("%s: %v", p, err)
			continue
		}
		theirs := regexp.MustCompile(p)
		for _, text := range texts {
			got, err := mine.Match(text, steps(1<<20))
			if want := theirs.MatchString(text); got != want || err != nil {
				t.Errorf("%s on %q is %v (%v), want %v", p, text, got, err, want)
			}
		}
	}
}

func TestRefusedSchema(t *testing.T) {
	for _, p := range []string{`(?=a)`, `(?<n>a)`, `(a)\1`, `\p{L}`, `a{2`, `a**`, `(`, `)`, `[`, `[z-a]`, `^*`, `\`, `a{3,2}`, `a{5000}`, "\xff",
		`((a{100}){100}){100}`, strings.Repeat("(", 500) + strings.Repeat(")", 500), `\k`, `\ud800`, `*a`} {
		if _, err := Compile(p, Schema, false); err == nil {
			t.Errorf("%s was taken", p)
		}
	}
}

// TestBoundedWork matches what makes others search for ever.
func TestBoundedWork(t *testing.T) {
	p, err := Compile(`^(a+)+$`, Schema, false)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a", 100_000) + "b"
	if found, err := p.Match(text, steps(3*p.Size()*len(text))); found || err != nil {
		t.Errorf("found %v, %v", found, err)
	}
	if _, err := p.Match(strings.Repeat("a", 10_000_000), steps(1_000_000)); !errors.Is(err, ErrSteps) {
		t.Errorf("a text without end was searched: %v", err)
	}
}

func FuzzSchema(f *testing.F) {
	for i, p := range patterns {
		f.Add(p, texts[i%len(texts)])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := Compile(pattern, Schema, false)
		if err != nil || !utf8.ValidString(text) || strings.ContainsAny(pattern, `\[.`) {
			return // escapes, classes and the dot are not quite those of regexp
		}
		theirs, err := regexp.Compile(pattern)
		if err != nil {
			return
		}
		if got, err := p.Match(text, steps(1<<22)); err == nil && got != theirs.MatchString(text) {
			t.Errorf("%q on %q is %v", pattern, text, got)
		}
	})
}
