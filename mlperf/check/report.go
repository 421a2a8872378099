package check

import (
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"

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

// WriteText writes the report for people: findings of a rule together, equal ones once, and a last line with the outcome. With quiet
// the rules that hold are left out.
func (r *Report) WriteText(w io.Writer, quiet bool) error {
	for _, g := range r.groups() {
		if quiet && g.first.Severity == Info {
			continue
		}
		if err := g.write(w, r.Submission); err != nil {
			return err
		}
	}
	word := "PASSED"
	if !r.Passed {
		word = "FAILED"
	}
	_, err := fmt.Fprintf(w, "%s: %s, %s\n", word, count(len(r.Errors), "error"), count(len(r.Warnings), "warning"))
	return err
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// group is results of one rule, severity and message; of rules that hold, those of one rule.
type group struct {
	first Result
	paths []string
}

func (r *Report) groups() []*group {
	var all []*group
	at := map[string]*group{}
	for _, res := range r.Results {
		key := res.Rule + "\x00" + string(res.Severity)
		if res.Severity != Info {
			key += "\x00" + res.Message
		}
		g := at[key]
		if g == nil {
			g = &group{first: res}
			at[key], all = g, append(all, g)
		}
		if res.Path != nil {
			g.paths = append(g.paths, *res.Path)
		}
	}
	return all
}

func (g *group) write(w io.Writer, root string) error {
	word := map[Severity]string{Info: "ok", Warning: "WARNING", Error: "ERROR"}[g.first.Severity]
	line := fmt.Sprintf("%-8s%s", word, g.first.Rule)
	if g.first.Severity == Info {
		if len(g.paths) > 1 {
			line += fmt.Sprintf(" (%d times)", len(g.paths))
		}
		_, err := fmt.Fprintln(w, line)
		return err
	}
	line += "  " + g.first.Message
	if len(g.paths) > 0 {
		line += "\n        in " + places(g.paths, root)
	}
	if g.first.Fix != nil {
		line += "\n        fix: " + *g.first.Fix
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

func places(paths []string, root string) string {
	const shown = 3
	var short []string
	for _, p := range paths[:min(shown, len(paths))] {
		if rel := strings.TrimPrefix(strings.TrimPrefix(p, root), "/"); rel != "" {
			p = rel
		}
		short = append(short, path.Clean(p))
	}
	text := strings.Join(short, ", ")
	if more := len(paths) - shown; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
