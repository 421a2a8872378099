package main

import (
	"bytes"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"paceline/core/journal"
	"paceline/plugins/lock"
)

// cmdEvaluator builds a native plugin of the SDK with its manifest into the script's folder.
func cmdEvaluator(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 2, "evaluator FILE PACKAGE")
	file := ts.MkAbs(args[0])
	build := exec.Command("go", "build", "-o", file, "paceline/sdk/native/"+args[1])
	if out, err := build.CombinedOutput(); err != nil {
		ts.Fatalf("build %s: %v\n%s", args[1], err, out)
	}
	manifest, err := exec.Command(file, "manifest", "Apache-2.0").Output()
	ts.Check(err)
	ts.Check(os.WriteFile(file+".manifest.json", manifest, 0o600))
}

// cmdRelayGone takes the token and the address that a plugin has leaked: the token stands in no file of the run folder, and
// nobody listens at the address any more.
func cmdRelayGone(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 2, "relaygone LEAK DIR")
	token, url, ok := strings.Cut(ts.ReadFile(args[0]), "\n")
	if !ok || len(token) < 40 {
		ts.Fatalf("%s holds no token", args[0])
	}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && strings.HasSuffix(path, ".zst") {
			text, err = unpack(text)
		}
		if err == nil && bytes.Contains(text, []byte(token)) {
			ts.Fatalf("%s holds the token", path)
		}
		return err
	}))
	address := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/v1")
	if conn, err := net.Dial("tcp", address); err == nil {
		_ = conn.Close()
		ts.Fatalf("somebody listens at %s", address)
	}
}

// cmdExpand puts the folder of the script into files.
func cmdExpand(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) > 0, "expand FILE...")
	for _, name := range args {
		text := ts.ReadFile(name)
		for _, variable := range []string{"WORK", "METRICS", "A", "B"} {
			if value := ts.Getenv(variable); value != "" {
				text = strings.ReplaceAll(text, "$"+variable, value)
			}
		}
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o600))
	}
}

// cmdUngrant takes what a lock grants native plugins out of it.
func cmdUngrant(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "ungrant LOCK")
	l, err := lock.Read(ts.MkAbs(args[0]))
	ts.Check(err)
	for i := range l.Plugins {
		if l.Plugins[i].Native {
			l.Plugins[i].Granted = nil
		}
	}
	text, err := l.Encode()
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), text, 0o600))
}

func cmdUnpacked(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 1, "unpacked FILE")
	packed, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	text, err := unpack(packed)
	ts.Check(err)
	_, err = ts.Stdout().Write(text)
	ts.Check(err)
}

// evaluations counts the evaluations of a run that have made a step, those that are on their way too.
func evaluations(ts *testscript.TestScript, dir string) int {
	files, _ := filepath.Glob(filepath.Join(ts.MkAbs(dir), "evaluation-*.jsonl.zst")) // the pattern is well formed
	n := 0
	for _, file := range files {
		for r, err := range journal.Lines(file) {
			if err == nil && bytes.HasPrefix(r.Line, []byte(`{"rec":"evaluate"`)) {
				n++
				break
			}
		}
	}
	return n
}
