package check

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"paceline/mlperf/rules"
)

// onDisk puts a package into a folder of its own below dir.
func onDisk(t *testing.T, dir string, files fstest.MapFS) string {
	t.Helper()
	if err := os.CopyFS(dir, files); err != nil {
		t.Fatal(err)
	}
	return dir
}

func check(t *testing.T, name string) string {
	t.Helper()
	r, err := Dir(name, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(findings(r), " ")
}

// TestDir finds the submission at or below a path.
func TestDir(t *testing.T) {
	top := t.TempDir()
	org := filepath.Join(top, "org")
	sub := onDisk(t, filepath.Join(org, "sub-1"), load(t, "testdata/golden_min"))
	if err := os.MkdirAll(filepath.Join(org, "notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{sub: "warning:steady-state-basis", org: "warning:steady-state-basis", top: "error:required-dir error:src-dir",
		filepath.Join(top, "nowhere"): "error:path-exists", filepath.Join(sub, "docs", "x.md"): "error:path-exists"} {
		if got := check(t, name); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	r, err := Dir(org, Options{})
	if err != nil || r.Submission != filepath.ToSlash(sub) || !strings.HasPrefix(*r.Results[0].Path, filepath.ToSlash(sub)) {
		t.Errorf("%v %s", err, r.Submission)
	}
}

// TestLinks: a link inside the package is followed, one out of it is not, and what is no file is not opened.
func TestLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	dir := onDisk(t, t.TempDir(), load(t, "testdata/golden_min"))
	outside := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(outside, []byte(`{"secret": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	link := func(target, name string) {
		t.Helper()
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.RemoveAll(full); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(target, full); err != nil {
			t.Fatal(err)
		}
	}
	link("../r4/system_desc.json", r12+"system_desc.json")
	if got := check(t, dir); got != "warning:steady-state-basis" {
		t.Errorf("a link inside: %s", got)
	}
	link(outside, r12+"system_desc.json")
	link(filepath.Dir(outside), "docs")
	if got := check(t, dir); !strings.Contains(got, "error:system-description-valid") || !strings.Contains(got, "error:required-dir") {
		t.Errorf("links outside: %s", got)
	}
	link("config.yaml", r12+"config.yaml") // to itself
	if got := check(t, dir); !strings.Contains(got, "error:config-file-present") {
		t.Errorf("a link to itself: %s", got)
	}
}

func TestLimits(t *testing.T) {
	files := load(t, "testdata/golden")
	files[r12+"result_summary.json"] = &fstest.MapFile{Data: bytes.Repeat([]byte(" "), 16<<20+1)}
	if got := show(run(t, files, Options{})); !strings.Contains(strings.Join(got, "\n"), "more than the 16777216 that are read") {
		t.Error(got)
	}
	files = load(t, "testdata/golden")
	files[r12+"point.yaml"] = &fstest.MapFile{Data: []byte(strings.Repeat("[", 100_000))}
	if got := show(run(t, files, Options{})); !strings.Contains(strings.Join(got, "\n"), "point.yaml cannot be read") {
		t.Error(got)
	}
	many := fstest.MapFS{}
	for i := range 10_001 {
		many[path.Join("results", "s", "m", strings.Repeat("x", 1+i%200)+string(rune('a'+i/200)), "f")] = &fstest.MapFile{}
	}
	if _, err := FS(many, "p", Options{}); err == nil || !strings.Contains(err.Error(), "entries") {
		t.Error(err)
	}
	for name, opt := range map[string]Options{"rules": {Rules: "1.4"}, "seed sets": {SeedSets: []byte("{}")}, "drafters": {Drafters: []byte("[")}} {
		if _, err := FS(files, "p", opt); err == nil {
			t.Errorf("wrong %s are taken", name)
		}
	}
}

// TestNewerSeeds takes sets and drafters from files.
func TestNewerSeeds(t *testing.T) {
	files := load(t, "testdata/golden")
	for name := range files {
		replace(files, name, "seed_set: A", "seed_set: B\nspeculative_decoding: {target_checksum: x, configuration: {draft: 3}}")
	}
	known, err := rules.KnownSeedSets(nil)
	if err != nil {
		t.Fatal(err)
	}
	known[0].ID = "B"
	sets, err := known.MarshalFile()
	if err != nil {
		t.Fatal(err)
	}
	drafters := []byte(`{"schema": "paceline/drafters/v1", "drafters": [{"benchmark": "qwen3_6-35b-a3b", "approved_cohort": "2026-08-C0", "target_checksum": "x", "configuration": {"draft": 3}}]}`)
	if got := show(run(t, files, Options{SeedSets: sets, Drafters: drafters})); len(got) > 0 {
		t.Error(got)
	}
	if got := strings.Join(findings(run(t, files, Options{})), " "); got != "error:approved-drafter error:seed-set-membership" {
		t.Error(got)
	}
}

func TestReports(t *testing.T) {
	files := load(t, "testdata/golden")
	replace(files, r12+"point.yaml", "dataset_link", "another\u202elink")
	replace(files, model+"r4/point.yaml", "region: low_concurrency", `region: "margin\e[2J"`)
	r := run(t, files, Options{})
	var text, again, out bytes.Buffer
	if err := r.WriteText(&text, TextOptions{Quiet: true}); err != nil {
		t.Fatal(err)
	}
	if err := run(t, files, Options{}).WriteText(&again, TextOptions{Quiet: true}); err != nil || text.String() != again.String() {
		t.Error("the same package gives another text", err)
	}
	want := `WARNING  region-placement: Region (§8.3)
         region is "margin\x1b[2J", but concurrency 4 lies in low_concurrency
           in results/sample/qwen3_6-35b-a3b/r4/point.yaml
         fix: Write low_concurrency, or submitters_choice for a point beyond the mandatory ones.
ERROR    region-declared: Region word (§8.3)
         region is "margin\x1b[2J"
           in results/sample/qwen3_6-35b-a3b/r4/point.yaml
         fix: Write one of low_latency, low_concurrency, med_concurrency, high_concurrency, margin, submitters_choice.
ERROR    point-disclosure-complete: Disclosure (§8.3)
         point.yaml leaves out dataset_link
           in results/sample/qwen3_6-35b-a3b/r12/point.yaml
         fix: Fill them in.
FAILED: 2 errors, 1 warning
`
	if text.String() != want {
		t.Errorf("got\n%s\nwant\n%s", text.String(), want)
	}
	if err := r.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var back struct {
		Path    string `json:"submission_path"`
		Results []map[string]any
		Errors  []map[string]any
		Warns   []map[string]any `json:"warnings"`
		Passed  *bool
	}
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back.Errors) != 2 || len(back.Warns) != 1 || back.Passed == nil || *back.Passed || back.Path != "package" {
		t.Errorf("%v %s", err, out.String())
	}
	for _, key := range []string{"rule", "message", "severity", "path", "spec_ref", "key", "title", "fix", "passed"} {
		if _, ok := back.Errors[0][key]; !ok || len(back.Errors[0]) != 9 {
			t.Errorf("an error has no %s: %v", key, back.Errors[0])
		}
	}
}

// TestDamage breaks files at seeded places; nothing may come of it but findings.
func TestDamage(t *testing.T) {
	golden := load(t, "testdata/golden")
	rng := rand.New(rand.NewPCG(1, 2))
	var names []string
	for _, n := range []string{"point.yaml", "config.yaml", "result_summary.json", "accuracy_results.json", "system_desc.json"} {
		names = append(names, r12+n)
	}
	names = append(names, "results/sample/system_power.json")
	for range 50 {
		name := names[rng.IntN(len(names))]
		data := bytes.Clone(golden[name].Data)
		for range 1 + rng.IntN(3) {
			at := rng.IntN(len(data))
			data[at] = `{}[]":,0 -x&*!%|>`[rng.IntN(17)]
		}
		files := fstest.MapFS{}
		for n, f := range golden {
			files[n] = f
		}
		files[name] = &fstest.MapFile{Data: data}
		for _, rs := range []Ruleset{Rules1530, RulesStrict} {
			var b bytes.Buffer
			r := run(t, files, Options{Rules: rs})
			if err := r.WriteJSON(&b); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// FuzzFile puts any bytes in place of any file.
func FuzzFile(f *testing.F) {
	golden := load(f, "testdata/golden_min") // small, for speed
	names := []string{r12 + "point.yaml", r12 + "config.yaml", r12 + "result_summary.json", r12 + "accuracy_results.json", r12 + "system_desc.json",
		"results/sample/system_power.json"}
	for i, n := range names {
		f.Add(uint8(i), golden[n].Data)
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		files := fstest.MapFS{}
		for n, file := range golden {
			files[n] = file
		}
		files[names[int(which)%len(names)]] = &fstest.MapFile{Data: data}
		var b bytes.Buffer
		r, err := FS(files, "p", Options{Rules: RulesStrict})
		if err == nil {
			err = r.WriteJSON(&b)
		}
		if err != nil {
			t.Error(err)
		}
	})
}
