package check

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"paceline/mlperf/rules"
)

// Severity of a result.
type Severity string

// Severities.
const (
	Info    Severity = "info" // the rule holds
	Warning Severity = "warning"
	Error   Severity = "error"
)

// Result is what one rule says about one object. The fields are those of the official checker's report.
type Result struct {
	Rule     string   `json:"rule"`
	Message  string   `json:"message"`
	Severity Severity `json:"severity"`
	Path     *string  `json:"path"`
	Spec     string   `json:"spec_ref"`
	Key      string   `json:"key"` // which of the rule's findings; the words are ours
	Title    string   `json:"title"`
	Fix      *string  `json:"fix"`
	Passed   bool     `json:"passed"`
}

// Report is the outcome of a check.
type Report struct {
	Submission string   `json:"submission_path"`
	Results    []Result `json:"results"`
	Errors     []Result `json:"errors"`
	Warnings   []Result `json:"warnings"`
	Passed     bool     `json:"passed"`
}

// Ruleset is which list of rules to apply.
type Ruleset string

// OfficialVersion is the version of the official checker whose rules these are.
const OfficialVersion = rules.CheckerVersion

// Lists of rules.
const (
	Rules1530   Ruleset = rules.CheckerVersion // what the official checker of that version holds a package to
	RulesStrict Ruleset = "strict"             // that, and the rules that are coming and those that it cannot see
)

func (r *Report) add(res Result) {
	res.Passed = res.Severity != Error
	r.Results = append(r.Results, res)
	switch res.Severity {
	case Error:
		r.Errors = append(r.Errors, res)
	case Warning:
		r.Warnings = append(r.Warnings, res)
	}
	r.Passed = len(r.Errors) == 0
}

func newReport(submission string) *Report {
	return &Report{Submission: submission, Results: []Result{}, Errors: []Result{}, Warnings: []Result{}, Passed: true}
}

// WriteJSON writes the report as the official checker does.
func (r *Report) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// TextOptions say how the text is written.
type TextOptions struct {
	Quiet  bool // leave out the rules that hold
	Strict bool // a warning fails the package, too
}

// Holds says whether the package passes; with strict a warning fails it, too.
func (r *Report) Holds(strict bool) bool { return r.Passed && (!strict || len(r.Warnings) == 0) }

// WriteText writes the report for people: by rule, what holds first and the errors last, then a line with the outcome.
func (r *Report) WriteText(w io.Writer, o TextOptions) error {
	var b strings.Builder
	for _, sev := range []Severity{Info, Warning, Error} {
		if o.Quiet && sev == Info {
			continue
		}
		for _, g := range r.groups(sev) {
			g.write(&b, r.Submission)
		}
	}
	word := "PASSED"
	if !r.Holds(o.Strict) {
		word = "FAILED"
	}
	fmt.Fprintf(&b, "%s: %s, %s\n", word, count(len(r.Errors), "error"), count(len(r.Warnings), "warning"))
	_, err := io.WriteString(w, b.String())
	return err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// group is the results of one rule and severity.
type group struct {
	rule     Result
	messages []*message
	index    map[string]*message
	fixes    []string
	results  int
}

// message is one text with all its places.
type message struct {
	text  string
	paths []string
}

func (r *Report) groups(sev Severity) []*group {
	var all []*group
	for _, res := range r.Results {
		if res.Severity != sev {
			continue
		}
		i := slices.IndexFunc(all, func(g *group) bool { return g.rule.Rule == res.Rule })
		if i < 0 {
			i = len(all)
			all = append(all, &group{rule: res, index: map[string]*message{}})
		}
		all[i].add(res)
	}
	return all
}

func (g *group) add(res Result) {
	g.results++
	m := g.index[res.Message]
	if m == nil {
		m = &message{text: res.Message}
		g.messages, g.index[res.Message] = append(g.messages, m), m
	}
	if res.Path != nil {
		m.paths = append(m.paths, *res.Path)
	}
	if res.Fix != nil && !slices.Contains(g.fixes, *res.Fix) {
		g.fixes = append(g.fixes, *res.Fix)
	}
}

func (g *group) write(b *strings.Builder, root string) {
	if g.rule.Severity == Info {
		fmt.Fprintf(b, "ok       %s", g.rule.Rule)
		if g.results > 1 {
			fmt.Fprintf(b, " (%d times)", g.results)
		}
		b.WriteString("\n")
		return
	}
	fmt.Fprintf(b, "%-8s %s: %s (%s)\n", strings.ToUpper(string(g.rule.Severity)), g.rule.Rule, g.rule.Title, g.rule.Spec)
	const shown = 20
	for _, m := range g.messages[:min(shown, len(g.messages))] {
		fmt.Fprintf(b, "         %s\n           in %s\n", printable(m.text), places(m.paths, root))
	}
	if more := len(g.messages) - shown; more > 0 {
		fmt.Fprintf(b, "         and %d more; --json has all\n", more)
	}
	for _, f := range g.fixes[:min(shown, len(g.fixes))] {
		fmt.Fprintf(b, "         fix: %s\n", printable(f))
	}
}

// printable keeps what a stranger wrote from moving the cursor or starting a line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

func places(paths []string, root string) string {
	const shown = 3
	var short []string
	for _, p := range paths[:min(shown, len(paths))] {
		if rel := strings.TrimPrefix(strings.TrimPrefix(p, root), "/"); rel != "" {
			p = rel
		}
		short = append(short, printable(p))
	}
	text := strings.Join(short, ", ")
	if more := len(paths) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
