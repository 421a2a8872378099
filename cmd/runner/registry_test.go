package main

import (
	"errors"
	"io"
	"io/fs"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/rogpeppe/go-internal/testscript"
)

// cmdRegistry starts a registry of the real kind, in memory and on the loopback. `! registry` stops it.
func cmdRegistry(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, len(args) == 0, "[!] registry")
	w := worldOf(ts)
	if neg {
		w.registry.Close()
		return
	}
	w.registry = httptest.NewServer(registry.New(registry.WithReferrersSupport(true), registry.Logger(log.New(io.Discard, "", 0))))
	ts.Defer(w.registry.Close)
	ts.Setenv("REGISTRY", strings.TrimPrefix(w.registry.URL, "http://"))
}

var hexDigest = regexp.MustCompile(`[0-9a-f]{64}`)

// cmdFlips changes one byte in the middle of each file below a folder in turn. The program must refuse each with both digests.
func cmdFlips(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, !neg && len(args) >= 2, "flips FOLDER PROGRAM ARGS...")
	n := 0
	err := filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		n++
		info, err := d.Info()
		if err != nil {
			return err
		}
		good, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		bad := append([]byte{}, good...)
		bad[len(bad)/2] ^= 1
		if err := os.WriteFile(path, bad, info.Mode()); err != nil {
			return err
		}
		cmd := exec.Command(args[1], args[2:]...)
		cmd.Dir = ts.MkAbs(".")
		for _, name := range []string{"PATH", "HOME", "PACELINE_CACHE_DIR", "PACELINE_TARGET_URL"} {
			if value := ts.Getenv(name); value != "" {
				cmd.Env = append(cmd.Env, name+"="+value)
			}
		}
		out, err := cmd.CombinedOutput()
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok || exit.ExitCode() != 3 || len(hexDigest.FindAll(out, -1)) < 2 {
			ts.Fatalf("%s with another byte: %v\n%s", path, err, out)
		}
		return os.WriteFile(path, good, info.Mode())
	})
	ts.Check(err)
	if n == 0 {
		ts.Fatalf("no file in %s", args[0])
	}
}
