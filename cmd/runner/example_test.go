package main

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdExample builds an example of the SDK into the script's folder: example NAME wasm as NAME.wasm, with the flags of shipped
// plugins; example NAME native as the executable NAME with its manifest.
func cmdExample(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) == 2 && (args[1] == "wasm" || args[1] == "native"), "example NAME wasm|native")
	name, dir := args[0], ts.MkAbs(".")
	if args[1] == "wasm" {
		build(ts, "GOWORK=off", "run", "-C", "../../tools", "./wasmbuild", "-raw", "-out", dir, "sdk/examples/"+name)
		return
	}
	file := filepath.Join(dir, name)
	build(ts, "GOWORK=", "build", "-C", "../../sdk/native", "-o", file, "./examples/"+name)
	manifest, err := exec.Command(file, "manifest", "Apache-2.0").Output()
	ts.Check(err)
	ts.Check(os.WriteFile(file+".manifest.json", manifest, 0o600))
}

// build runs the go command with the environment of the tests.
func build(ts *testscript.TestScript, env string, args ...string) {
	cmd := exec.Command("go", args...)
	cmd.Env = append(os.Environ(), env)
	if out, err := cmd.CombinedOutput(); err != nil {
		ts.Fatalf("go %v: %v\n%s", args, err, out)
	}
}
