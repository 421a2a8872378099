package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paceline/sdk/sdktest"
	"paceline/workloads/import/frame"
	"paceline/workloads/import/importtest"
	"paceline/workloads/import/normal"
)

// TestManifest holds the manifest against what the plugin tells about itself; -update writes its components.
func TestManifest(t *testing.T) {
	if importtest.Updating() {
		writeManifest(t)
	}
	text, err := os.ReadFile("manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	sdktest.CheckManifest(t, &plugin, text)
}

func writeManifest(t *testing.T) {
	t.Helper()
	var out bytes.Buffer
	out.WriteString(`{
  "schema": "paceline/manifest/v1",
  "name": "import",
  "version": "` + plugin.Version + `",
  "contract": 1,
  "summary": "Workloads that read the trace files which people have, and the normal form",
  "license": "Apache-2.0",
  "authors": ["The Paceline authors"],
  "source": "workloads/import",
  "components": [`)
	for i := range plugin.Components {
		c := &plugin.Components[i]
		if i > 0 {
			out.WriteByte(',')
		}
		summary, err := json.Marshal(c.Summary)
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("\n    " + `{"kind": "workload", "name": "` + c.Name + `", "summary": ` + string(summary) +
			`, "purity": "wasi_deterministic", "capabilities": ["inputs"], "inputs": ["` + frame.Input + `"],` + "\n     " +
			`"config_schema": ` + string(c.ConfigSchema) + "}")
	}
	out.WriteString("\n  ]\n}\n")
	if err := os.WriteFile("manifest.json", out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// formatOf is the format whose package a file lies in.
func formatOf(file string) string {
	folder, _, _ := strings.Cut(filepath.ToSlash(file), "/")
	if name, ok := map[string]string{
		"claudecode": "claude-code", "minisweagent": "mini-swe-agent", "mlperfrows": "mlperf", "sweagent": "swe-agent",
		"normal": "trajectory", "aiperfdag": "aiperf-dag", "aiperfturns": "aiperf-multi-turn",
	}[folder]; ok {
		return name
	}
	return folder
}

// TestDetect finds out the format of every file that the formats are tested with.
func TestDetect(t *testing.T) {
	all := formats()
	golden, err := filepath.Glob("*/testdata/*.golden")
	if err != nil || len(golden) < 12 {
		t.Fatalf("%d golden files, %v", len(golden), err)
	}
	for _, file := range golden {
		file = strings.TrimSuffix(file, ".golden")
		want := formatOf(file)
		if file == filepath.FromSlash("vllm/testdata/list.json") {
			want = "openai" // nothing tells such lists apart
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found, err := frame.Detect(all, bytes.NewReader(text), int64(len(text)))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if found[0].Name != want {
			t.Errorf("%s: taken for %s", file, found[0].Name)
		}
		if len(found) > 1 && want != "openai" {
			t.Errorf("%s: taken for %s as well", file, found[1].Name)
		}
	}
}

// TestSameAsNormalForm plans every file as it is and through the normal form: a run that converts nothing sends the same.
func TestSameAsNormalForm(t *testing.T) {
	golden, err := filepath.Glob("*/testdata/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range golden {
		text, err := os.ReadFile(strings.TrimSuffix(file, ".golden"))
		if err != nil {
			t.Fatal(err)
		}
		direct := sdktest.Open(t, &plugin, "auto", sdktest.Options{Inputs: []sdktest.Input{{Name: frame.Input, Data: text}}})
		var lines []byte
		for i := range direct.Opened.Workload.Trajectories {
			plan, err := direct.Plan(i, 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			if lines, err = normal.Append(lines, plan); err != nil {
				t.Fatal(err)
			}
		}
		imported := sdktest.Open(t, &plugin, "trajectory", sdktest.Options{Inputs: []sdktest.Input{{Name: frame.Input, Data: lines}}})
		if direct.Opened.Workload.Trajectories != imported.Opened.Workload.Trajectories {
			t.Errorf("%s: %d trajectories, and %d of the normal form", file, direct.Opened.Workload.Trajectories, imported.Opened.Workload.Trajectories)
			continue
		}
		for i := range direct.Opened.Workload.Trajectories {
			a, errA := direct.Plan(i, 0, nil)
			b, errB := imported.Plan(i, 0, nil)
			if errA != nil || errB != nil || !bytes.Equal(a.Marshal(), b.Marshal()) {
				t.Errorf("%s: trajectory %d differs: %v, %v\n%+v\n%+v", file, i, errA, errB, a, b)
			}
		}
	}
}

func TestDetectNothing(t *testing.T) {
	for _, text := range []string{"", "\n", "hello", "{}", `[1,2,{"a":[]}]`, "{\"a\":1}\n{\"b\":2}\n"} {
		if found, err := frame.Detect(formats(), strings.NewReader(text), int64(len(text))); err == nil {
			t.Errorf("%q is taken for %s", text, found[0].Name)
		} else if !strings.Contains(err.Error(), "that this plugin reads: ") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzImport holds that no bytes make an importer panic, and that what it opens it plans, or says what is wrong.
func FuzzImport(f *testing.F) {
	golden, err := filepath.Glob("*/testdata/*.golden")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range golden {
		text, err := os.ReadFile(strings.TrimSuffix(file, ".golden"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for i := range plugin.Components {
			c, err := sdktest.TryOpen(t, &plugin, plugin.Components[i].Name, sdktest.Options{
				Config: `{"broken":"skip"}`, Inputs: []sdktest.Input{{Name: frame.Input, Data: text}},
			})
			if err != nil {
				continue
			}
			for i := range min(c.Opened.Workload.Trajectories, 5) {
				plan, err := c.Plan(i, 0, nil)
				if err != nil {
					continue
				}
				if _, err := normal.Append(nil, plan); err != nil {
					t.Fatal(err)
				}
			}
		}
	})
}

// TestDocs holds the table of docs/import.md against the formats; -update writes it.
func TestDocs(t *testing.T) {
	const name, begin, end = "../../docs/import.md", "-update -->\n", "<!-- end -->"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(text), begin)
	_, tail, foundEnd := strings.Cut(rest, end)
	if !found || !foundEnd {
		t.Fatal("the marks of the table are gone")
	}
	var table strings.Builder
	table.WriteString("| format | reads | is lost |\n|---|---|---|\n")
	for _, f := range formats() {
		var losses []string
		for _, loss := range f.Losses {
			losses = append(losses, loss.Text)
		}
		if len(losses) == 0 {
			losses = []string{"nothing"}
		}
		table.WriteString("| `" + f.Name + "` | " + strings.ReplaceAll(f.Summary, "|", "\\|") + " | " + strings.Join(losses, "; ") + " |\n")
	}
	want := head + begin + table.String() + end + tail
	if want == string(text) {
		return
	}
	if !importtest.Updating() {
		t.Fatalf("%s is not what the formats say; -update writes it", name)
	}
	if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
