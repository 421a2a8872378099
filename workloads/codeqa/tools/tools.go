package tools

import (
	"fmt"
	"strings"

	"paceline/workloads/codeqa/corpus"
)

// Result is what a call gave.
type Result struct {
	Text   string // at most MaxResult bytes and a note
	Failed bool   // Text says what is wrong with the call
}

// Call runs one call over a tree. The same call always gives the same result.
func Call(t *corpus.Tree, name, args string) Result {
	var text string
	var err error
	switch name {
	case "list":
		text, err = list(t, args)
	case "grep":
		text, err = grep(t, args)
	case "read":
		text, err = read(t, args)
	case "":
		err = wrong("the call names no tool; there are list, grep, read")
	default:
		err = wrong("there is no tool %s; there are list, grep, read", quote(name))
	}
	if err != nil {
		return Failure(err.Error())
	}
	return Result{Text: text}
}

// Failure is a result that says what is wrong with a call.
func Failure(text string) Result { return Result{Text: "error: " + text, Failed: true} }

func list(t *corpus.Tree, args string) (string, error) {
	a, err := parse("list", args, "path")
	if err != nil {
		return "", err
	}
	path, _, err := a.path("path")
	if err != nil {
		return "", err
	}
	if _, is := t.Text(path); is {
		return "", wrong("%s is a file; use read", path)
	}
	prefix := ""
	if path != "" {
		prefix = path + "/"
	}
	var entries []string
	for _, p := range t.Below(path) {
		entry, rest, nested := strings.Cut(p[len(prefix):], "/")
		text, _ := t.Text(p)
		if nested && rest != "" {
			entry += "/"
		} else {
			entry = fmt.Sprintf("%s  %d bytes", entry, len(text))
		}
		if n := len(entries); n == 0 || entries[n-1] != entry {
			entries = append(entries, entry)
		}
	}
	if len(entries) == 0 {
		return "", missing(path)
	}
	more := ""
	if len(entries) > MaxEntries {
		more = fmt.Sprintf("[%d more entries]\n", len(entries)-MaxEntries)
		entries = entries[:MaxEntries]
	}
	return strings.Join(entries, "\n") + "\n" + more, nil
}

func missing(path string) error {
	return wrong("there is no %s; use list to see what there is", quote(path))
}

func read(t *corpus.Tree, args string) (string, error) {
	a, err := parse("read", args, "path", "start", "lines")
	if err != nil {
		return "", err
	}
	path, given, err := a.path("path")
	if err != nil {
		return "", err
	}
	if !given {
		return "", wrong("read needs path")
	}
	start, err := a.count("start", 1)
	if err != nil {
		return "", err
	}
	count, err := a.count("lines", MaxLines)
	if err != nil {
		return "", err
	}
	text, ok := t.Text(path)
	switch {
	case !ok && len(t.Below(path)) > 0:
		return "", wrong("%s is a folder; use list", quote(path))
	case !ok:
		return "", missing(path)
	}
	return page(path, lines(text), start, min(count, MaxLines))
}

// page numbers lines, and says at which to go on where there are more.
func page(path string, all []string, start, count int) (string, error) {
	if start > len(all) {
		return "", wrong("%s has %d lines", path, len(all))
	}
	end := min(len(all), start-1+count)
	var b strings.Builder
	for i := start - 1; i < end; i++ {
		line := fmt.Sprintf("%4d  %s\n", i+1, all[i])
		if b.Len()+len(line) > MaxResult {
			end = i
			break
		}
		b.WriteString(line)
	}
	if end < len(all) {
		fmt.Fprintf(&b, "[%s has %d lines; go on with start %d]\n", path, len(all), end+1)
	}
	return b.String(), nil
}

// lines splits a file, without its last newline.
func lines(text string) []string {
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}
