// Package check holds a submission package to the rules of MLPerf Endpoints, Agentic Inference: those that the official checker
// applies, under its ids and with its severities, so that a package is mended before the upload and not after it; and, as a second
// list, those that are coming or that it cannot see. Numbers of the rules are in mlperf/rules, power in mlperf/power, the layout in
// mlperf/check/tree. Nothing in a package can make it fail otherwise than by a finding, or an error that names the limit.
package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"paceline/mlperf/check/tree"
	"paceline/mlperf/lax"
	"paceline/mlperf/rules"
)

// Options say what a package is held to.
type Options struct {
	Rules    Ruleset // "" is Rules1530
	SeedSets []byte  // a file of further seed sets; may be empty
	Drafters []byte  // a file of approved drafters in place of the known ones; may be empty
}

// Dir checks the package at a path: a submission, or the folder that holds one. A path that is not there is a finding.
func Dir(name string, opt Options) (*Report, error) {
	root, err := os.OpenRoot(name)
	if err != nil {
		if info, statErr := os.Stat(name); statErr == nil && info.IsDir() {
			return nil, fmt.Errorf("%s cannot be opened: %w", name, errors.Unwrap(err))
		}
		return absent(name), nil
	}
	defer func() { _ = root.Close() }()
	at := tree.Root(root.FS(), ".")
	if at == "." {
		return FS(root.FS(), name, opt)
	}
	inner, err := root.OpenRoot(at)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be opened: %w", path.Join(name, at), err)
	}
	defer func() { _ = inner.Close() }()
	return FS(inner.FS(), path.Join(name, at), opt)
}

func absent(name string) *Report {
	c := &checker{out: newReport(name), told: map[string]int{}}
	c.fail("path-exists", "absent", "", "Give the folder that holds results/, src/ and docs/, or its parent.", "there is no folder %s", name)
	return c.out
}

// FS checks the submission whose root fsys is. name is what the report calls it.
func FS(fsys fs.FS, name string, opt Options) (*Report, error) {
	c := &checker{fsys: fsys, out: newReport(name), told: map[string]int{}}
	var err error
	if c.seeds, err = rules.KnownSeedSets(opt.SeedSets); err != nil {
		return nil, err
	}
	if c.drafters, err = rules.Drafters(opt.Drafters); err != nil {
		return nil, err
	}
	switch opt.Rules {
	case "", Rules1530:
	case RulesStrict:
		c.strict = true
	default:
		return nil, fmt.Errorf("rules %q are not known; want %s or %s", opt.Rules, Rules1530, RulesStrict)
	}
	s, err := tree.Read(fsys)
	if err != nil {
		return nil, err
	}
	c.submission(s)
	return c.out, nil
}

type checker struct {
	fsys     fs.FS
	strict   bool
	seeds    rules.SeedSets
	drafters []rules.Drafter
	out      *Report
	told     map[string]int // findings of a rule in a file
}

// Limits of what one package can make the report say.
const (
	maxFindings = 50   // of a rule in a file
	maxText     = 1000 // characters of a message
)

func (c *checker) add(id, key, at string, sev Severity, fix, message string) {
	if sev != Info {
		where := id + " " + at
		c.told[where]++
		switch n := c.told[where]; {
		case n > maxFindings:
			return
		case n == maxFindings:
			key, fix, message = "more", "", "there is more of this; mend what is told and check again"
		}
	}
	if text := []rune(message); len(text) > maxText {
		message = string(text[:maxText]) + "..."
	}
	r := rule(id)
	res := Result{Rule: id, Message: message, Severity: sev, Spec: r.Spec, Key: key, Title: r.Title}
	full := path.Join(c.out.Submission, at)
	res.Path = &full
	if fix != "" {
		res.Fix = &fix
	}
	c.out.add(res)
}

func (c *checker) pass(id, at, format string, args ...any) {
	c.add(id, "pass", at, Info, "", fmt.Sprintf(format, args...))
}

func (c *checker) warn(id, key, at, fix, format string, args ...any) {
	sev := Warning
	if c.strict && escalated[id] {
		sev = Error
	}
	c.add(id, key, at, sev, fix, fmt.Sprintf(format, args...))
}

func (c *checker) fail(id, key, at, fix, format string, args ...any) {
	c.add(id, key, at, Error, fix, fmt.Sprintf(format, args...))
}

// faults tells every field of a file that does not look as it must.
func (c *checker) faults(id string, f tree.File, all []lax.Fault) {
	for _, fault := range all {
		c.fail(id, "field", f.Path, "Correct the field.", "%s, %s", path.Base(f.Path), fault)
	}
}

// unreadable tells that a file that is there cannot be read.
func (c *checker) unreadable(id string, f tree.File) {
	c.fail(id, "unreadable", f.Path, "Write the file again, as UTF-8 and without a byte order mark.", "%s cannot be read: %v", path.Base(f.Path), f.Err)
}
