package conformance

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite docs/plugin-failures.md")

const document = "../../docs/plugin-failures.md"

// limits are small, so that what runs for ever ends soon. The compiled guest needs more of them.
var (
	limits = []string{"limits.memory=32MiB", "limits.open=300ms", "limits.plan=100ms", "limits.next=100ms", "limits.batch=100ms"}
	roomy  = []string{"limits.open=2s", "limits.plan=500ms", "limits.next=500ms", "limits.batch=500ms"}
)

// TestFailures plays a whole run for each row and holds it to the rules, and all of them to the document.
func TestFailures(t *testing.T) {
	r := buildRunner(t)
	guest := buildGuest(t)
	if good := r.play(t, guest); good.code != 0 || good.sent != 6 { // it also fills the cache of compiled guests
		t.Fatalf("the good guest: exit code %d\n%s", good.code, good.stderr)
	}
	all := rows()
	answers := make([]*seen, len(all))
	t.Run("runs", func(t *testing.T) {
		for i, row := range all {
			t.Run(row.place.name+"/"+row.failure, func(t *testing.T) {
				t.Parallel()
				if row.guest == nil {
					answers[i] = r.play(t, guest, slices.Concat(roomy, row.settings)...)
				} else {
					answers[i] = r.play(t, row.guest.file(t), slices.Concat(limits, row.settings)...)
				}
				row.check(t, answers[i])
				if row.kind == "unsteady" {
					r.rejudge(t, answers[i])
				}
			})
		}
	})
	if !t.Failed() && !slices.Contains(answers, nil) { // -run may have chosen some
		compare(t, table(all, answers))
	}
}

// TestGoodGuests: both guests do their work where nothing is to fail.
func TestGoodGuests(t *testing.T) {
	r := buildRunner(t)
	for name, live := range map[string]bool{"planned": false, "live": true} {
		t.Run(name, func(t *testing.T) {
			s := r.play(t, (&canned{live: live}).file(t), limits...)
			if want := "6 of 6 requests sent; conversations: 3 complete; report: complete; verdict passed; score passed"; s.code != 0 || s.tell() != want {
				t.Errorf("exit code %d, %s\n%s", s.code, s.tell(), s.stderr)
			}
		})
	}
}

// buildGuest builds the compiled guest as shipped plugins are built.
func buildGuest(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("go", "run", "-C", "../../tools", "./wasmbuild", "-raw", "-out", dir, "plugins/conformance/testdata/faulty")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the guest: %v\n%s", err, out)
	}
	return filepath.Join(dir, "faulty.wasm")
}

// rule is what the design says of a place.
type rule struct {
	component string
	code      int
	before    bool // nothing is sent
}

var rules = map[place]rule{
	atDescribe: {"", 3, true},
	atOpen:     {"work", 3, true},
	atJudge:    {"score", 3, true},
	atInputs:   {"work", 3, true},
	atPlan:     {"work", 5, false},
	atPlans:    {"work", 5, false},
	atNext:     {"work", 5, false},
	atPref:     {"check", 3, true},
	atCheck:    {"check", 7, false},
	atScore:    {"score", 7, false},
	atScores:   {"score", 7, false},
	atFold:     {"score", 7, false},
	atVerdict:  {"check", 7, false},
	atConclude: {"score", 7, false},
}

// check holds a run to the rules.
func (r *row) check(t *testing.T, s *seen) {
	t.Helper()
	rule := rules[r.place]
	if r.code != 0 {
		rule.code, rule.before = r.code, true
	}
	if r.kind == "" || r.kind == "once" {
		rule.code, rule.before = 0, false
	}
	if s.code != rule.code {
		t.Errorf("exit code %d, want %d", s.code, rule.code)
	}
	if len(s.left) > 0 {
		t.Errorf("workers %v outlived the runner", s.left)
	}
	for _, text := range []string{pluginName, rule.component, r.says} {
		if rule.code != 0 && !strings.Contains(s.message, text) {
			t.Errorf("the message does not name %q", text)
		}
	}
	if rule.before && (s.sent > 0 || s.journal != nil) {
		t.Errorf("%d requests were sent, run folder %v", s.sent, s.journal != nil)
	}
	if !rule.before {
		r.checkRun(t, s)
	}
	if t.Failed() {
		t.Logf("%s\n%s", s.tell(), s.stderr[:min(len(s.stderr), 4000)])
	}
}

