package pack

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// referenceFolders are the golden run folders of the reference client.
func referenceFolders(t *testing.T) []string {
	t.Helper()
	list, err := filepath.Glob("testdata/reference/c*")
	if err != nil || len(list) != 7 {
		t.Fatal(list, err)
	}
	return list
}

// copied is a copy of the golden run folders that a test may change.
func copied(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "runs")
	if err := os.CopyFS(dir, os.DirFS("testdata/reference")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func makeOf(t *testing.T, o *Options, dirs ...string) (*Package, error) {
	t.Helper()
	found, err := Find(dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return Make(found, o)
}

// TestReferenceRunsStayAsTheyAre packs the golden run folders. Every file of them is in the package byte for byte, and each
// system_desc.json has what the golden package has.
func TestReferenceRunsStayAsTheyAre(t *testing.T) {
	p, err := makeOf(t, &Options{}, referenceFolders(t)...)
	if err != nil {
		t.Fatal(err)
	}
	if p.Root != "sample_org/sub-0001" || len(p.Upload) != 0 || p.Meta.Client != ClientReference {
		t.Errorf("%s, %d run folders, %s", p.Root, len(p.Upload), p.Meta.Client)
	}
	shares := map[string]float64{"c1": 0.0396, "c64": 1}
	for _, dir := range referenceFolders(t) {
		point := "results/sample/qwen3_6-35b-a3b/r" + strings.TrimPrefix(filepath.Base(dir), "c")
		for from, to := range map[string]string{
			"point.yaml": point + "/point.yaml", "config.yaml": point + "/config.yaml", "performance/result_summary.json": point + "/result_summary.json",
			"accuracy/accuracy_results.json": point + "/accuracy_results.json", "system_power.json": "results/sample/system_power.json",
			"src/sample-impl/README.md": "src/sample-impl/README.md", "documentation/software_disclosure.md": "docs/software_disclosure.md",
		} {
			want, err := os.ReadFile(filepath.Join(dir, from))
			if err != nil {
				t.Fatal(err)
			}
			if got, err := p.Tree[to].read(); err != nil || string(got) != string(want) {
				t.Errorf("%s/%s is not %s: %v", dir, from, to, err)
			}
		}
		var before, after map[string]any
		was, _ := os.ReadFile(filepath.Join(dir, "system_desc.json"))
		is, _ := p.Tree[point+"/system_desc.json"].read()
		if json.Unmarshal(was, &before) != nil || json.Unmarshal(is, &after) != nil {
			t.Fatal(string(is))
		}
		share, _ := after["tps_utilization"].(float64)
		if want, told := shares[filepath.Base(dir)]; told && share != want {
			t.Errorf("%s: tps_utilization %v, want %v", dir, share, want)
		}
		if len(after) != len(before)+1 {
			t.Errorf("%s: %d keys, had %d", dir, len(after), len(before))
		}
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(out, p.Root, ManifestFile))
	if err != nil || !strings.Contains(string(text), `"path": "README.md"`) || strings.Contains(string(text), "manifest.json") {
		t.Errorf("%v: %s", err, text)
	}
	if note, err := os.ReadFile(filepath.Join(out, p.Root, "README.md")); err != nil || !strings.Contains(string(note), referenceNote) {
		t.Errorf("%v: %s", err, note)
	}
	if err := p.Write(out); err == nil {
		t.Error("a package was overwritten")
	}
}

// TestReferenceAccuracyRunJoins adds the scores of an accuracy run at the same concurrency.
func TestReferenceAccuracyRunJoins(t *testing.T) {
	dir := copied(t)
	rewrite(t, filepath.Join(dir, "c4", "accuracy", "accuracy_results.json"), `{"accuracy_scores":[{"dataset_name":"performance","dataset_type":"performance","score":0.56}]}`)
	extra := filepath.Join(dir, "c4-accuracy")
	if err := os.CopyFS(extra, os.DirFS(filepath.Join(dir, "c4"))); err != nil {
		t.Fatal(err)
	}
	replace(t, filepath.Join(extra, "config.yaml"), "type: performance", "type: accuracy")
	rewrite(t, filepath.Join(extra, "accuracy", "accuracy_results.json"),
		`{"accuracy_scores":[{"dataset_name":"performance","dataset_type":"performance","score":0.1},{"dataset_name":"swe_bench","dataset_type":"accuracy","score":0.7}]}`)
	p, err := makeOf(t, &Options{}, folders(t, dir)...)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := p.Tree["results/sample/qwen3_6-35b-a3b/r4/accuracy_results.json"].read()
	if s := string(text); !strings.Contains(s, "0.56") || !strings.Contains(s, "swe_bench") || strings.Contains(s, "0.1}") || strings.Count(s, "dataset_name") != 2 {
		t.Error(s)
	}
}

func folders(t *testing.T, dir string) []string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(dir, "c*"))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func rewrite(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func replace(t *testing.T, file, old, text string) {
	t.Helper()
	had, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(had), old) {
		t.Fatal(file, "lacks", old, err)
	}
	rewrite(t, file, strings.ReplaceAll(string(had), old, text))
}

// TestReferenceRefusals says everything that is wrong at once.
func TestReferenceRefusals(t *testing.T) {
	dir := copied(t)
	replace(t, filepath.Join(dir, "c1", "performance", "result_summary.json"), `"version": "0.9.0"`, `"version": "Paceline 0.1.0"`)
	replace(t, filepath.Join(dir, "c4", "point.yaml"), "model_name: qwen3_6-35b-a3b", "model_name: kimi-k2_6")
	replace(t, filepath.Join(dir, "c12", "point.yaml"), "seed_set: A", "seed_set: Z")
	replace(t, filepath.Join(dir, "c24", "point.yaml"), "2026-10-C1", "2027-01-C0")
	if err := os.Remove(filepath.Join(dir, "c32", "config.yaml")); err != nil {
		t.Fatal(err)
	}
	replace(t, filepath.Join(dir, "c48", "system_power.json"), "350", "351")
	replace(t, filepath.Join(dir, "c64", "point.yaml"), "concurrency: 64\nregion", "concurrency: 48\nregion")
	_, err := makeOf(t, &Options{}, folders(t, dir)...)
	if err == nil {
		t.Fatal("packed")
	}
	for _, want := range []string{
		"c1: it is an export of Paceline", "c4: model kimi-k2_6 is superseded", `c12: seed set "Z" is not known`, "c24: seed set A of cohort 2026-10-C1 may not be used for cohort 2027-01-C0",
		"c32: config.yaml is missing", "system_power.json comes with two different contents", "is a performance run at the same concurrency 48",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not among the reasons:\n%v", want, err)
		}
	}
	if _, err := Find("testdata"); err == nil || !strings.Contains(err.Error(), "holds no sweep") {
		t.Error(err)
	}
}

func TestClientsAreNotMixed(t *testing.T) {
	_, err := Make(&Found{Runs: []FoundRun{{Dir: "ours"}}, Reference: []string{"theirs"}}, &Options{})
	if err == nil || !strings.Contains(err.Error(), "ours and theirs were made by different clients") {
		t.Error(err)
	}
}

func TestLinksAreNotPacked(t *testing.T) {
	dir := copied(t)
	if err := os.Symlink("/etc/hostname", filepath.Join(dir, "c1", "src", "sample-impl", "link")); err != nil {
		t.Skip(err)
	}
	if _, err := makeOf(t, &Options{}, folders(t, dir)...); err == nil || !strings.Contains(err.Error(), "is no regular file") {
		t.Error(err)
	}
	if !slices.Contains(strings.Split((&Refused{[]Reason{{"r1", "why", "fix"}, {"", "all", ""}}}).Error(), "\n"), "r1: why (fix)") {
		t.Error("reasons are not told one a line")
	}
}
