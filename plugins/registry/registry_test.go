package registry_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
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

var module = []byte("\x00asm and more, for a plugin of some size")

func pack(t testing.TB) *artifact.Artifact {
	t.Helper()
	a, err := artifact.PackWasm(module, "mine")
	if err != nil {
		t.Fatal(err)
	}
	if err := a.AddSignature([]byte(`{"payloadType":"x"}`)); err != nil {
		t.Fatal(err)
	}
	return a
}

// realRegistry is go-containerregistry's, in memory.
func realRegistry(referrers bool) http.Handler {
	return gcr.New(gcr.WithReferrersSupport(referrers), gcr.Logger(log.New(io.Discard, "", 0)))
}

func serve(t *testing.T, h http.Handler) artifact.Ref {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	ref, err := artifact.ParseRef("oci://" + strings.TrimPrefix(s.URL, "http://") + "/acme/mine:1.0.0")
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func open(t *testing.T, ref artifact.Ref) *registry.Repository {
	t.Helper()
	r, err := registry.Open(ref, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func pull(ctx context.Context, r *registry.Repository, want string) (*artifact.Artifact, error) {
	root, err := r.Resolve(ctx, want)
	if err != nil {
		return nil, err
	}
	return artifact.Read(ctx, r, root, artifact.EveryPlatform)
}

func TestPushAndPull(t *testing.T) {
	for _, referrers := range []bool{true, false} { // without the API, signatures go by the tag schema
		ref := serve(t, realRegistry(referrers))
		a := pack(t)
		for range 2 {
			if err := open(t, ref).Push(t.Context(), a, "1.0.0"); err != nil {
				t.Fatal(err)
			}
		}
		r := open(t, ref)
		for _, want := range []string{"1.0.0", a.Root.Digest.String()} {
			got, err := pull(t.Context(), r, want)
			if err != nil {
				t.Fatalf("%s: %v", want, err)
			}
			if !bytes.Equal(got.Module, module) || got.Name != "mine.wasm" || len(got.Envelopes) != 1 || got.Root.Digest != a.Root.Digest {
				t.Errorf("referrers %v, %s: got %d signatures of %v", referrers, want, len(got.Envelopes), got.Root)
			}
		}
		for _, want := range []string{"2.0.0", artifact.DigestOf(nil).String()} {
			if _, err := pull(t.Context(), r, want); !errors.Is(err, artifact.ErrNotFound) {
				t.Errorf("%s: got %v", want, err)
			}
		}
		if _, err := pull(t.Context(), r, ""); err == nil || !strings.Contains(err.Error(), "name a tag") {
			t.Errorf("no tag: got %v", err)
		}
	}
}

// hostile changes the answers of a real registry to GET requests whose path holds part.
func hostile(h http.Handler, part string, change func(w http.ResponseWriter, body []byte, r *http.Request)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || !strings.Contains(r.URL.Path, part) {
			h.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		for key, values := range rec.Header() {
			if key != "Content-Length" {
				w.Header()[key] = values
			}
		}
		change(w, rec.Body.Bytes(), r)
	})
}

func TestHostileRegistries(t *testing.T) {
	layer := artifact.DigestOf(module)
	blob, manifest := "/blobs/"+layer.String(), "/manifests/"
	var elsewhere string
	for name, c := range map[string]struct {
		part   string
		change func(w http.ResponseWriter, body []byte, r *http.Request)
		want   []string
	}{
		"other bytes": {blob, func(w http.ResponseWriter, body []byte, _ *http.Request) {
			body[5] ^= 1
			w.Header().Del("Docker-Content-Digest")
			_, _ = w.Write(body)
		}, []string{layer.String(), "found sha256:"}},
		"other manifest": {manifest, func(w http.ResponseWriter, body []byte, _ *http.Request) {
			body[len(body)-4] ^= 1
			w.Header().Del("Docker-Content-Digest")
			_, _ = w.Write(body)
		}, []string{"sha256:"}},
		"endless": {blob, func(w http.ResponseWriter, _ []byte, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
		}, []string{"more than the"}},
		"cut off": {blob, func(w http.ResponseWriter, body []byte, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(len(body)))
			_, _ = w.Write(body[:7])
		}, []string{"EOF"}},
		"too short": {blob, func(w http.ResponseWriter, body []byte, _ *http.Request) { _, _ = w.Write(body[:7]) },
			[]string{"Content-Length"}},
		"elsewhere": {blob, func(w http.ResponseWriter, _ []byte, r *http.Request) {
			http.Redirect(w, r, elsewhere+"/secret", http.StatusTemporaryRedirect)
		}, []string{"elsewhere", "not followed"}},
		"loop": {blob, func(w http.ResponseWriter, _ []byte, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		}, []string{"more than 5 redirections"}},
		"an error with colours": {blob, func(w http.ResponseWriter, _ []byte, _ *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = io.WriteString(w, `{"errors":[{"code":"DENIED","message":"\u001b[31mred\u001b]0;title\u0007"}]}`)
		}, []string{"red"}},
	} {
		t.Run(name, func(t *testing.T) {
			visited := false
			other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visited = true }))
			t.Cleanup(other.Close)
			elsewhere = other.URL
			reg := realRegistry(true)
			good := open(t, serve(t, reg))
			if err := good.Push(t.Context(), pack(t), "1.0.0"); err != nil {
				t.Fatal(err)
			}
			bad := open(t, serve(t, hostile(reg, c.part, c.change)))
			a, err := pull(t.Context(), bad, "1.0.0")
			if err == nil || a != nil && len(a.Module) > 0 {
				t.Fatalf("it was taken: %v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q", err, want)
				}
			}
			if strings.ContainsAny(err.Error(), "\x1b\x07") || len(err.Error()) > 2000 || visited {
				t.Errorf("got %q; visited elsewhere: %v", err, visited)
			}
		})
	}
}