// checkRun looks whether the run went on and tells what is missing.
func (r *row) checkRun(t *testing.T, s *seen) {
	t.Helper()
	if s.journal == nil {
		t.Fatal("there is no run folder")
	}
	sent, status := int64(6), "complete"
	switch {
	case r.kind == "" || r.kind == "once":
	case r.kind == "unsteady":
		status = "failed"
	case r.place == atPlan:
		sent, status = 4, "failed"
	case r.place == atPlans:
		sent, status = 0, "failed"
	case r.place == atNext:
		sent = 5
	}
	if s.sent != sent || s.report.Status != status {
		t.Errorf("%d requests sent, report %s; want %d, %s", s.sent, s.report.Status, sent, status)
	}
	verdict, score := &s.report.Verdicts[0], &s.report.Scores[0]
	culprit := map[place]*judged{atCheck: verdict, atVerdict: verdict, atScore: score, atScores: score, atFold: score, atConclude: score}[r.place]
	for _, j := range []*judged{verdict, score} {
		failed := j == culprit && r.kind != ""
		if j.Passed == failed || failed && len(j.Errors) == 0 && j.Error == "" || !failed && (len(j.Errors) > 0 || j.Error != "") {
			t.Errorf("%s: %s", j.Name, j.tell(j == score))
		}
	}
	if r.kind != "" && (r.place == atCheck || r.place == atScore) {
		if len(culprit.Errors) != 1 || culprit.Errors[0].Trajectory != bad || culprit.Errors[0].Kind != r.kind {
			t.Errorf("plugin errors %+v, want one of %s, of kind %s", culprit.Errors, bad, r.kind)
		}
	}
}

// rejudge judges a run again whose workload is not deterministic: it stays so, though the workload is not asked again.
func (r *runner) rejudge(t *testing.T, s *seen) {
	t.Helper()
	again := r.run(t, "judge", s.dir)
	if again.code != 5 || !strings.Contains(again.message, "is not deterministic") {
		t.Errorf("judged again: exit code %d\n%s", again.code, again.stderr)
	}
}

// table writes the document.
func table(all []row, answers []*seen) []byte {
	var b bytes.Buffer
	b.WriteString(head)
	for i, row := range all {
		if i == 0 || all[i-1].place != row.place {
			fmt.Fprintf(&b, "\n## %s\n\n| failure | message | the run | exit |\n|---|---|---|---|\n", row.place.name)
		}
		s := answers[i]
		message := strings.NewReplacer("|", "\\|", pluginName, "P").Replace(s.message)
		if message == "" {
			message = "none"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d |\n", row.failure, message, s.tell(), s.code)
	}
	return b.Bytes()
}

func compare(t *testing.T, got []byte) {
	t.Helper()
	compareWith(t, document, got)
}

// compareWith holds what a test saw to a page, or writes the page.
func compareWith(t *testing.T, document string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(document, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Errorf("%s tells another story (-update rewrites it):\n%s", document, diff)
	}
}

const head = `# When a plugin fails

What the runner does with a plugin that fails, in each way and at each place where it is called. A test plays a whole run for
every line, with a plugin P whose workload has three trajectories of two turns, and writes this page.

The rules:

- Describe, Open, CheckInputs, Preflight: the command ends before anything is sent (exit code 3).
- Plan: asked once more in a fresh instance. Then the trajectory's conversation ends as ` + "`plugin_error`" + `, the others are played, and the
  run is invalid (5). A trajectory that asks for what this runner does not play is refused before anything is sent (3).
- Next: the conversation ends as ` + "`plugin_error`" + `, the others are played (5).
- Check, Score: the batch is judged unit by unit in fresh instances. Only the culprit becomes a plugin error; the verdict is not passed, the
  score is incomplete and not passed (7).
- Fold, Conclude: the judge fails as a whole (7). Other judges are not touched.
- A workload that gives another trajectory or another step when it is asked again makes the run invalid (5).

Limits are those of the run file (` + "`limits`" + `); the runs of this page have small ones. No worker outlives the runner in any of them.
`
