package lock_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	g "paceline/plugins/guesttest"
	"paceline/plugins/lock"
	"paceline/plugins/wasmabi"
)

const goodManifest = `{"schema":"paceline/manifest/v1","name":"mine","version":"1.0.0-rc.1+b","contract":1,"license":"Apache-2.0",` +
	`"components":[{"kind":"workload","name":"w","purity":"pure","capabilities":["inputs"],"inputs":["data"]},` +
	`{"kind":"scorer","name":"s","purity":"pure","config_schema":{"type":"object"}}],` +
	`"presets":[{"name":"a/b_1.0","run":{"load":{},"workload":{"name":"w"}},` +
	`"thresholds":[{"component":"s","value":"v","min":"-0.5","max":"1"},{"metric":"turns.ttft_ms.p99","max":"2000","from_users":33}]},` +
	`{"name":"c","run":{"target":{"stream":true}},"rules":{"of":"The rules 1","status":"unpublished","reason":"nobody told","missing":["max_tokens","params.top_k"],` +
	`"whole_passes":true,"seed_set":true,"reference_body":true,"inputs":{"data":"5e689e2b01672bf33996e75d5e372ff60c536ce1599a1458e867cd8f4bef5160"}}}]}`

func TestParseManifest(t *testing.T) {
	if _, err := lock.ParseManifest([]byte(goodManifest)); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, from, to, want string }{
		{"schema", "manifest/v1", "manifest/v2", "schema: found paceline/manifest/v2, supported paceline/manifest/v1"},
		{"no schema", `"schema":"paceline/manifest/v1",`, "", "no schema is named"},
		{"contract", `"contract":1`, `"contract":2`, "contract version: found 2, supported 1"},
		{"unknown field", `"contract":1`, `"contract":1,"colour":"red"`, `unknown field "colour"`},
		{"name", `"mine"`, `"Mine"`, `name: "Mine"`},
		{"version", "1.0.0-rc.1+b", "1.0", "no semantic version"},
		{"version with zeros", "1.0.0-rc.1+b", "1.00.0", "no semantic version"},
		{"no licence", `"Apache-2.0"`, `""`, "license: missing"},
		{"kind", `"workload"`, `"judge"`, `unknown kind "judge"`},
		{"purity", `"pure"`, `"clean"`, `unknown purity "clean"`},
		{"native purity", `"pure"`, `"native"`, "names no executable"},
		{"capability", `["inputs"]`, `["magic"]`, `unknown capability "magic"`},
		{"capability of native plugins", `["inputs"]`, `["inputs","network"]`, `"network" is for native plugins only`},
		{"inputs without capability", `"capabilities":["inputs"],`, ``, "the capability inputs is not asked for"},
		{"more after it", `}}}]}`, `}}}]}{}`, "manifest:"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			text := strings.Replace(goodManifest, test.from, test.to, 1)
			if _, err := lock.ParseManifest([]byte(text)); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

func TestAnnotate(t *testing.T) {
	module := g.Guest{Invoke: g.Packed(1)}.Bytes()
	spaced := strings.ReplaceAll(goodManifest, `"contract":1`, "\n  \"contract\" : 1")
	out, m, err := lock.Annotate(module, []byte(spaced))
	if err != nil {
		t.Fatal(err)
	}
	file, err := wasmabi.Parse(out)
	if err != nil {
		t.Fatal(err)
	}
	section := file.Sections(wasmabi.ManifestSection)[0]
	again, err := lock.ParseManifest(section)
	if err != nil {
		t.Fatal(err)
	}
	if m.Name != "mine" || again.Version != m.Version || !bytes.HasPrefix(section, []byte(`{"components":[{"capabilities":["inputs"],"inputs"`)) {
		t.Errorf("got %s of %+v", section, m)
	}
	if _, _, err := lock.Annotate(out, []byte(goodManifest)); err == nil || !strings.Contains(err.Error(), "found 2, supported 1") {
		t.Errorf("a second manifest: got %v", err)
	}
	for name, module := range map[string][]byte{"no module": []byte("hello"), "a component": []byte("\x00asm\x0d\x00\x01\x00"), "cut": module[:len(module)-3]} {
		if _, _, err := lock.Annotate(module, []byte(goodManifest)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestCanonical(t *testing.T) {
	for source, want := range map[string]string{
		`{ "name": "p", "a": [1.50, "<é>"] }`: `{"a":[1.50,"<é>"],"name":"p"}`,
		`{"name":"p"}{}`:                      "",
		`[]`:                                  "",
		``:                                    "",
	} {
		got, err := lock.Canonical([]byte(source))
		if (err != nil) != (want == "") || string(got) != want {
			t.Errorf("Canonical(%s) = %s, %v; want %s", source, got, err, want)
		}
	}
}

// TestShippedManifests reads the manifests of this repository.
func TestShippedManifests(t *testing.T) {
	names, err := filepath.Glob("../../workloads/*/manifest.json")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(filepath.Dir(name), "plugin.py")); err == nil {
			continue // the builder adds what the plugin tells of itself
		}
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lock.ParseManifest(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(goodManifest))
	f.Add([]byte(`{"schema":"paceline/manifest/v1"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := lock.ParseManifest(data)
		if err != nil {
			return
		}
		text, err := m.Encode()
		if err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
		if _, err := lock.ParseManifest(text); err != nil || !json.Valid(text) {
			t.Fatalf("what was written cannot be read: %v", err)
		}
	})
}
