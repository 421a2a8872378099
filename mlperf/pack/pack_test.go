package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"paceline/core/journal"
	"paceline/core/judge"
	"paceline/core/metrics"
	"paceline/core/session"
	"paceline/mlperf/describe"
	"paceline/mlperf/export"
)

// system are the files of the golden submission's made-up system.
func system(t *testing.T) []string {
	t.Helper()
	template := filepath.Join(t.TempDir(), "template.yaml")
	if err := os.WriteFile(template, describe.Template, 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{template, "../describe/testdata/sample.yaml"}
}

// rehearsal packs run folders with stand-in data, in virtual time.
func rehearsal(t *testing.T, o *Options, dirs ...string) (*Package, error) {
	t.Helper()
	o.System, o.Cohort, o.Rehearsal = system(t), "2026-12-C0", true
	return makeOf(t, o, dirs...)
}

// swe are the scores of the curve's points; those of the golden submission.
var swe = map[int]int64{1: 715_000, 4: 705_000, 12: 720_000, 64: 700_000}

// TestRehearsal packs a small curve and looks at what stands where.
func TestRehearsal(t *testing.T) {
	first, last := played(t, spec{users: 1, delay: time.Second, swe: 715_000}), played(t, spec{users: 64, delay: time.Second, swe: 700_000})
	p, err := rehearsal(t, &Options{}, last, first)
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(out, "sample_org", "sub-0001")
	for _, name := range []string{
		"README.md", "docs/evidence/pack.json", "docs/evidence/manifest.json", "docs/evidence/system.yaml", "docs/evidence/r1/journal-000001.jsonl.zst",
		"docs/evidence/r64/run.json", "src/sample-impl/README.md", "results/sample/system_power.json", "results/sample/qwen3_6-35b-a3b/r64/point.yaml",
		"results/sample/qwen3_6-35b-a3b/r1/config.yaml", "results/sample/qwen3_6-35b-a3b/r1/result_summary.json",
		"results/sample/qwen3_6-35b-a3b/r1/accuracy_results.json", "results/sample/qwen3_6-35b-a3b/r1/system_desc.json",
		"../../runs/c1/performance/result_summary.json", "../../runs/c64/accuracy/accuracy_results.json", "../../runs/c64/src/sample-impl/README.md",
		"../../runs/c1/system_power.json", "../../runs/c1/point.yaml",
	} {
		if _, err := os.Stat(filepath.Join(root, name)); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(filepath.Join(root, "docs/evidence/r1", journal.ContentFile)); err == nil {
		t.Error("the content store was packed")
	}
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for name, wants := range map[string][]string{
		"README.md": {export.Honesty, "This is a rehearsal", "r1 is a rehearsal: its data set has sha256", "it was played on a simulated clock", p.Meta.Points[0].Head.String()},
		"results/sample/qwen3_6-35b-a3b/r1/point.yaml": {"REHEARSAL, not a result", "simulated clock", `"seed_set": "A"`, `"target_cohort": "2026-12-C0"`, `"region": "low_latency"`},
		"results/sample/qwen3_6-35b-a3b/r64/result_summary.json": {`"git_sha": "Paceline:0123abcd"`, `"token_source": "counter: local/tokens"`, `"rehearsal": true`,
			`"n_samples_issued": 8`, `"output_tokens_per_turn_total": 3064`},
		"results/sample/qwen3_6-35b-a3b/r1/accuracy_results.json": {`"score": 0.5643`, `"dataset_name": "swe_bench"`, `"score": 0.715`},
		"src/sample-impl/README.md":                               {"sample-serve --model qwen --port 30000", export.Honesty},
	} {
		for _, want := range wants {
			if !strings.Contains(read(name), want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
	noCanary(t, out)
	if again, err := rehearsal(t, &Options{}, first, last); err != nil || fmt.Sprint(names(again.Tree)) != fmt.Sprint(names(p.Tree)) ||
		!bytes.Equal(again.Tree["results/sample/qwen3_6-35b-a3b/r1/point.yaml"].Bytes, p.Tree["results/sample/qwen3_6-35b-a3b/r1/point.yaml"].Bytes) {
		t.Errorf("the same runs in another order give another package: %v", err)
	}
}

func names(t Tree) map[string]int {
	m := map[string]int{}
	for name, c := range t {
		m[name] = len(c.Bytes)
	}
	return m
}

// noCanary looks for texts of the data set in every file, unpacked.
func noCanary(t *testing.T, dir string) {
	t.Helper()
	d, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	files := 0
	all := Tree{}
	if err := all.putFolder("", dir); err != nil {
		t.Fatal(err)
	}
	for name, c := range all {
		text, err := c.read()
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, ".zst") {
			if text, err = d.DecodeAll(text, nil); err != nil {
				t.Fatal(name, err)
			}
			if !bytes.Contains(text, []byte(`{"rec":`)) && !strings.Contains(name, "judgements") {
				t.Errorf("%s was not unpacked", name)
			}
		}
		if bytes.Contains(text, []byte(canary)) {
			t.Errorf("%s holds a text of the data set", name)
		}
		files++
	}
	if files < 30 {
		t.Errorf("only %d files were looked at", files)
	}
}

// TestRefusals tells every reason, each with its point and a fix, and all of them at once.
func TestRefusals(t *testing.T) {
	short := time.Millisecond
	cut := played(t, spec{users: 2, delay: short})
	resume(t, cut)
	for name, c := range map[string]struct {
		dir   string
		o     *Options
		wants []string
	}{
		"plain rehearsal is none without the flag": {played(t, spec{users: 1, delay: short}), &Options{Cohort: "2026-12-C0"},
			[]string{"r1 (", "it was played on a simulated clock", "its data set has sha256", "--rehearsal", "it played 4 trajectories"}},
		"resumed": {cut, &Options{Rehearsal: true, Cohort: "2026-12-C0"}, []string{"it was resumed: its journal has 2 segments (play the point again in one go)"}},
		"development plugin": {played(t, spec{users: 3, delay: short, change: func(c *journal.RunConfig) {
			c.Lock.Unofficial = []string{"--dev-plugin took std/mlperf from a file past the lock"}
		}}), &Options{Rehearsal: true, Cohort: "2026-12-C0"}, []string{"--dev-plugin took std/mlperf"}},
		"superseded": {played(t, spec{users: 5, delay: short, model: "kimi-k2_6"}), &Options{Rehearsal: true, Cohort: "2026-12-C0"},
			[]string{"model kimi-k2_6 is superseded: kimi-k3 took its place"}},
		"unpublished": {played(t, spec{users: 6, delay: short, model: "deepseek-v4_1-flash"}), &Options{Rehearsal: true, Cohort: "2026-12-C0"},
			[]string{"model deepseek-v4_1-flash is unpublished"}},
		"not counted": {played(t, spec{users: 7, delay: short, judges: func(j *session.Judges) { j.Counters = nil }}), &Options{Rehearsal: true, Cohort: "2026-12-C0"},
			[]string{"no counter counted its tokens", "runner judge DIR --count COMPONENT"}},
		"usage in place of counts": {played(t, spec{users: 8, delay: short, judges: func(j *session.Judges) { j.Counters = []judge.Counter{counter(0)} }}),
			&Options{Rehearsal: true, Cohort: "2026-12-C0"}, []string{"local/tokens did not count 8 of 8 answers (8 of them have only the target's usage)"}},
		"no inline score": {played(t, spec{users: 9, delay: short, judges: func(j *session.Judges) { j.Scorers = nil }}), &Options{Rehearsal: true, Cohort: "2026-12-C0"},
			[]string{"it has no inline accuracy"}},
		"nothing succeeded": {played(t, spec{users: 10, delay: short, fails: true}), &Options{Rehearsal: true, Cohort: "2026-12-C0"}, []string{"it was not played to its end: failed"}},
		"no cohort":         {played(t, spec{users: 11, delay: short}), &Options{Rehearsal: true}, []string{"the cohort is not known (give --cohort"}},
		"cohort without seeds": {played(t, spec{users: 12, delay: short}), &Options{Rehearsal: true, Cohort: "2027-03-C0"},
			[]string{"no known seed set serves cohort 2027-03-C0 (known: A for 2026-10-C1 to 2026-12-C0) (--seed-sets FILE"}},
		"above the margin": {played(t, spec{users: 72, delay: short}), &Options{Rehearsal: true, Cohort: "2026-12-C0"}, []string{"concurrency 72 lies above the margin"}},
		"no system": {played(t, spec{users: 13, delay: short}), &Options{Rehearsal: true, Cohort: "2026-12-C0", System: []string{}},
			[]string{"the system is not described (runner submit template"}},
		"several targets": {played(t, spec{users: 15, delay: short, change: func(c *journal.RunConfig) {
			c.Targets = []journal.Target{{Name: "a", Endpoint: "http://a", Weight: 1}, {Name: "b", Endpoint: "http://b", Weight: 1}}
		}}), &Options{Rehearsal: true, Cohort: "2026-12-C0"}, []string{"it was played against 2 targets; the rules measure one system behind one endpoint"}},
		"other settings": {played(t, spec{users: 14, delay: short, change: func(c *journal.RunConfig) {
			c.Config = bytes.Replace(c.Config, []byte(`"top_k":20`), []byte(`"top_k":40`), 1)
		}}), &Options{Cohort: "2026-12-C0"}, []string{`"top_k":40`, "the rules want"}},
	} {
		t.Run(name, func(t *testing.T) {
			if c.o.System == nil {
				c.o.System = system(t)
			}
			_, err := makeOf(t, c.o, c.dir)
			if err == nil {
				t.Fatal("it was packed")
			}
			for _, want := range c.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not among the reasons:\n%v", want, err)
				}
			}
		})
	}
}

// TestWhole refuses what virtual time never comes to.
func TestWhole(t *testing.T) {
	dir := played(t, spec{users: 1, delay: time.Millisecond})
	for want, change := range map[string]func(*export.Run){
		"its client is invalid: late": func(r *export.Run) {
			h := &r.Report.Metrics.Honesty
			h.State, h.Reasons = metrics.Invalid, []string{"late"}
		},
		"its journal lost 3 records":            func(r *export.Run) { r.Journal.Foot.Lost = 3 },
		"2 turns have no record in its journal": func(r *export.Run) { r.Journal.Recovered = 2 },
		"its journal is not closed":             func(r *export.Run) { r.Journal.Foot = nil },
		"its journal is damaged: x at byte 7, 8 bytes: broken": func(r *export.Run) {
			r.Journal.Damage = []journal.Damage{{File: "x", Offset: 7, Bytes: 8, Reason: "broken"}}
		},
	} {
		r, err := export.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		change(r)
		out := &reasons{}
		checkRun(r, FoundRun{}, &Options{Rehearsal: true}, out)
		if err := out.err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not among the reasons: %v", want, err)
		}
	}
}

// resume adds a second segment to a run, as going on after a crash does.
func resume(t *testing.T, dir string) {
	t.Helper()
	run, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	head := run.Heads[0]
	w, err := journal.NewWriter(dir, journal.Options{Head: journal.Head{Run: head.Run, Epoch: head.Epoch, RunConfig: head.RunConfig, Lock: head.Lock}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(journal.Ending{At: 1, Reason: journal.ReasonComplete}); err != nil {
		t.Fatal(err)
	}
}

// TestSweep packs the finished points of a sweep, says which it leaves out, and refuses one whose cache was carried over.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []int{1, 4} {
		if err := os.Rename(played(t, spec{users: c, delay: time.Millisecond}), filepath.Join(dir, fmt.Sprintf("c%d", c))); err != nil {
			t.Fatal(err)
		}
	}
	sweep := func(carried string) {
		rewrite(t, filepath.Join(dir, "sweep.json"), `{"schema":"sweep/v1","plan":{},"points":[{"concurrency":1,"folder":"c1","state":"done","attempts":[]},
			{"concurrency":4,"folder":"c4","state":"done","facts":{"cache_carried_over":`+carried+`}},{"concurrency":12,"folder":"c12","state":"failed"}]}`)
	}
	sweep("false")
	p, err := rehearsal(t, &Options{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Meta.Points) != 2 || len(p.Meta.LeftOut) != 1 || !strings.HasPrefix(p.Meta.LeftOut[0], "r12 of ") {
		t.Errorf("%+v", p.Meta)
	}
	if _, there := p.Tree[EvidenceDir+"/sweep.json"]; !there {
		t.Error("the sweep is not among the evidence")
	}
	sweep(`"first turns had 4096 cached tokens"`)
	if _, err := rehearsal(t, &Options{}, dir); err == nil || !strings.Contains(err.Error(), "its cache was carried over from the point before: first turns had 4096 cached tokens") {
		t.Error(err)
	}
	rewrite(t, filepath.Join(dir, "sweep.json"), `{"schema":"sweep/v1","points":[{"concurrency":1,"folder":"c1","state":"done","cache_carried_over":true},
		{"concurrency":4,"folder":"c4","state":"done","cache_carried_over":null}]}`)
	if found, err := Find(dir); err != nil || found.Runs[0].Carried == "" || !found.Runs[1].Unproven {
		t.Errorf("%+v, %v", found, err)
	}
	rewrite(t, filepath.Join(dir, "sweep.json"), `{"schema":"sweep/v1","points":[{"concurrency":1,"folder":"../c1","state":"done"}]}`)
	if _, err := Find(dir); err == nil || !strings.Contains(err.Error(), "lies outside") {
		t.Error(err)
	}
}

// TestAlike refuses runs that are not of one curve.
func TestAlike(t *testing.T) {
	short := time.Millisecond
	_, err := rehearsal(t, &Options{}, played(t, spec{users: 1, delay: short}), played(t, spec{users: 1, delay: short, dataset: "another"}))
	if err == nil || !strings.Contains(err.Error(), "has the same concurrency") || !strings.Contains(err.Error(), "its data set is") {
		t.Error(err)
	}
}

func TestDiff(t *testing.T) {
	first := played(t, spec{users: 1, delay: time.Millisecond})
	write := func(o *Options, dirs ...string) string {
		p, err := rehearsal(t, o, dirs...)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out")
		if err := p.Write(out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	a := write(&Options{}, first)
	if list, err := Diff(a, write(&Options{}, first)); err != nil || len(list) > 0 {
		t.Errorf("%v %v", list, err)
	}
	b := write(&Options{}, played(t, spec{users: 1, delay: time.Millisecond, tokens: 400}), played(t, spec{users: 4, delay: time.Millisecond}))
	list, err := Diff(a, b)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, d := range list {
		seen[d.Kind+" "+d.At] = true
	}
	for _, want := range []string{"figure result_summary.json system_tps", "figure result_summary.json output_sequence_lengths avg", "point r4", "file judgements.jsonl.zst"} {
		if !seen[want] {
			t.Errorf("%s is not told: %v", want, list)
		}
	}
	if list, err := Diff(a, first); err != nil || len(list) > 0 {
		t.Errorf("a package and its own run: %v %v", list, err)
	}
	if list, err := Diff(b, first); err != nil || len(list) == 0 {
		t.Errorf("a package and another run: %v", err)
	}
	if _, err := Diff(a, t.TempDir()); err == nil {
		t.Error("an empty folder is compared")
	}
}

// TestWriteRehearsal writes a whole curve for the official checker where a script asks for it: see .ci/submission.
func TestWriteRehearsal(t *testing.T) {
	out := os.Getenv("PACELINE_REHEARSAL_OUT")
	if out == "" {
		t.Skip("PACELINE_REHEARSAL_OUT names no folder")
	}
	var dirs []string
	for _, users := range []int{1, 4, 12, 24, 32, 48, 64} {
		delay := 650 * time.Second
		if users > 32 {
			delay = 2450 * time.Second
		}
		if users == 1 {
			delay = 170 * time.Second
		}
		dirs = append(dirs, played(t, spec{users: users, delay: delay, swe: swe[users], change: declares(approved)}))
	}
	p, err := rehearsal(t, &Options{}, dirs...)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Write(out); err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if text, err := export.JSON(p.Meta); err != nil || json.Unmarshal(text, &m) != nil {
		t.Error(err)
	}
}
