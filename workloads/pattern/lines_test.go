package pattern

import (
	"errors"
	"regexp"
	"strings"
	"testing"
)

func steps(n int) *int { return &n }

// TestLinesAsTheStandardLibrary holds every expression against package regexp on every line.
func TestLinesAsTheStandardLibrary(t *testing.T) {
	lines := []string{"", "a", "abc", "xabcx", "aaa", "retry_budget = 40", "  M2: 0.977,", "Österväg Kai", "a|b", "foo(bar)", "x-y.z", "a{2}", "tab\there", "]^-"}
	for _, text := range []string{
		"abc", "a|c|xyz", "^a", "c$", "^$", "", "a*", "a+b", "ab?c", "a{2}", "a{2,}", "a{0,1}b", "a{3,5}", "(ab|c)+x", "(?:a|b)c", "[a-c]+x", "[^a-z ]", `\d+`, `\D$`,
		`\w+ = \d`, `\bbudget\b`, `\Bbudget`, `\s\S`, "(?i)ÖSTER", "(?i)[^a]", "(?i)ABC", `a\|b`, `foo\(`, "a{", "{", "x{a}", `[\d.]+,`, `[]^-]`, `[\]]`, `[a\-z]`, `\t`, "(a*)*b", "(a|b|)*c", "(^|x)a", "a.c", ".*y.*", "^.{3}$", "()", "a||b", "(?i)straße",
		`[\w-]+\.z`, "k*?y", "[a-]", "(a{2}){2}", "^(?:[^=]*=){1}", `\bretry`, `x\b`,
	} {
		want, err := regexp.Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Compile(text, Lines, false)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		for _, line := range lines {
			if got, err := p.Match(line, steps(1<<20)); got != want.MatchString(line) || err != nil {
				t.Errorf("%q on %q: %v, %v; want %v", text, line, got, err, !got)
			}
		}
	}
}

func TestRefusedLines(t *testing.T) {
	for _, text := range []string{"*a", "a|+", "(a", "a)", "[a", "[]", `a\`, `\p`, `\1`, "(?=a)", "(?P<x>a)", "[[:alpha:]]", `[\b]`, `[\W]`, "[z-a]", "a{3,2}", "a{999}{999}",
		strings.Repeat("(", 60) + strings.Repeat(")", 60), "a" + strings.Repeat("?*", 60), `[a-\`} {
		if _, err := Compile(text, Lines, false); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestBudget(t *testing.T) {
	p, err := Compile("(a*)*(a*)*(a*)*b", Lines, false)
	if err != nil {
		t.Fatal(err)
	}
	line := strings.Repeat("a", 1000)
	if _, err := p.Match(line, steps(10_000)); !errors.Is(err, ErrSteps) {
		t.Errorf("got %v", err)
	}
	if found, err := p.Match(line+"b", steps(1_000_000)); !found || err != nil {
		t.Errorf("got %v, %v", found, err)
	}
}

func TestFold(t *testing.T) {
	p, err := Compile("kai$", Lines, true)
	if err != nil {
		t.Fatal(err)
	}
	if found, _ := p.Match("unser KAI", steps(1000)); !found {
		t.Error("case counts")
	}
}

// FuzzLines compares with package regexp where both take the expression.
func FuzzLines(f *testing.F) {
	f.Add("a(b|c)*d", "xacbd")
	f.Add(`[^\d]{2,3}$`, "a1bcd")
	f.Add("(?i)ß|k", "K")
	f.Fuzz(func(t *testing.T, text, line string) {
		if len(text) > 40 || len(line) > 60 || strings.ContainsAny(line+text, "\n\v\f\r") {
			return
		}
		p, err := Compile(text, Lines, false)
		if err != nil {
			return
		}
		got, err := p.Match(line, steps(1<<22))
		if err != nil {
			return
		}
		if strings.Contains(text, "(?i)") { // rare folds differ, such as the Kelvin sign
			return
		}
		if want, err := regexp.Compile(text); err == nil && want.MatchString(line) != got {
			t.Errorf("%q on %q: %v", text, line, got)
		}
	})
}
