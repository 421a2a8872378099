package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

// decode reads one JSON document and nothing behind it; numbers keep their digits.
func decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the document: %v", err)
	}
	return v, nil
}

// lookUp follows a path of keys and indexes, with dots between them; "len" is the length of a list, and ":" in a key stands
// for a dot.
func lookUp(v any, path string) (any, bool) {
	for part := range strings.SplitSeq(path, ".") {
		switch node := v.(type) {
		case map[string]any:
			next, ok := node[strings.ReplaceAll(part, ":", ".")]
			if !ok {
				return nil, false
			}
			v = next
		case []any:
			if part == "len" {
				v = json.Number(strconv.Itoa(len(node)))
				continue
			}
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(node) {
				return nil, false
			}
			v = node[i]
		default:
			return nil, false
		}
	}
	return v, true
}

// plain writes a value as JSON, and a string without its quotes.
func plain(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	text, _ := json.Marshal(v)
	return string(text)
}

func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 3, "json FILE PATH VALUE")
	v, err := decode([]byte(ts.ReadFile(args[0])))
	ts.Check(err)
	got, found := lookUp(v, args[1])
	if (found && matches(plain(got), args[2])) == neg {
		ts.Fatalf("%s: %s is %s (found: %v), want%s %s", args[0], args[1], plain(got), found, map[bool]string{true: " not"}[neg], args[2])
	}
}

func matches(got, wanted string) bool {
	if wanted == "any" {
		return true
	}
	if bound, ok := strings.CutPrefix(wanted, "~"); ok {
		return regexp.MustCompile(bound).MatchString(got)
	}
	for sign, holds := range map[string]func(a, b float64) bool{
		">": func(a, b float64) bool { return a > b }, "<": func(a, b float64) bool { return a < b },
	} {
		if bound, ok := strings.CutPrefix(wanted, sign); ok {
			a, errA := strconv.ParseFloat(got, 64)
			b, errB := strconv.ParseFloat(bound, 64)
			return errA == nil && errB == nil && holds(a, b)
		}
	}
	return got == wanted
}

var noNumber = regexp.MustCompile(`\b(NaN|Infinity|-Inf|\+Inf|Inf)\b`)

func cmdStrict(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) > 0, "strict FILE...")
	for _, name := range args {
		text := ts.ReadFile(name)
		if found := noNumber.FindString(text); found != "" {
			ts.Fatalf("%s holds %s", name, found)
		}
		if strings.HasSuffix(name, ".txt") {
			continue
		}
		if _, err := decode([]byte(text)); err != nil {
			ts.Fatalf("%s: %v", name, err)
		}
	}
}

func cmdNarrow(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "narrow FILE")
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			ts.Fatalf("%d columns: %s", n, line)
		}
	}
}

// differs are the keys of run.json and report.json that two runs of the same plan may differ in: names, instants, measured
// figures and where each value came from.
var differs = []string{"run", "origins", "environment", "run_config", "metrics", "target", "journal", "warnings"}

// cmdSamePlan compares two run folders by what does not depend on the clock: the plans of the journal, run.json, and what
// the report says of the run, its judges and its failures.
func cmdSamePlan(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 2, "sameplan DIR DIR")
	var views [2][]any
	for i, dir := range args {
		for _, name := range []string{"run.json", "report.json"} {
			v, err := decode([]byte(ts.ReadFile(dir + "/" + name)))
			ts.Check(err)
			views[i] = append(views[i], without(v))
		}
		views[i] = append(views[i], plans(ts, dir))
	}
	diff := cmp.Diff(views[0], views[1])
	if (diff == "") == neg {
		ts.Fatalf("equal: %v\n%s", diff == "", diff)
	}
}

func without(v any) any {
	switch node := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for key, value := range node {
			if !slices.Contains(differs, key) {
				out[key] = without(value)
			}
		}
		return out
	case []any:
		for i := range node {
			node[i] = without(node[i])
		}
	}
	return v
}