// TestWrongContent pushes manifests that are no plugins of ours.
func TestWrongContent(t *testing.T) {
	r := open(t, serve(t, realRegistry(true)))
	a := pack(t)
	if err := r.Push(t.Context(), a, "good"); err != nil {
		t.Fatal(err)
	}
	root := string(a.Blobs[2].Data)
	for name, c := range map[string]struct{ from, to, want string }{
		"media type of the layer":  {`"application/wasm"`, `"application/vnd.docker.image.rootfs.diff.tar.gzip"`, "exactly one layer application/wasm"},
		"configuration":            {"application/vnd.wasm.config.v0+json", "application/vnd.oci.image.config.v1+json", "no plugin"},
		"no layers":                {`"layers":[`, `"layers":[],"x":[`, "found 0"},
		"a huge layer":             {fmt.Sprintf(`"size":%d`, len(module)), `"size":99999999999`, "at most 67108864 are allowed"},
		"a negative size":          {fmt.Sprintf(`"size":%d`, len(module)), `"size":-1`, "-1 bytes"},
		"another digest algorithm": {`"digest":"sha256:` + artifact.DigestOf(module).Hex(), `"digest":"sha512:` + artifact.DigestOf(module).Hex(), "no digest"},
		"another layer's digest":   {`"digest":"sha256:` + artifact.DigestOf(module).Hex(), `"digest":"` + artifact.DigestOf([]byte("other")).String(), "layerDigests"},
		"no schema version":        {`"schemaVersion":2`, `"schemaVersion":1`, "schemaVersion: found 1"},
	} {
		t.Run(name, func(t *testing.T) {
			text := []byte(strings.Replace(root, c.from, c.to, 1))
			if string(text) == root {
				t.Fatal("nothing was changed")
			}
			b := a.Blobs[2]
			b.Data, b.Digest, b.Size = text, artifact.DigestOf(text), int64(len(text))
			wrong := &artifact.Artifact{Root: b.Descriptor, Blobs: []artifact.Blob{b}}
			if err := r.Push(t.Context(), wrong, "bad"); err != nil {
				t.Skip("the registry itself refuses it: ", err)
			}
			if _, err := pull(t.Context(), r, "bad"); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestCredentials: they come from the Docker configuration, and stand in no error.
func TestCredentials(t *testing.T) {
	reg := realRegistry(true)
	ref := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if user != "someone" || password != "hunter2hunter2" {
			w.Header().Set("Www-Authenticate", `Basic realm="here"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		reg.ServeHTTP(w, r)
	}))
	if err := open(t, ref).Push(t.Context(), pack(t), "1"); err == nil || !strings.Contains(err.Error(), "Docker configuration") {
		t.Errorf("without credentials: got %v", err)
	}
	host, _, _ := strings.Cut(ref.Repository, "/")
	config := filepath.Join(os.Getenv("DOCKER_CONFIG"), "config.json")
	write := func(password string) {
		token := base64.StdEncoding.EncodeToString([]byte("someone:" + password))
		if err := os.WriteFile(config, fmt.Appendf(nil, `{"auths":{%q:{"auth":%q}}}`, host, token), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("wrong-password-x")
	if err := open(t, ref).Push(t.Context(), pack(t), "1"); err == nil || strings.Contains(err.Error(), "wrong-password") {
		t.Errorf("with a wrong password: got %v", err)
	}
	write("hunter2hunter2")
	if err := open(t, ref).Push(t.Context(), pack(t), "1"); err != nil {
		t.Error(err)
	}
	_ = os.WriteFile(config, []byte(`{"auths": hunter2hunter2`), 0o600)
	if err := open(t, ref).Push(t.Context(), pack(t), "1"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a broken configuration: got %v", err)
	}
}

// TestNoPlainHTTP: only the loopback is spoken to without encryption, unless it is asked for.
func TestNoPlainHTTP(t *testing.T) {
	for host, plain := range map[string]bool{"127.0.0.1:5": true, "localhost": true, "[::1]:5000": true, "registry.example": false, "10.0.0.1:5000": false, "localhost.example": false} {
		if got := registry.IsLoopback(host); got != plain {
			t.Errorf("%s: %v", host, got)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // nothing is sent: only what would be asked matters
	for _, c := range []struct {
		plain bool
		want  string
	}{{false, "https://registry.invalid/"}, {true, "http://registry.invalid/"}} {
		r, err := registry.Open(artifact.Ref{Repository: "registry.invalid/acme/mine"}, registry.Options{PlainHTTP: c.plain})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Resolve(ended, "1.0.0"); err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, context.Canceled) {
			t.Errorf("plain %v: got %v", c.plain, err)
		}
	}
}

// TestCredentialHelper: a helper that the Docker configuration names is asked, and its errors are not shown.
func TestCredentialHelper(t *testing.T) {
	if os.PathSeparator != '/' {
		t.Skip("the helper of this test is a shell script")
	}
	reg := realRegistry(true)
	ref := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "from-the-helper" {
			w.Header().Set("Www-Authenticate", `Basic realm="here"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		reg.ServeHTTP(w, r)
	}))
	dir := os.Getenv("DOCKER_CONFIG")
	helper := func(script string) {
		if err := os.WriteFile(filepath.Join(dir, "docker-credential-mine"), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	if err := os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"credsStore":"mine"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	helper(`cat >/dev/null; echo '{"Username":"someone","Secret":"from-the-helper"}'`)
	if err := open(t, ref).Push(t.Context(), pack(t), "1"); err != nil {
		t.Error(err)
	}
	helper(`cat >/dev/null; echo 'the secret is from-the-helper'; exit 1`)
	if err := open(t, ref).Push(t.Context(), pack(t), "1"); err == nil || strings.Contains(err.Error(), "from-the-helper") || !strings.Contains(err.Error(), "credential helper") {
		t.Errorf("a helper that fails: got %v", err)
	}
}

// TestRedirect: which ways a registry may send us on.
func TestRedirect(t *testing.T) {
	for _, c := range []struct {
		from, to string
		follow   bool
	}{
		{"https://r.example/v2/a", "https://r.example/b", true},
		{"https://r.example/v2/a", "https://storage.example/b", true},
		{"https://r.example/v2/a", "http://r.example/b", false},
		{"https://r.example/v2/a", "http://storage.example/b", false},
		{"https://r.example/v2/a", "https://127.0.0.1/b", false},
		{"https://r.example/v2/a", "https://[::1]:1/b", false},
		{"https://r.example/v2/a", "https://localhost:1/b", false},
		{"https://r.example/v2/a", "file:///etc/passwd", false},
		{"http://127.0.0.1:5/v2/a", "http://127.0.0.1:5/b", true},
		{"http://127.0.0.1:5/v2/a", "http://127.0.0.1:6/b", false},
		{"http://127.0.0.1:5/v2/a", "https://storage.example/b", false},
	} {
		from, _ := http.NewRequest(http.MethodGet, c.from, nil)
		to, err := http.NewRequest(http.MethodGet, c.to, nil)
		if err != nil {
			t.Fatal(err)
		}
		to.Header.Set("Authorization", "Bearer secret")
		if err := registry.Redirect(to, []*http.Request{from}); (err == nil) != c.follow {
			t.Errorf("%s to %s: got %v", c.from, c.to, err)
		}
		if c.follow && from.URL.Host != to.URL.Host && to.Header.Get("Authorization") != "" {
			t.Errorf("%s to %s: credentials go along", c.from, c.to)
		}
	}
}
