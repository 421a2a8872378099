package tools

import (
	"fmt"
	"strings"

	"paceline/workloads/codeqa/corpus"
	"paceline/workloads/pattern"
)

func grep(t *corpus.Tree, args string) (string, error) {
	a, err := parse("grep", args, "pattern", "path", "ignore_case")
	if err != nil {
		return "", err
	}
	text, given, err := a.text("pattern")
	if err != nil {
		return "", err
	}
	if !given || text == "" {
		return "", wrong("grep needs pattern")
	}
	path, _, err := a.path("path")
	if err != nil {
		return "", err
	}
	ignore, err := a.flag("ignore_case")
	if err != nil {
		return "", err
	}
	if len(text) > MaxPattern {
		return "", wrong("the pattern has %d bytes; at most %d are taken", len(text), MaxPattern)
	}
	expression, err := pattern.Compile(text, pattern.Lines, ignore)
	if err != nil {
		return "", wrong("the pattern %s is not understood: %s", quote(text), err)
	}
	paths := t.Below(path)
	if len(paths) == 0 {
		return "", missing(path)
	}
	return search(t, paths, expression)
}

func search(t *corpus.Tree, paths []string, expression *pattern.Pattern) (string, error) {
	var b strings.Builder
	found, shown, in, left := 0, 0, 0, MaxSteps
	for _, path := range paths {
		text, _ := t.Text(path)
		before := found
		for i, line := range lines(text) {
			is, err := expression.Match(line, &left)
			if err != nil {
				return "", wrong("the search was given up: %s; use a simpler pattern or a path", err)
			}
			if !is {
				continue
			}
			found++
			entry := fmt.Sprintf("%s:%d: %s\n", path, i+1, cut(line, MaxLine))
			if shown == found-1 && shown < MaxMatches && b.Len()+len(entry) <= MaxResult {
				b.WriteString(entry)
				shown++
			}
		}
		if found > before {
			in++
		}
	}
	switch {
	case found == 0:
		return fmt.Sprintf("no matching line in %d files\n", len(paths)), nil
	case shown < found:
		fmt.Fprintf(&b, "[%d matching lines in %d files, of which the first %d are shown]\n", found, in, shown)
	default:
		fmt.Fprintf(&b, "[%d matching lines in %d files]\n", found, in)
	}
	return b.String(), nil
}
