package check

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// tree reads a folder of testdata into memory.
func load(t testing.TB, dir string) fstest.MapFS {
	t.Helper()
	files := fstest.MapFS{}
	root := os.DirFS(dir)
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, name)
		files[name] = &fstest.MapFile{Data: data}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func run(t testing.TB, files fs.FS, opt Options) *Report {
	t.Helper()
	r, err := FS(files, "package", opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// findings are the different "severity:rule" of a report, sorted.
func findings(r *Report) []string {
	all := map[string]bool{}
	for _, f := range append(slices.Clone(r.Errors), r.Warnings...) {
		all[string(f.Severity)+":"+f.Rule] = true
	}
	return slices.Sorted(maps.Keys(all))
}

// patch applies a unified diff to files in memory: the part of patch(1) that the variants need, without fuzz.
func patch(t testing.TB, files fstest.MapFS, diff string) fstest.MapFS {
	t.Helper()
	out := maps.Clone(files)
	for part := range strings.SplitSeq("\n"+diff, "\n--- ") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		head, body, _ := strings.Cut(part, "\n+++ ")
		to, hunks, _ := strings.Cut(body, "\n")
		from := name(head)
		text := ""
		if from != "" {
			if out[from] == nil {
				t.Fatalf("the diff changes %s, which is not there", from)
			}
			text = string(out[from].Data)
			delete(out, from)
		}
		if to = name(to); to != "" {
			out[to] = &fstest.MapFile{Data: []byte(apply(t, from, text, hunks))}
		}
	}
	return out
}

// name is the file of a head line, "" for /dev/null.
func name(head string) string {
	head, _, _ = strings.Cut(head, "\t")
	if _, rest, ok := strings.Cut(head, "/"); ok && head != "/dev/null" {
		return rest
	}
	return ""
}

func apply(t testing.TB, file, text, hunks string) string {
	t.Helper()
	old := strings.SplitAfter(text, "\n")
	var out strings.Builder
	at := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(hunks, "\n"), "\n") {
		if line == "" {
			continue
		}
		switch rest := line[1:] + "\n"; line[0] {
		case '@':
			start := hunkStart(t, line)
			for at < start {
				out.WriteString(old[at])
				at++
			}
		case '+':
			out.WriteString(rest)
		case '-', ' ':
			if at >= len(old) || strings.TrimSuffix(old[at], "\n") != line[1:] {
				t.Fatalf("%s: line %d does not fit the diff: %q", file, at+1, line)
			}
			if line[0] == ' ' {
				out.WriteString(old[at])
			}
			at++
		default:
			t.Fatalf("%s: %q is no line of a diff", file, line)
		}
	}
	for ; at < len(old); at++ {
		out.WriteString(old[at])
	}
	return out.String()
}

// hunkStart is the first line of a hunk, from 0: @@ -12,3 +12,2 @@.
func hunkStart(t testing.TB, head string) int {
	t.Helper()
	_, rest, _ := strings.Cut(head, "-")
	rest, _, _ = strings.Cut(rest, " ")
	first, length, counted := strings.Cut(rest, ",")
	n, err := strconv.Atoi(first)
	if err != nil {
		t.Fatal(fmt.Errorf("%q: %w", head, err))
	}
	if counted && length == "0" {
		return n
	}
	return n - 1
}
