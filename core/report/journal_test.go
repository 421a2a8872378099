package report

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"paceline/core/journal"
	"paceline/core/trajectory"
)

// record writes a run into files; a run that is not closed is as a crash
// leaves it.
func record(t *testing.T, in Input, closed bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if err := journal.Create(dir); err != nil {
		t.Fatal(err)
	}
	digest, err := journal.WriteRunConfig(dir, in.Config)
	if err != nil {
		t.Fatal(err)
	}
	w, err := journal.NewWriter(dir, journal.Options{
		Head:     journal.Head{Run: in.Config.Run, Epoch: time.Date(2026, 8, 29, 10, 15, 0, 0, time.UTC), RunConfig: digest},
		Workload: in.Config.Workload.Name,
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range in.Run.Conversations {
		c := &in.Run.Conversations[i]
		tr := &trajectory.Trajectory{ID: c.Trajectory, Index: c.Index, Domain: c.Domain}
		for turn := range uint32(5) {
			tr.Turns = append(tr.Turns, trajectory.Turn{Index: turn})
		}
		w.Planned(tr, 0)
		w.Started(c)
	}
	for i := range in.Run.Samples {
		w.Sampled(&in.Run.Samples[i])
	}
	for _, p := range in.Run.Phases {
		w.Phase(p.Phase, p.At)
	}
	for _, c := range in.Run.SelfChecks {
		w.Checked(c)
	}
	if !closed {
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := w.Close(journal.Ending{}); err != nil {
				t.Error(err)
			}
		})
		return dir
	}
	for i := range in.Run.Conversations {
		w.Ended(&in.Run.Conversations[i])
	}
	if err := w.Close(journal.Ending{At: in.Run.Foot.At, Reason: in.Run.Foot.Reason, PlanNanos: in.Run.Foot.PlanNanos}); err != nil {
		t.Fatal(err)
	}
	if err := journal.WriteJudgements(dir, in.Judgements); err != nil {
		t.Fatal(err)
	}
	return dir
}

func reread(t *testing.T, dir string) Input {
	t.Helper()
	config, _, err := journal.ReadRunConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	run, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	list, err := journal.ReadJudgements(dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return Input{Run: run, Config: config, Judgements: list}
}

// What was measured and what the files hold of it give the same metrics, and
// the files give the same report each time.
func TestReportOfFiles(t *testing.T) {
	in := small()
	dir := record(t, in, true)
	first, text, r := both(t, reread(t, dir))
	again, textAgain, _ := both(t, reread(t, dir))
	if !bytes.Equal(first, again) || !bytes.Equal(text, textAgain) {
		t.Error("the same files give other bytes")
	}
	_, _, direct := both(t, in)
	a, err := json.Marshal(direct.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(r.Metrics)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("metrics of the files differ:\n%s\n%s", b, a)
	}
	checkSchema(t, first)
}

func TestReportOfCrashedRun(t *testing.T) {
	in := small()
	in.Run.Samples = in.Run.Samples[:4] // Six planned turns are missing.
	doc, text, r := both(t, reread(t, record(t, in, false)))
	f := r.Metrics.Failures
	if r.Status != Incomplete || !r.Journal.Incomplete || f.Planned != 10 || f.OK != 4 || f.NotSent+f.Unfinished != 6 {
		t.Errorf("%s, failures %+v", r.Status, f)
	}
	checkSchema(t, doc)
	checkText(t, text)
}
