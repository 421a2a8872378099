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
