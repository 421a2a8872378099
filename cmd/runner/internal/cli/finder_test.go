package cli

import (
	"io"
	"io/fs"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	gcr "github.com/google/go-containerregistry/pkg/registry"

	"paceline/plugins/artifact"
	"paceline/plugins/registry"
)

// TestVisible: what a plugin says of itself moves no cursor.
func TestVisible(t *testing.T) {
	if got := visible("a\x1b[31m\x07\r\nb\u009bc"); got != "a?[31m??\nb?c" {
		t.Errorf("got %q", got)
	}
}

// TestNothingLeft: what a registry gives with another byte is refused, and leaves neither a plugin in the store nor a file.
func TestNothingLeft(t *testing.T) {
	module := []byte("\x00asm, a module as far as the registry knows")
	layer := artifact.DigestOf(module).String()
	real, flip := gcr.New(gcr.Logger(log.New(io.Discard, "", 0))), false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if flip && r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, layer) {
			bad := []byte(string(module))
			bad[9] ^= 1
			_, _ = w.Write(bad)
			return
		}
		real.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	t.Chdir(t.TempDir())
	ref, err := artifact.ParseRef("oci://" + strings.TrimPrefix(s.URL, "http://") + "/acme/search:1")
	if err != nil {
		t.Fatal(err)
	}
	a, err := artifact.PackWasm(module, "search")
	if err != nil {
		t.Fatal(err)
	}
	repo, err := registry.Open(ref, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := repo.Push(t.Context(), a, "1"); err != nil {
		t.Fatal(err)
	}
	flip = true
	app := &app{Process: Process{Environ: []string{"PACELINE_CACHE_DIR=" + filepath.Join(t.TempDir(), "cache")}, Stdout: io.Discard, Stderr: io.Discard}}
	f := app.finder(false)
	if _, err := f.ref(t.Context(), "acme/search", ref); err == nil || !strings.Contains(err.Error(), layer) {
		t.Errorf("got %v", err)
	}
	for _, args := range [][]string{{"pull", ref.String()}, {"pull", ref.String(), "-o", "x.tar"}, {"pull", ref.String(), "-o", "dir/"}, {"install", ref.String()}} {
		c := app.pluginCommand()
		c.SilenceErrors, c.SilenceUsage = true, true
		c.SetArgs(args)
		if err := c.ExecuteContext(t.Context()); codeOf(err) != exitInput || !strings.Contains(err.Error(), layer) {
			t.Errorf("%v: got %v", args, err)
		}
	}
	for _, dir := range []string{".", app.cacheDir("")} {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.Errorf("left behind: %s", path)
			}
			return nil
		})
	}
	flip = false
	if m, err := f.ref(t.Context(), "acme/search", ref); err != nil || string(m.Bytes) != string(module) {
		t.Errorf("afterwards: %v", err)
	}
	if _, err := os.Stat(app.cacheDir("plugins")); err != nil {
		t.Error(err)
	}
}
